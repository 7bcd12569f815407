"""Text that may stand in a log, an error or a list: URLs without user names and without the values of secret parameters."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_plus, urlsplit, urlunsplit

HIDDEN = "***"
UNREADABLE = "(not a URL)"
MAX_URL_LENGTH = 500

# Secret wherever it stands in a name: `accesstoken`, `client_secret`, `X-Amz-Credential`.
_ANYWHERE = re.compile(r"token|secret|passw|passphrase|pwd|credential|session|signature|hmac|jwt")
# Secret as a whole word of a name: `key`, `api_key`, `X-Api-Key`, `apikey`; not `monkey`, `keyword` or `encoding`.
_WORD = re.compile(
    r"(?:(?:api|access|account|app|auth|client|consumer|licen[cs]e|master|private|secret|shared|signing|subscription|user)?keys?"
    r"|(?:auth|access|pass|otp|verification)?code"
    r"|auth[a-z]*|cookies?|pass|sign?|t?otp|sas|ticket)"
)
# Words that begin like a secret but are not one.
_HARMLESS = re.compile(r"author(?:s|ed|ing|ship|name|id|ity|ities)?")
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SEPARATORS = re.compile(r"[^a-z0-9]+")
_REFERENCE = re.compile(r"(?:env|file):.+")
_URL_IN_TEXT = re.compile(r"\b[a-z][a-z0-9+.-]{0,40}://[^\s\"'<>]+", re.IGNORECASE)


def redact_url(url: str) -> str:
    """Returns the URL for a log or a message: without user information, fragment and secrets, and not too long."""
    try:
        parts = urlsplit(hide_secrets(url))
    except ValueError:
        return UNREADABLE
    return urlunsplit(parts._replace(fragment=""))[:MAX_URL_LENGTH]


def hide_secrets(url: str) -> str:
    """Returns the URL with `***` for the values of secret parameters and without user information; otherwise unchanged. A
    reference to a secret (`env:NAME`, `file:PATH`) stays."""
    try:
        parts = urlsplit(url.strip())
    except ValueError:
        return UNREADABLE
    hidden = parts._replace(
        netloc=parts.netloc.rpartition("@")[2],
        query=_redact_fields(parts.query),
        fragment=_redact_fields(parts.fragment),
    )
    return url if hidden == parts else urlunsplit(hidden)


def redact_text(text: str) -> str:
    """Returns the text with every URL in it redacted."""
    return _URL_IN_TEXT.sub(lambda match: redact_url(match[0]), text) if "://" in text else text


def redact_record(value: Any) -> Any:
    """Returns the record for an output: no URL in it shows a secret. Options that are secrets by their name are hidden."""
    if isinstance(value, str):
        return _URL_IN_TEXT.sub(lambda match: hide_secrets(match[0]), value) if "://" in value else value
    if isinstance(value, Mapping):
        return {
            name: _redact_options(part) if name == "options" else redact_record(part)
            for name, part in value.items()
        }
    return [redact_record(part) for part in value] if isinstance(value, list | tuple) else value


def _redact_options(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return redact_record(value)
    return {
        name: HIDDEN
        if isinstance(part, str) and is_secret_name(str(name)) and not is_secret_reference(part)
        else _redact_options(part)
        for name, part in value.items()
    }


def is_secret_reference(text: str) -> bool:
    """True for `env:NAME` and `file:PATH`, which name a secret without containing it."""
    return _REFERENCE.fullmatch(text) is not None


def is_secret_name(name: str) -> bool:
    """True for the name of a parameter whose value must not be shown."""
    words = _SEPARATORS.split(_CAMEL_CASE.sub("_", name).lower())
    return any(
        _ANYWHERE.search(word) or (_WORD.fullmatch(word) and not _HARMLESS.fullmatch(word)) for word in words
    )


def _redact_fields(query: str) -> str:
    return "&".join(_redact_field(field) for field in query.split("&")) if "=" in query else query


def _redact_field(field: str) -> str:
    name, equals, value = field.partition("=")
    if not equals or not is_secret_name(unquote_plus(name)) or is_secret_reference(unquote_plus(value)):
        return field
    return f"{name}={HIDDEN}"
