"""API keys: create one, which is shown once; revoke."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.api_key import KeyScope
from headwater.model.errors import Refused
from headwater.ops.api_keys import create_api_key
from headwater.web.context import WebContext
from headwater.web.pages.confirmation import Question
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.page import Page


def load_keys(request: Request, context: WebContext) -> dict[str, Any]:
    del request
    return _model(context, None)


def _model(context: WebContext, new_key: str | None) -> dict[str, Any]:
    keys = [
        {
            "id": key.id,
            "name": key.name,
            "scope": key.scope.label,
            "created_at": key.created_at,
            "revoked_at": key.revoked_at,
        }
        for key in reversed(context.app.api_keys.list_keys())
    ]
    return {"items": keys, "scopes": [scope.label for scope in KeyScope], "new_key": new_key}


def create(request: Request, context: WebContext, fields: FormData) -> Done:
    """The answer is the page itself: the key must not travel through a cookie or an address."""
    del request
    scope = str(fields.get("scope", "")).upper()
    if scope not in KeyScope.__members__:
        raise Refused("bad_scope", "choose read, operate or admin")
    _, text = create_api_key(context.app, str(fields.get("name", "")), KeyScope[scope])
    return Done(model=_model(context, text))


def ask_revoke(request: Request, context: WebContext, fields: FormData) -> Question:
    del fields
    key = request.path_params["key"]
    name = next((item.name for item in context.app.api_keys.list_keys() if item.id == key), key)
    return Question(
        message="Revoke the key {name}? Programs that use it are refused at once.",
        label="Revoke",
        values={"name": name},
    )


def revoke(request: Request, context: WebContext, fields: FormData) -> Done:
    del fields
    key = context.app.api_keys.revoke(request.path_params["key"], context.app.clock())
    return Done(message="{name} is revoked: it opens nothing any more.", values={"name": key.name})


PAGES = (
    Page(
        path="/operate/keys",
        template="operator/api_keys.html",
        load=load_keys,
        scope=KeyScope.ADMIN,
    ),
)
ACTIONS = (
    Action(
        path="/operate/keys/create",
        perform=create,
        scope=KeyScope.ADMIN,
        template="operator/api_keys.html",
        page="/operate/keys",
    ),
    Action(path="/operate/keys/{key}/revoke", perform=revoke, scope=KeyScope.ADMIN, ask=ask_revoke),
)
