"""Replays: what the present code would read in stored captures, field by field, and applying it."""

from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request

from headwater.model.errors import Refused
from headwater.model.replay import ReplayState, ReplayVerdict
from headwater.settings.times import parse_time
from headwater.web.context import WebContext
from headwater.web.pages.confirmation import Question
from headwater.web.pages.forms import Action, Done
from headwater.web.pages.operator.live_workers import has_live_workers
from headwater.web.pages.page import Page

SHOWN_ITEMS = 50
VERDICTS = (ReplayVerdict.BETTER, ReplayVerdict.CHANGED, ReplayVerdict.WORSE, ReplayVerdict.FAILED)
APPLICABLE = (ReplayState.REPORTED, ReplayState.APPLYING, ReplayState.APPLIED)


def load_replays(request: Request, context: WebContext) -> dict[str, Any]:
    recipe = request.query_params.get("recipe", "")
    return {
        "recipes": context.app.catalogue.recipes(),
        "recipe": recipe,
        "items": context.app.replays.list_replays(recipe or None),
    }


def load_replay(request: Request, context: WebContext) -> dict[str, Any]:
    replays = context.app.replays
    replay = replays.get(request.path_params["replay"])
    verdict = _verdict(request.query_params.get("verdict", ""), replay)
    fields = sorted(replay["fields"].items(), key=lambda pair: (-sum(pair[1].values()), pair[0]))
    return {
        "replay": replay,
        "has_workers": has_live_workers(context.app),
        "verdict": verdict.value,
        "verdicts": [value.value for value in VERDICTS],
        "fields": [{"field": name, **counts} for name, counts in fields],
        "items": list(replays.report(replay["id"], [verdict], SHOWN_ITEMS)),
        "can_apply": replay["state"] in APPLICABLE,
        "is_open": replay["state"] in (ReplayState.RUNNING, ReplayState.APPLYING),
    }


def _verdict(text: str, replay: dict[str, Any]) -> ReplayVerdict:
    """The chosen one, or else the first that has documents."""
    if text:
        try:
            return ReplayVerdict(text)
        except ValueError:
            names = ", ".join(ReplayVerdict)
            raise Refused("bad_verdict", f"there is no verdict '{text}'; there are: {names}") from None
    return next((verdict for verdict in VERDICTS if replay[verdict]), ReplayVerdict.BETTER)


def start(request: Request, context: WebContext, fields: FormData) -> Done:
    del request
    app = context.app
    now = app.clock()
    recipe = app.recipe(str(fields.get("recipe", ""))).name
    since = parse_time(str(fields.get("since", "")).strip() or "7d", now, "since")
    replay = app.replays.start(recipe, since, now, now)
    return Done(
        message="The replay has begun; workers compare, and nothing is replaced.",
        location=f"/operate/replays/{replay}",
    )


def apply(request: Request, context: WebContext, fields: FormData) -> Done:
    app = context.app
    names = [str(value) for value in fields.getlist("verdict")]
    verdicts = [verdict for verdict in VERDICTS if verdict.value in names]
    if not verdicts:
        raise Refused("bad_choice", "choose at least one verdict")
    replay = app.replays.get(request.path_params["replay"])["id"]
    app.replays.apply(replay, verdicts, app.clock())
    return Done(message="Workers replace the chosen documents now.", location=f"/operate/replays/{replay}")


def _change(action: str, message: str) -> Any:
    def carry_out(request: Request, context: WebContext, fields: FormData) -> Done:
        del fields
        replays = context.app.replays
        replay = replays.get(request.path_params["replay"])["id"]
        getattr(replays, action)(replay, context.app.clock())
        return Done(message=message, location=f"/operate/replays/{replay}")

    return carry_out


def ask_discard(request: Request, context: WebContext, fields: FormData) -> Question:
    del request, context, fields
    return Question(message="Delete the report of this replay?", label="Discard")


CHANGES = {
    "pause": "The replay is paused.",
    "resume": "The replay goes on.",
    "discard": "The replay is discarded; documents that were replaced stay replaced.",
}
PAGES = (
    Page(
        path="/operate/replays",
        template="operator/replays.html",
        load=load_replays,
        parameters=frozenset({"recipe"}),
    ),
    Page(
        path="/operate/replays/{replay}",
        template="operator/replay.html",
        load=load_replay,
        parameters=frozenset({"verdict"}),
    ),
)
ACTIONS = (
    Action(path="/operate/replays/start", perform=start),
    Action(path="/operate/replays/{replay}/apply", perform=apply),
    *(
        Action(
            path=f"/operate/replays/{{replay}}/{name}",
            perform=_change(name, message),
            ask=ask_discard if name == "discard" else None,
        )
        for name, message in CHANGES.items()
    ),
)
