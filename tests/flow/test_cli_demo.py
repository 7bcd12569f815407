"""The demo, as `make run` calls it, and everything one can look at afterwards."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import update
from tests.flow.command_line import Answer, call, shell

from headwater.app import App
from headwater.model.jobs import Quarantine, State, Task
from headwater.settings.settings import Settings
from headwater.store.claims.quarantine import quarantine_rows
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents, leads

Ask = Callable[..., Answer]
LONG_AGO = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Answer, Answer]:
    """A folder in which the demo ran twice, with what it said."""
    folder = tmp_path_factory.mktemp("demo")
    runs = [
        shell("demo", "run", "--recipe", "crypto", "--size", "small", "--data", "data", at=folder)
        for _ in range(2)
    ]
    return folder / "data", runs[0], runs[1]


@pytest.fixture
def ask(demo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask about the demo's data."""
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: call(capsys, monkeypatch, "--data", str(demo[0]), *words)


@pytest.fixture
def own(demo, tmp_path: Path) -> Iterator[App]:
    """A copy of the demo's data that may be changed."""
    shutil.copytree(demo[0], tmp_path / "data")
    app = App(Settings(data=str(tmp_path / "data")))
    yield app
    app.store.engine.dispose()


@pytest.fixture
def tell(own: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Ask:
    return lambda *words: call(capsys, monkeypatch, "--data", own.settings.data, *words)


def test_the_demo_tells_what_came_in_what_was_kept_and_where_it_lies(demo):
    _, first, _ = demo
    assert first.code == 0
    for word in ("came in", "kept", "duplicate:text", "this run", "headwater.db", "archive", "explain"):
        assert word in first.out
    assert "Starting the demo internet" in first.err
    assert max(len(line) for line in first.out.splitlines()) <= 80


def test_the_demo_run_again_adds_nothing(demo):
    folder, _, second = demo
    assert second.code == 0
    assert "nothing new" in second.out
    counts = next(line for line in second.out.splitlines() if line.startswith("kept"))
    assert counts.split()[1] == "0"
    assert len(list((folder / "out" / "articles").iterdir())) == int(counts.split()[2])


def test_the_commands_that_the_demo_proposes_work(demo, ask: Ask):
    _, first, _ = demo
    proposed = [line.split("data ", 2)[-1].split() for line in first.out.splitlines() if " --data " in line]
    assert len(proposed) >= 3
    for words in proposed:
        assert ask(*words).code == 0


DATA_VERBS = (
    ("status",),
    ("status", "crypto"),
    ("sources", "show", "Ledger Lane"),
    ("sweep", "--dry-run", "--archive"),
)
LISTS = (("docs", "list"), ("docs", "list", "crypto", "--state", "duplicate"), ("sources", "list"))


@pytest.mark.parametrize("words", DATA_VERBS, ids=" ".join)
def test_a_record_is_one_json_document(ask: Ask, words: tuple[str, ...]):
    answer = ask(*words, "--json")
    assert answer.code == 0
    assert isinstance(answer.record, dict)


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
def test_a_list_is_one_json_document_per_line_and_a_table_within_80_columns(ask: Ask, words: tuple[str, ...]):
    found = ask(*words, "--json").records
    assert found
    assert all(record["recipe"] == "crypto" for record in found)
    table = ask(*words).out.splitlines()
    assert len(table) == len(found) + 1
    assert max(len(line) for line in table) <= 80


def test_documents_are_found_by_key_by_its_beginning_and_by_address(ask: Ask):
    listed = ask("docs", "list", "--limit", "1", "--json").record
    for name in (listed["id"], listed["id"][:8], listed["url"]):
        assert ask("docs", "show", name, "--json").record["id"] == listed["id"]
    shown = ask("docs", "show", listed["id"]).out
    assert listed["title"][:30] in shown
    assert "published" in shown
    for stranger in ("zzz", listed["id"][:7], "http://nowhere.example/"):
        answer = ask("docs", "show", stranger)
        assert (answer.code, answer.out) == (1, "")
        assert "docs list" in answer.err


def test_a_duplicate_is_explained_from_its_source_to_its_end(ask: Ask):
    found = ask("docs", "list", "--state", "duplicate", "--limit", "1", "--json").record
    story = ask("explain", found["id"], "--json").record
    assert story["edges"][0]["to_id"] == found["duplicate_of"]
    told = ask("explain", found["id"]).out
    for word in ("listed by", "captured", "sha256", "made by", "normalise", "fields", "title from"):
        assert word in told.replace("     ", " ")
    assert "is a duplicate of" in told
    assert found["duplicate_of"][:12] in told
    assert max(len(line) for line in told.splitlines()) <= 80


def test_a_kept_document_is_explained_with_its_marks_its_story_and_its_delivery(ask: Ask):
    found = ask("docs", "list", "--limit", "1", "--json").record
    told = ask("explain", found["url"]).out
    for word in ("recognised by", "stories", "delivered", "articles: done", "receipt"):
        assert word in told


def test_words_from_outside_cannot_steer_the_terminal(own: App, tell: Ask):
    with write_transaction(own.store.engine) as connection:
        connection.execute(update(documents).values(title="\x1b[2Jgone\x9b31m \u202eback [bold]x[/bold]"))
    for words in (("docs", "list"), ("docs", "list", "--state", "duplicate")):
        out = tell(*words).out
        assert "gone" in out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)


