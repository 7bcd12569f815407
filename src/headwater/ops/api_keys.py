"""New keys of the HTTP API, for the command line and the web pages."""

import secrets
import shlex

from headwater.app import App
from headwater.model.api_key import ID_BYTES, SECRET_BYTES, ApiKey, KeyScope, make_api_key
from headwater.model.errors import Refused
from headwater.settings.settings import DEFAULT_DATA

LONGEST_NAME = 100


def create_api_key(app: App, name: str, scope: KeyScope) -> tuple[ApiKey, str]:
    """Stores the key and returns it with its text, which can be shown only now: the row has a hash of it."""
    if not name.strip() or len(name) > LONGEST_NAME:
        raise Refused("bad_name", f"give a name of 1 to {LONGEST_NAME} characters")
    text, key_id, secret_hash = make_api_key(secrets.token_bytes(ID_BYTES + SECRET_BYTES))
    key = ApiKey(key_id, name.strip(), scope, app.clock())
    app.api_keys.create(key, secret_hash)
    return key, text


def key_command(data: str = DEFAULT_DATA) -> str:
    """The command that creates a key for an operator of the installation in this data folder."""
    place = "" if data == DEFAULT_DATA else f"--data {shlex.quote(data)} "
    return f"headwater {place}keys create me --scope operate"
