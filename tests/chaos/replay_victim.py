"""A worker to be killed while it replays: reads captures again with changed code, or replaces documents.

Started once; forks a child per command (a line of JSON on standard input), so that a kill costs no start-up time.
"""

import json
import time
from dataclasses import replace
from pathlib import Path

from sqlalchemy import event
from tests.chaos.victim import KillPoints, KillSwitch, main
from tests.support.installed_recipes import install_recipes

from headwater.app import App
from headwater.documents.cleaning.normalise import normalise
from headwater.engine.engine import Engine
from headwater.engine.retry_policy import RetryPolicy
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


def changed_extract(extract):
    """The changed code."""

    def read(data, hints):
        reading = extract(data, hints)
        return (
            replace(reading, text=f"{reading.text}\n\nThe end.", image="x")
            if isinstance(reading, Reading)
            else reading
        )

    return read


def changed_recipe():
    """Built, and used once, before the first fork, so that no child has to load it."""
    original = recipe()
    extract = {kind: changed_extract(extract_kind) for kind, extract_kind in original.extract.items()}
    extract["text/html"](
        b"<html><body><p>Some words.</p></body></html>", ExtractHints(media_type="text/html")
    )
    return replace(original, steps=(normalise,), extract=extract, grouping=None)


CHANGED = changed_recipe()


def live(command: dict) -> None:
    replaying.LISTED_AT_ONCE, replacing.REPLACED_AT_ONCE, replacing.MOST_WAITING = 15, 6, 12
    kill_switch = KillSwitch(command["kill_at"])
    app = App(
        Settings(data=command["data"], log_level="error"),
        retry_policy=RetryPolicy(batch=7, max_attempts=50, max_worker_deaths=50),
    )
    release_dead_owners(app)
    install_recipes(app, {RECIPE: CHANGED})
    store = KillPoints(app.store, "store", kill_switch, CALLS)
    context = replace(app.context(owner_name("victim"), fetching=False), store=store)
    event.listen(
        app.store.engine, "before_cursor_execute", lambda *_: kill_switch.passes("inside a transaction")
    )
    event.listen(app.store.engine, "commit", lambda _: kill_switch.passes("before a commit"))
    engine, until = Engine(context), time.monotonic() + 60
    while time.monotonic() < until:
        if not run_round(engine, [RECIPE]) and is_settled(app, RECIPE):
            break
    Path(command["data"], "moments.json").write_text(json.dumps(kill_switch.moments))


if __name__ == "__main__":
    main(live)