def test_sources_are_paused_resumed_and_reset(tell: Ask):
    def standing(name: str) -> dict:
        return tell("sources", "show", name, "--json").record

    assert tell("sources", "pause", "Ledger Lane").code == 0
    assert standing("Ledger Lane")["active"] is False
    assert tell("sources", "resume", "Ledger Lane").code == 0
    assert standing("Ledger Lane")["active"] is True
    assert "due now" in tell("sources", "reset", standing("Ledger Lane")["id"]).out
    missing = tell("sources", "pause", "Nobody's Gazette")
    assert missing.code == 1
    assert "sources list" in missing.err


def _set_apart(app: App) -> str:
    """Put one document into quarantine, the way a failing step would; gives its key."""
    key = app.catalogue.documents("crypto", [State.KEPT], 1)[0]["id"]
    why = Quarantine(reason="error:ValueError", detail="it broke", evidence={"part": "third"})
    with write_transaction(app.store.engine) as connection:
        quarantine_rows(connection, "crypto", Task.REFINE, [(key, 3, why)], app.clock())
        connection.execute(update(documents).where(documents.c.id == key).values(state=State.QUARANTINED))
    return key


def test_quarantined_records_are_listed_shown_and_sent_again(own: App, tell: Ask):
    key = _set_apart(own)
    assert tell("quarantine", "list", "--json").record["record_id"] == key
    assert "error:ValueError" in tell("quarantine", "list").out
    shown = tell("quarantine", "show", key[:8]).out
    assert "it broke" in shown
    assert "third" in shown
    assert tell("quarantine", "retry", key[:10], "--json").record == {"count": 1}
    document = tell("docs", "show", key, "--json").record
    assert (document["state"], document["attempts"]) == ("waiting", 0)
    assert tell("quarantine", "list").out.strip() == "The quarantine is empty."


def test_quarantined_records_are_dropped_with_the_operators_reason(own: App, tell: Ask):
    key = _set_apart(own)
    assert tell("quarantine", "drop", "--all", "crypto").out.strip() == "1 record dropped."
    document = tell("docs", "show", key, "--json").record
    assert (document["state"], document["reason"]) == ("dropped", "operator:error:ValueError")


def test_the_quarantine_does_nothing_without_saying_to_what(tell: Ask):
    assert tell("quarantine", "drop").code == 2
    assert tell("quarantine", "retry", "12345678", "--all", "crypto").code == 2
    stranger = tell("quarantine", "retry", "1234abcd")
    assert stranger.code == 1
    assert "quarantine list" in stranger.err


def _lease(app: App, owner: str, until: datetime) -> None:
    with write_transaction(app.store.engine) as connection:
        connection.execute(update(leads).values(due_at=LONG_AGO, lease_owner=owner, lease_until=until))


def test_a_sweep_frees_leases_that_have_run_out(own: App, tell: Ask):
    _lease(own, "another-machine:1:1:desk", LONG_AGO)
    freed = tell("sweep", "--json").record
    assert freed["freed_expired"] == sum(own.catalogue.status("crypto", own.clock())["leads"].values())
    assert own.store.lease_owners() == set()


def _age(app: App, *, hours: float) -> None:
    import os

    for path in (app.settings.folder / "archive").rglob("*"):
        then = path.stat().st_mtime - hours * 3600
        os.utime(path, (then, then))


def test_a_sweep_removes_archive_objects_that_nobody_speaks_of_once_they_are_old(own: App, tell: Ask):
    archive = own.settings.folder / "archive"
    known = set(archive.rglob("*.warc"))
    (archive / "ab").mkdir(exist_ok=True)
    stray = archive / "ab" / f"{'ab' * 32}.warc"
    stray.write_bytes(b"left by a worker that died")
    assert tell("sweep", "--archive", "--json").record["orphans"] == 0
    _age(own, hours=2)
    assert tell("sweep", "--archive", "--dry-run", "--json").record["orphans"] == 1
    assert stray.exists()
    assert tell("sweep", "--archive", "--json").record["orphans"] == 1
    assert set(archive.rglob("*.warc")) == known


def test_a_sweep_of_the_archive_waits_for_workers(own: App, tell: Ask):
    stray = own.settings.folder / "archive" / "cd" / f"{'cd' * 32}.warc"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"being written")
    _age(own, hours=2)
    _lease(own, "another-machine:1:1:network", datetime(2099, 1, 1, tzinfo=UTC))
    answer = tell("sweep", "--archive")
    assert answer.code == 1
    assert "at work" in answer.err
    assert stray.exists()


def test_a_summary_can_be_read_by_a_program(own: App, tell: Ask):
    places = tell("status", "--json").record["places"]
    assert json.dumps(places).count(own.settings.data) == 3
