"""A worker to be killed: runs the crypto recipe inline and kills itself with SIGKILL at a chosen moment.

Started once; forks a child per command (a line of JSON on standard input), so that a kill costs no start-up time.
"""

import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from sqlalchemy import event

from headwater.app import App
from headwater.documents.cleaning.normalise import normalise
from headwater.documents.dedupe.drop_duplicates import DropDuplicates
from headwater.documents.dedupe.rules import DEFAULT
from headwater.engine.retry_policy import RetryPolicy
from headwater.liveness import owner_name
from headwater.model.outcomes import ExtractHints
from headwater.ops.installation_lock import release_dead_owners
from headwater.recipes.loader import load_recipes
from headwater.runtime.inline import run_inline
from headwater.settings.recipes import RecipeSettings
from headwater.settings.settings import Settings
from headwater.store.connect import connect
from headwater.store.migrate import migrate

KILLED_AT = "killed_at.txt"
KillAt = int | str | dict | None
"""A position in the run, the first moment of a kind, or the first one `after` some moments that is of one of these `kinds`."""


class KillSwitch:
    """Counts moments and ends the process at the chosen one. Writes its kind to a file first, if there is a folder."""

    def __init__(self, kill_at: KillAt, folder: Path | None = None) -> None:
        self.kill_at, self.folder = kill_at, folder
        self.moments: list[str] = []

    def passes(self, moment: str) -> None:
        if self._is_chosen(moment):
            os.kill(os.getpid(), signal.SIGKILL)

    def strikes_within(self, moment: str, microseconds: int) -> None:
        """Kill the process while the next call is under way."""
        if self._is_chosen(moment):
            threading.Thread(target=self._strike, args=(microseconds / 1e6,)).start()

    def _is_chosen(self, moment: str) -> bool:
        self.moments.append(moment)
        position = len(self.moments) - 1
        if isinstance(self.kill_at, dict):
            is_chosen = position >= self.kill_at["after"] and moment in self.kill_at["kinds"]
        else:
            is_chosen = self.kill_at in {moment, position}
        if is_chosen and self.folder is not None:
            (self.folder / KILLED_AT).write_text(moment)
        return is_chosen

    @staticmethod
    def _strike(seconds: float) -> None:
        time.sleep(seconds)
        os.kill(os.getpid(), signal.SIGKILL)


class KillPoints:
    """Wraps any part; the process may be killed before, during or after its calls."""

    def __init__(self, part: object, name: str, kill_switch: KillSwitch, calls: tuple[str, ...]) -> None:
        self._part, self._name, self._kill_switch, self._calls = part, name, kill_switch, calls

    def __getattr__(self, call: str):
        method = getattr(self._part, call)
        if call not in self._calls:
            return method

        def call_with_kill_points(*arguments, **options):
            self._kill_switch.passes(f"before {self._name}.{call}")
            if call == "put":
                self._kill_switch.strikes_within(
                    "during archive write", 20 + 37 * (len(self._kill_switch.moments) % 9)
                )
            result = method(*arguments, **options)
            self._kill_switch.passes(f"after {self._name}.{call}")
            return result

        return call_with_kill_points


class OneByOneSink:
    """A sink that sends envelopes one at a time, with a moment between them, and logs each one that it sent."""

    def __init__(self, sink: object, kill_switch: KillSwitch, log: Path) -> None:
        self.sink, self.kill_switch, self.log = sink, kill_switch, log

    def send(self, envelopes):
        outcomes = []
        for envelope in envelopes:
            outcomes += self.sink.send([envelope])
            with self.log.open("a") as file:
                file.write(envelope.key + "\n")
            self.kill_switch.passes("between deliveries")
        return outcomes


def build(command: dict, kill_switch: KillSwitch) -> tuple[App, object]:
    settings = Settings(
        data=command["data"],
        database=command.get("database"),
        hosts={"*.example": command["base_url"]},
        requests_per_second=0,
        log_level="error",
        recipes={"crypto": RecipeSettings(sources=command["sources"])},
    )
    app = App(
        settings, retry_policy=RetryPolicy(batch=command["batch"], max_attempts=50, max_worker_deaths=50)
    )
    recipe = app.recipe("crypto")
    app.store.register(recipe.sources, app.clock())
    release_dead_owners(app)
    context = app.context(owner_name("victim"), fetching=True)
    # Which of two versions of a story came first depends on the order, and so does what the near rule decides; the
    # exact rules must decide the same in any order.
    exact = DropDuplicates(replace(DEFAULT, rules=DEFAULT.rules[:3]))
    eager = replace(recipe, steps=(normalise, exact), grouping=replace(recipe.grouping, settle=timedelta(0)))
    engine = app.store.engine
    event.listen(engine, "before_cursor_execute", lambda *_: kill_switch.passes("inside a transaction"))
    event.listen(engine, "commit", lambda _: kill_switch.passes("before a commit"))
    store_calls = tuple(
        f"{action}_{records}"
        for action, tables in {
            "claim": ("sources", "leads", "documents", "groups", "deliveries"),
            "finish": ("poll", "fetch", "refine", "gather", "deliver"),
        }.items()
        for records in tables
    )
    return app, replace(
        context,
        recipes={"crypto": eager},
        store=KillPoints(app.store, "store", kill_switch, store_calls),
        archive=KillPoints(app.archive, "archive", kill_switch, ("put", "get")),
        fetcher=KillPoints(context.fetcher, "fetcher", kill_switch, ("submit", "collect")),
        sinks={"files": OneByOneSink(app.sinks["files"], kill_switch, Path(command["data"]) / "sent.log")},
    )


def live(command: dict) -> None:
    kill_switch = KillSwitch(command["kill_at"], Path(command["data"]))
    _, context = build(command, kill_switch)
    idle = run_inline(context, ["crypto"], horizon=timedelta(minutes=5), longest=timedelta(minutes=5))
    Path(command["data"], "moments.json").write_text(json.dumps(kill_switch.moments if idle else None))


def warm() -> None:
    """Load what every worker would load for itself: there are many, and all are forked from this process."""
    recipes = load_recipes(Settings(log_level="error")).recipes
    with tempfile.TemporaryDirectory() as folder:
        engine = connect(f"sqlite:///{folder}/headwater.db")
        migrate(engine)
        engine.dispose()
    hints = ExtractHints(url="http://harbour.example/ferry", media_type="text/html")
    recipes["crypto"].extract["text/html"](b"<title>Ferry</title><p>The ferry leaves at noon.</p>", hints)


def main(life: Callable[[dict], None]) -> None:
    warm()
    for line in sys.stdin:
        command = json.loads(line)
        child = os.fork()
        if child == 0:
            try:
                life(command)
            except BaseException as error:  # noqa: BLE001 - reported to the test, which fails on it
                Path(command["data"], "error.txt").write_text(repr(error))
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), flush=True)


if __name__ == "__main__":
    main(live)
