"""The demo as `make run` calls it, and the commands that show its results."""

import json
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from sqlalchemy import update
from tests.flow.command_line import CommandResult, call, call_in, shell

from headwater.app import App
from headwater.cli.demo import demo_start, worker_settings
from headwater.model.errors import Refused
from headwater.model.jobs import Quarantine, State, Task
from headwater.settings.settings import Settings
from headwater.store.claims.quarantine import quarantine_rows
from headwater.store.connect import write_transaction
from headwater.store.schema.flow import documents, leads
from headwater_demo.clock import START

RunCli = Callable[..., CommandResult]
LONG_AGO = datetime(2026, 11, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CommandResult, CommandResult]:
    """A folder in which the demo ran twice, and both outputs."""
    folder = tmp_path_factory.mktemp("demo")
    words = ("demo", "run", "--recipe", "crypto", "--size", "small", "--data", "data")
    first = shell(*words, "--start", START.isoformat(), at=folder)
    return folder / "data", first, call_in(folder, *words)


@pytest.fixture
def run_cli(demo, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> RunCli:
    """Calls a command on the data of the demo."""
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: call(capsys, monkeypatch, "--data", str(demo[0]), *words)


@pytest.fixture
def demo_copy(demo, tmp_path: Path) -> Iterator[App]:
    """A copy of the demo's data that a test may change."""
    shutil.copytree(demo[0], tmp_path / "data")
    app = App(Settings(data=str(tmp_path / "data")))
    yield app
    app.store.engine.dispose()


@pytest.fixture
def run_on_copy(
    demo_copy: App, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> RunCli:
    return lambda *words: call(capsys, monkeypatch, "--data", demo_copy.settings.data, *words)


def test_the_demo_reports_what_came_in_what_was_kept_and_where_it_is_stored(demo):
    _, first, _ = demo
    assert first.code == 0
    for word in ("came in", "kept", "duplicate:text", "this run", "headwater.db", "archive", "explain"):
        assert word in first.out
    assert "Starting the demo internet" in first.err
    assert max(len(line) for line in first.out.splitlines()) <= 80


def test_a_second_run_of_the_demo_adds_nothing(demo):
    folder, _, second = demo
    assert second.code == 0
    assert "nothing new" in second.out
    counts = next(line for line in second.out.splitlines() if line.startswith("kept"))
    assert counts.split()[1] == "0"
    assert len(list((folder / "out" / "crypto" / "articles").iterdir())) == int(counts.split()[2])


def test_the_news_of_the_demo_ends_when_its_first_run_chose(demo, run_cli: RunCli, tmp_path: Path):
    dates = [row["published_at"] for row in run_cli("docs", "list", "--limit", "1000", "--json").records]
    assert START - timedelta(days=1) < max(datetime.fromisoformat(date) for date in dates) <= START
    later = START + timedelta(days=40, minutes=7)
    assert demo_start(demo[0], None, later) == START
    with pytest.raises(Refused, match="another folder"):
        demo_start(demo[0], "2026-12-24", later)
    assert demo_start(tmp_path / "new", None, later) == START + timedelta(days=40)


def test_the_workers_of_the_demo_may_fetch_what_its_user_allowed():
    text = worker_settings(Settings(data="demo", allow=["127.0.0.1:9000"]))
    assert yaml.safe_load(text)["allow"] == ["127.0.0.1:9000"]


def test_g1_each_run_of_the_demo_has_a_row(demo, demo_copy: App):
    runs = demo_copy.pipeline_runs.list_runs("crypto", {})
    assert len(runs) == 2
    assert {run["status"] for run in runs} <= {"completed", "partial"}


def test_the_commands_that_the_demo_proposes_work(demo, run_cli: RunCli):
    _, first, _ = demo
    proposed = [line.split("data ", 2)[-1].split() for line in first.out.splitlines() if " --data " in line]
    assert len(proposed) >= 3
    for words in proposed:
        if words[0] != "serve":  # does not end
            assert run_cli(*words).code == 0


RECORD_COMMANDS = (
    ("status",),
    ("status", "--recipe", "crypto"),
    ("sources", "show", "Ledger Lane"),
    ("sweep", "--dry-run", "--archive"),
)
LISTS = (
    ("docs", "list"),
    ("docs", "list", "--recipe", "crypto", "--state", "duplicate"),
    ("sources", "list"),
)


@pytest.mark.parametrize("words", RECORD_COMMANDS, ids=" ".join)
def test_a_record_is_one_json_document(run_cli: RunCli, words: tuple[str, ...]):
    answer = run_cli(*words, "--json")
    assert answer.code == 0
    assert isinstance(answer.record, dict)


@pytest.mark.parametrize("words", LISTS, ids=" ".join)
def test_a_list_is_one_json_document_per_line_and_a_table_within_80_columns(
    run_cli: RunCli, words: tuple[str, ...]
):
    records = run_cli(*words, "--json").records
    assert records
    assert all(record["recipe"] == "crypto" for record in records)
    table = run_cli(*words).out.splitlines()
    assert len([line for line in table if not line.startswith("There are more")]) == len(records) + 1
    assert max(len(line) for line in table) <= 80


def test_documents_are_found_by_key_by_its_beginning_and_by_address(run_cli: RunCli):
    listed = run_cli("docs", "list", "--limit", "1", "--json").record
    for name in (listed["id"], listed["id"][:8], listed["url"]):
        assert run_cli("docs", "show", name, "--json").record["id"] == listed["id"]
    shown = run_cli("docs", "show", listed["id"]).out
    assert listed["title"][:30] in shown
    assert "published" in shown
    for unknown_name in ("zzz", listed["id"][:7], "http://nowhere.example/"):
        answer = run_cli("docs", "show", unknown_name)
        assert (answer.code, answer.out) == (1, "")
        assert "docs list" in answer.err


def test_a_duplicate_is_explained_from_its_source_to_its_original(run_cli: RunCli):
    duplicate = run_cli("docs", "list", "--state", "duplicate", "--limit", "1", "--json").record
    explanation = run_cli("explain", duplicate["id"], "--json").record
    assert explanation["edges"][0]["to_id"] == duplicate["duplicate_of"]
    output = run_cli("explain", duplicate["id"]).out
    for word in ("listed by", "captured", "sha256", "made by", "normalise", "fields", "title from"):
        assert word in output.replace("     ", " ")
    assert "is a duplicate of" in output
    assert duplicate["duplicate_of"][:12] in output
    assert max(len(line) for line in output.splitlines()) <= 80


def test_a_list_names_the_original_of_a_duplicate_and_says_that_there_are_more(run_cli: RunCli):
    duplicates = ("docs", "list", "--state", "duplicate", "--limit", "1")
    row = run_cli(*duplicates, "--json").record
    answer = run_cli(*duplicates)
    listing = answer.out
    assert "duplicate:url" in answer.err
    assert "duplicate:url" not in run_cli(*duplicates, "--source", row["source"]).err
    assert f"[copy of {row['duplicate_of'][:8]}]" in listing
    assert "There are more; --limit 4" in listing
    assert row["duplicate_of"] in run_cli("docs", "show", row["id"]).out
    everything = run_cli("docs", "list", "--limit", "1000").out
    assert "There are more" not in everything


def test_a_kept_document_is_explained_with_its_fingerprints_its_story_and_its_delivery(run_cli: RunCli):
    document = run_cli("docs", "list", "--limit", "1", "--json").record
    output = run_cli("explain", document["url"]).out
    for word in ("recognised by", "stories", "delivered", "articles: done", "receipt"):
        assert word in output


def test_text_from_outside_cannot_control_the_terminal(demo_copy: App, run_on_copy: RunCli):
    with write_transaction(demo_copy.store.engine) as connection:
        connection.execute(update(documents).values(title="gone \x1b[2J\x9b31m \u202eback [bold]x[/bold]"))
    for words in (("docs", "list"), ("docs", "list", "--state", "duplicate")):
        out = run_on_copy(*words).out
        assert "gone" in out
        assert not {"\x1b", "\x9b", "\u202e"} & set(out)


def test_sources_are_paused_resumed_and_reset(run_on_copy: RunCli):
    def show_source(name: str) -> dict:
        return run_on_copy("sources", "show", name, "--json").record

    assert run_on_copy("sources", "pause", "Ledger Lane").code == 0
    assert show_source("Ledger Lane")["active"] is False
    assert run_on_copy("sources", "resume", "Ledger Lane").code == 0
    assert show_source("Ledger Lane")["active"] is True
    assert "due now" in run_on_copy("sources", "reset", show_source("Ledger Lane")["id"]).out
    missing = run_on_copy("sources", "pause", "Unknown Gazette")
    assert missing.code == 1
    assert "sources list" in missing.err


def test_a_source_is_removed_and_what_it_found_stays(run_on_copy: RunCli):
    listed = run_on_copy("sources", "remove", "Ledger Lane")
    assert (listed.code, "in the list of its recipe" in listed.err) == (1, True)
    new = ("sources", "add", "crypto", "https://new.example/feed", "--no-check", "--name", "New")
    assert run_on_copy(*new).code == 0
    assert run_on_copy("sources", "remove", "New", "--json").record["items"] == 0
    assert run_on_copy("sources", "show", "New").code == 1
    source = run_on_copy("sources", "show", "Ledger Lane", "--json").record
    again = ("sources", "add", "crypto", source["url"], "--no-check", "--name", "Ledger Lane", "--replace")
    assert run_on_copy(*again).code == 0
    count = len(run_on_copy("docs", "list", "--source", "Ledger Lane", "--limit", "1000", "--json").records)
    removed = run_on_copy("sources", "remove", "Ledger Lane")
    assert "that it found stay" in removed.out
    assert "Ledger Lane" not in run_on_copy("sources", "list").out
    kept = run_on_copy("docs", "list", "--source", "Ledger Lane", "--limit", "1000", "--json").records
    assert len(kept) == count > 0
    assert run_on_copy(*again).code == 0
    assert run_on_copy("sources", "show", "Ledger Lane", "--json").record["active"]


def _quarantine_document(app: App) -> str:
    """Puts one document into quarantine as a failing step would; returns its key."""
    key = app.catalogue.documents("crypto", [State.KEPT], 1)[0]["id"]
    why = Quarantine(reason="error:ValueError", detail="it broke", evidence={"part": "third"})
    with write_transaction(app.store.engine) as connection:
        quarantine_rows(connection, "crypto", Task.REFINE, [(key, 3, why)], app.clock())
        connection.execute(update(documents).where(documents.c.id == key).values(state=State.QUARANTINED))
    return key


def test_quarantined_records_are_listed_shown_and_retried(demo_copy: App, run_on_copy: RunCli):
    key = _quarantine_document(demo_copy)
    assert run_on_copy("quarantine", "list", "--json").record["record_id"] == key
    assert "error:ValueError" in run_on_copy("quarantine", "list").out
    shown = run_on_copy("quarantine", "show", key[:8]).out
    assert "it broke" in shown
    assert "third" in shown
    assert run_on_copy("quarantine", "retry", key[:10], "--json").record == {"count": 1}
    document = run_on_copy("docs", "show", key, "--json").record
    assert (document["state"], document["attempts"]) == ("waiting", 0)
    assert run_on_copy("quarantine", "list").out.strip() == "The quarantine is empty."


def test_quarantined_records_are_dropped_with_the_operators_reason(demo_copy: App, run_on_copy: RunCli):
    key = _quarantine_document(demo_copy)
    assert run_on_copy("quarantine", "drop", "--recipe", "crypto").out.strip() == "1 record dropped."
    document = run_on_copy("docs", "show", key, "--json").record
    assert (document["state"], document["reason"]) == ("dropped", "operator:error:ValueError")


def test_the_quarantine_commands_require_records_or_a_recipe(run_on_copy: RunCli):
    assert run_on_copy("quarantine", "drop").code == 2
    assert run_on_copy("quarantine", "retry", "12345678", "--recipe", "crypto").code == 2
    unknown = run_on_copy("quarantine", "retry", "1234abcd")
    assert unknown.code == 1
    assert "quarantine list" in unknown.err


def _lease(app: App, owner: str, until: datetime) -> None:
    with write_transaction(app.store.engine) as connection:
        connection.execute(update(leads).values(due_at=LONG_AGO, lease_owner=owner, lease_until=until))


def test_a_sweep_frees_leases_that_have_run_out(demo_copy: App, run_on_copy: RunCli):
    _lease(demo_copy, "another-machine:1:1:local", LONG_AGO)
    freed = run_on_copy("sweep", "--json").record
    assert freed["freed_expired"] == sum(
        demo_copy.catalogue.status("crypto", demo_copy.clock())["leads"].values()
    )
    assert demo_copy.store.lease_owners() == set()


def _age(app: App, *, hours: float) -> None:
    import os

    for path in (app.settings.folder / "archive").rglob("*"):
        modified_at = path.stat().st_mtime - hours * 3600
        os.utime(path, (modified_at, modified_at))


def test_a_sweep_removes_old_archive_objects_without_rows(demo_copy: App, run_on_copy: RunCli):
    archive = demo_copy.settings.folder / "archive"
    packs_before = set(archive.rglob("*.warc.gz"))
    (archive / "ab").mkdir(exist_ok=True)
    stray = archive / "ab" / f"{'ab' * 32}.warc.gz"
    stray.write_bytes(b"left by a worker that died")
    assert run_on_copy("sweep", "--archive", "--json").record["orphans"] == 0
    _age(demo_copy, hours=2)
    assert run_on_copy("sweep", "--archive", "--dry-run", "--json").record["orphans"] == 1
    assert stray.exists()
    assert run_on_copy("sweep", "--archive", "--json").record["orphans"] == 1
    assert set(archive.rglob("*.warc.gz")) == packs_before


def test_a_sweep_of_the_archive_waits_for_workers(demo_copy: App, run_on_copy: RunCli):
    stray = demo_copy.settings.folder / "archive" / "cd" / f"{'cd' * 32}.warc.gz"
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"being written")
    _age(demo_copy, hours=2)
    _lease(demo_copy, "another-machine:1:1:network", datetime(2099, 1, 1, tzinfo=UTC))
    answer = run_on_copy("sweep", "--archive")
    assert answer.code == 1
    assert "workers are active" in answer.err
    assert stray.exists()


def test_the_status_as_json_names_every_place(demo_copy: App, run_on_copy: RunCli):
    places = run_on_copy("status", "--json").record["places"]
    assert json.dumps(places).count(demo_copy.settings.data) == 3


def test_a_sample_is_drawn_judged_and_summed_up(run_on_copy: RunCli):
    words = ("sample", "draw", "crypto", "--share", "0.2", "--seed", "spring", "--json")
    drawn, again = (json.loads(run_on_copy(*words).out) for _ in range(2))
    assert (drawn["sample"], drawn["new"] > 1, again["new"]) == ("crypto-spring", True, 0)
    records = [json.loads(line) for line in run_on_copy("sample", "list", "--json").out.splitlines()]
    ids = [record["document_id"] for record in records if "document_id" in record]
    assert len(ids) == drawn["drawn"]
    verdicts = [("right", ()), ("wrong", ("--field", "title", "--why", "half of the headline is missing"))]
    for document, (verdict, options) in zip(ids, verdicts, strict=False):
        result = run_on_copy("sample", "verdict", document[:12], verdict, "--by", "Ada Vane", *options)
        assert (result.code, f"{verdict} by Ada Vane" in result.out) == (0, True)
    shown = run_on_copy("sample", "list", "crypto-spring").out
    assert "precision 50.0% (95 % interval 9.5% to 90.5%)" in " ".join(shown.split())
    *_, last = run_on_copy("sample", "list", "--open", "--json").out.splitlines()
    assert json.loads(last)["summary"]["open"] == len(ids) - 2
    assert run_on_copy("sample", "verdict", "00000000", "right").code == 1


def test_status_and_health_show_the_uptime_of_the_installation(run_on_copy: RunCli):
    assert "uptime: " in run_on_copy("status").out
    uptime = json.loads(run_on_copy("status", "--json").out)["uptime"]
    assert 0 < uptime["last_24_hours"] <= 1
    assert uptime["since"] is not None
    assert "uptime: " in run_on_copy("health").out
