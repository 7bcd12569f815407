"""A worker made to die while it replays: reads captures again with changed code, or replaces, in a child of its own.

Started once; forks a child per command (a line of JSON on standard input), so that a death costs no start-up time.
"""

import json
import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import event
from tests.chaos.victim import Fate, Haunted, main

from headwater.app import App
from headwater.documents.cleaning.normalise import normalise
from headwater.engine.context import RetryPolicy
from headwater.engine.engine import Engine
from headwater.liveness import owner_name
from headwater.model.outcomes import ExtractHints, Reading
from headwater.ops.installation_lock import release_dead_owners
from headwater.runtime.replay_pool import is_settled
from headwater.runtime.worker_loop import run_round
from headwater.settings.settings import Settings
from headwater.store.claims import replay as replaying
from headwater.store.claims import replay_apply as replacing
from headwater_recipes.crypto import recipe

RECIPE = "crypto"
CALLS = ("claim_replays", "finish_replay", "advance_replay", "claim_documents", "finish_refine")


def anew(extract):
    """The changed code."""

    def read(data, hints):
        found = extract(data, hints)
        return (
            replace(found, text=f"{found.text}\n\nThe end.", image="x")
            if isinstance(found, Reading)
            else found
        )

    return read


def changed():
    """Made, and used once, before anybody is born: no child need learn how to read."""
    known = recipe()
    extract = {kind: anew(one) for kind, one in known.extract.items()}
    extract["text/html"](
        b"<html><body><p>Some words.</p></body></html>", ExtractHints(media_type="text/html")
    )
    return replace(known, steps=(normalise,), extract=extract, grouping=None)


CHANGED = changed()


def live(command: dict) -> None:
    replaying.LISTED_AT_ONCE, replacing.REPLACED_AT_ONCE, replacing.MOST_WAITING = 15, 6, 12
    fate = Fate(command["kill_at"])
    app = App(
        Settings(data=command["data"], log_level="error"),
        retry_policy=RetryPolicy(batch=7, max_attempts=50, max_worker_deaths=50),
    )
    release_dead_owners(app)
    app.__dict__["recipes"] = {RECIPE: CHANGED}
    haunted = Haunted(app.store, "store", fate, CALLS)
    context = replace(app.context(owner_name("victim"), fetching=False), store=haunted)
    event.listen(app.store.engine, "before_cursor_execute", lambda *_: fate.passes("inside a transaction"))
    event.listen(app.store.engine, "commit", lambda _: fate.passes("before a commit"))
    engine, until = Engine(context), time.monotonic() + 60
    while time.monotonic() < until:
        if not run_round(engine, [RECIPE]) and is_settled(app, RECIPE):
            break
    Path(command["data"], "moments.json").write_text(json.dumps(fate.moments))


if __name__ == "__main__":
    main(live)
