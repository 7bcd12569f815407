"""`headwater replay` as operators call it, and killed while it reads."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.flow.command_line import Answer, call
from tests.support import child_process
from tests.support.deadline import DEADLINE
from tests.support.journal_recipe import RECIPE, children
from tests.support.scene import Scene
from tests.support.worker_processes import WorkerProcesses, worker_processes

from headwater.store.admin.replays import Replays
from headwater.store.migrate import migrate
from headwater.store.schema.flow import documents
from headwater.store.sql_store import SqlStore
from headwater_demo.internet import Internet, running

Ask = Callable[..., Answer]
ARTICLES = 40  # in the small internet

# The same recipe after a change of code: a picture where there was none, a line more; and time to be killed in.
CHANGED = """
import os
import time
from dataclasses import dataclass, replace
from headwater.model.outcomes import Reading
from headwater.documents.cleaning.normalise import normalise
from headwater_recipes.crypto import recipe as crypto

def anew(extract):
    def read(data, hints):
        time.sleep(float(os.environ.get("TRIAL_PAUSE", "0")))
        found = extract(data, hints)
        if not isinstance(found, Reading):
            return found
        return replace(found, image=found.image or "https://wire.example/new.png", text=found.text + "\\n\\nThe end.")
    return read

@dataclass(frozen=True)
class Journal:
    name: str = "journal"
    version: str = "1"

    def __call__(self, batch, context):
        return batch

def recipe():
    known = crypto()
    extract = {kind: anew(one) for kind, one in known.extract.items()}
    return replace(known, name="trial", extract=extract, steps=(normalise, Journal()))
"""


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    with running(size="small") as made:
        yield made


@pytest.fixture
def shop(internet: Internet, tmp_path: Path) -> Iterator[WorkerProcesses]:
    """Everything was read with the old code; the new one is installed."""
    with worker_processes(tmp_path, internet, workers=2) as made:
        assert made.finish(made.start("--until-idle")) == [0], made.output()
        (made.folder / "installed" / "trial_recipe.py").write_text(CHANGED, encoding="utf-8")
        yield made


def _begin(shop: WorkerProcesses, *words: str, **environment: str) -> subprocess.Popen[str]:
    paths = [str(shop.folder / "installed"), *(path for path in sys.path if path)]
    return child_process.start(
        [sys.executable, "-m", "headwater.cli", "--config", str(shop.folder / "headwater.yaml"), *words],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)} | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _ask(shop: WorkerProcesses, *words: str) -> Any:
    process = _begin(shop, *words, "--json")
    out, err = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, err
    return [json.loads(line) for line in out.splitlines()] if words[1] == "report" else json.loads(out)


def _report(shop: WorkerProcesses, name: str) -> dict[str, Any]:
    return {
        row["document_id"]: (row["verdict"], row["differences"])
        for row in _ask(shop, "replay", "report", name)
    }


@pytest.mark.long
def test_killed_in_the_middle_it_goes_on_and_gives_the_same_report(
    shop: WorkerProcesses, open_store: Callable[[str], SqlStore]
):
    store = open_store(shop.url)
    rows, before = Replays(store.engine), Scene(store).rows(documents)
    doomed = _begin(
        shop, "replay", "--from", "raw", "--recipe", RECIPE, "--since", "1d", "--wait", TRIAL_PAUSE="0.05"
    )
    shop.wait_until(lambda: bool(store.lease_owners()))
    shop.wait_until(lambda: len(children(doomed)) > 0)
    os.killpg(doomed.pid, signal.SIGKILL)
    doomed.communicate()
    (killed,) = rows.list_replays(RECIPE)
    assert (killed["state"], killed["compared"] < ARTICLES) == ("running", True)
    ended = _ask(shop, "replay", "resume", killed["id"][:12], "--wait")
    assert (ended["state"], ended["compared"], ended["listed"]) == ("reported", ARTICLES, ARTICLES)
    assert ended["better"] + ended["changed"] == ARTICLES
    assert Scene(store).rows(documents) == before
    assert store.lease_owners() == set()
    seen = _report(shop, killed["id"])
    _ask(shop, "replay", "discard", killed["id"])
    again = _ask(shop, "replay", "--recipe", RECIPE, "--since", "1d", "--wait")
    assert len(seen) == ARTICLES
    assert _report(shop, again["id"]) == seen
    applied = _ask(shop, "replay", "apply", again["id"], "--wait")
    assert (applied["state"], applied["replaced"]) == ("applied", ARTICLES)
    after = Scene(store).rows(documents)
    assert {(row["revision"], row["text"].endswith("The end.")) for row in after} == {(2, True)}
    assert all(row["due_at"] is None for row in after)


@pytest.fixture
def folder(tmp_path: Path, open_store: Callable[[str], SqlStore]) -> Path:
    (tmp_path / "headwater.yaml").write_text(f'data: "{tmp_path / "data"}"\n')
    (tmp_path / "data").mkdir()
    migrate(open_store(f"sqlite:///{tmp_path / 'data' / 'headwater.db'}").engine)
    return tmp_path


@pytest.fixture
def ask(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    def answer(*words: str) -> Answer:
        return call(capsys, monkeypatch, "--config", str(folder / "headwater.yaml"), *words)

    return answer


START = ("replay", "--recipe", "crypto", "--since", "2026-01-01")


def test_a_replay_of_nothing_is_whole_at_once(ask: Ask):
    told = ask(*START, "--json").record
    assert (told["state"], told["compared"], told["expected"]) == ("reported", 0, 0)
    (listed,) = ask("replay", "list", "--json").records
    assert listed["id"] == told["id"]
    assert "crypto" in ask("replay", "list").out
    assert "0 better" in ask("replay", "show", told["id"][:8]).out
    assert ask("replay", "report", told["id"], "--json").records == []
    assert ask("replay", "apply", told["id"]).code == 0
    assert ask("replay", "discard", told["id"], "--json").record["state"] == "discarded"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("replay", "--recipe", "crypto"), "--since"),
        (("replay", "--recipe", "weather", "--since", "1d"), "no recipe 'weather'"),
        (("replay", "--recipe", "crypto", "--since", "tomorrow"), "is not a time"),
        ((*START, "--until", "2025-01-01"), "not before the end"),
        ((*START, "--from", "thin-air"), "raw"),
        (("replay", "show", "abcdef0123"), "replay list"),
        (("replay", "apply", "abcdef0123", "--only", "best"), "not a verdict"),
        (("replay", "apply", "abcdef0123", "--only", "same"), "cannot be applied"),
        (("replay", "report", "abcdef0123", "--verdict", ","), "at least one"),
    ],
)
def test_what_cannot_be_done_is_told_in_a_sentence(ask: Ask, words: tuple[str, ...], told: str):
    answer = ask(*words)
    assert answer.code != 0
    assert told in " ".join(answer.err.split())
    assert "Traceback" not in answer.err
