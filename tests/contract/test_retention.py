"""What the policy no longer keeps goes; what it keeps stays; what is moved can be read elsewhere."""

import os
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet
import pytest
from sqlalchemy import text
from tests.flow.command_line import call
from tests.support.crypto_scene import ask, crypto, drafts, settings_file
from tests.support.scene import RECIPE, START, Scene, ended_result, kept_result, make_lead

from headwater.app import App
from headwater.model.alarm import Problem
from headwater.model.errors import Temporary
from headwater.model.jobs import State, Task
from headwater.ops import retention as cleanup
from headwater.ops.alarms.decision import decide_alarms
from headwater.ops.retention import apply_retention
from headwater.ops.sweep import sweep_records
from headwater.settings.settings import Retention, read_settings
from headwater.store.maintenance.retention import mark_archived
from headwater.store.reads.catalogue import Catalogue
from headwater.store.schema.flow import captures, deliveries, documents, leads, polls
from headwater.store.schema.operations import alarms

pytestmark = pytest.mark.usefixtures("recipe_views")
DAY = timedelta(days=1)


@pytest.fixture
def app(database: str, tmp_path: Path, scene: Scene) -> Iterator[App]:
    opened = App(read_settings(settings_file(tmp_path, database), {}), clock=lambda: scene.now)
    yield opened
    opened.store.engine.dispose()


def app_that_keeps(app: App, **days: int) -> App:
    forever = {"polls": 0, "alarms": 0, "captures": 0, "documents": 0}
    settings = msgspec.structs.replace(app.settings, retention=Retention(**(forever | days)))
    opened = App(settings, clock=app.clock)
    vars(opened).update(store=app.store, engine=app.engine)
    return opened


def articles(app: App) -> dict[str, dict[str, Any]]:
    return {row["title"]: row for row in ask(app.store.engine, "SELECT * FROM articles")}


def test_c33_old_runs_go_and_a_stopped_source_stays_stopped(app: App, scene: Scene):
    source = crypto()
    scene.poll(source=source, error="http_500", failures=10, stop_reason="10 failures in a row")
    running = crypto("Running")
    scene.store.register([running], scene.now)
    scene.claim(Task.POLL, keys=(running.id,), recipe="crypto")
    scene.now += 20 * DAY
    scene.poll(source=crypto("Fresh"))
    assert apply_retention(app_that_keeps(app, polls=14))["polls"] == 1
    assert {row["status"] for row in scene.rows(polls)} == {"running", "completed"}
    (lease,) = scene.claim(Task.POLL, keys=(source.id,), recipe="crypto")  # its daily retry
    assert (lease.source.failures, lease.source.stop_reason) == (10, "10 failures in a row")


def test_old_runs_of_recipes_are_removed(app: App, scene: Scene):
    app.pipeline_runs.begin("run", "crypto", {}, scene.now)
    app.pipeline_runs.finish("run", scene.now)
    scene.now += 13 * DAY
    assert apply_retention(app_that_keeps(app, runs=14))["runs"] == 0
    scene.now += 2 * DAY
    assert apply_retention(app_that_keeps(app, runs=14))["runs"] == 1


def test_cleared_alarms_are_removed_with_their_deliveries(app: App, scene: Scene):
    concern = Problem(kind="silent", subject="s", name="S", title="t")
    for concerns in ([concern], []):
        decide = partial(decide_alarms, concerns, now=scene.now)
        app.alarms.settle("crypto", decide, ["ops"], scene.now)
    scene.now += 20 * DAY
    app.alarms.settle("crypto", partial(decide_alarms, [concern], now=scene.now), ["ops"], scene.now)
    scene.now += 20 * DAY
    assert apply_retention(app_that_keeps(app, alarms=14))["alarms"] == 1
    assert scene.row(alarms)["cleared_at"] is None
    assert scene.count(deliveries) == 1


def test_c30_captures_that_may_be_needed_again_stay(app: App, scene: Scene):
    kept_draft, apart, waiting = scene.drafts("done", "apart", "waiting")
    scene.refine(kept_result(kept_draft), ended_result(apart, State.ASIDE, "js_required"))
    scene.now += 20 * DAY
    assert apply_retention(app_that_keeps(app, captures=14))["captures"] == 1
    assert {row["lead_id"] for row in scene.rows(captures)} == {apart.lead.id, waiting.lead.id}


def test_c30_old_documents_move_to_a_file_and_leave_their_names(app: App, scene: Scene):
    (old,) = drafts(scene, crypto(), "old")
    expected = {
        "guid": "g1",
        "authors": ("Ada Vane",),
        "quality": 0.9,
        "attributes": {"words": 3},
        "published": START,
    }
    scene.refine(kept_result(old, title="Old", text="An old story.", **expected))
    scene.now += 40 * DAY
    (young,) = drafts(scene, crypto(), "young")
    scene.refine(kept_result(young, title="Young"))
    before = articles(app)["Old"]
    result = apply_retention(app_that_keeps(app, documents=30))
    assert result["documents"] == 1
    after = articles(app)
    assert (after["Old"]["status"], after["Old"]["body"], after["Young"]["status"]) == (
        "DELETED",
        None,
        "ACTIVE",
    )
    for name in ("id", "external_id", "guid", "url", "publisher_id"):
        assert after["Old"][name] == before[name]
    row = scene.row(documents, id=old.id)
    assert (row["reason"], row["detail"]) == ("archived", result["files"][0])
    (moved,) = pyarrow.parquet.read_table(app.records.folder / result["files"][0]).to_pylist()
    assert (moved["title"], moved["text"], moved["authors"]) == ("Old", "An old story.", ["Ada Vane"])
    assert moved["published_at"] == START
    assert moved["attributes"] == '{"words":3}'
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 0


def test_c30_archived_documents_are_not_ingested_again(app: App, scene: Scene):
    (old,) = drafts(scene, crypto(), "old")
    scene.refine(kept_result(old))
    scene.now += 40 * DAY
    apply_retention(app_that_keeps(app, documents=30))
    assert scene.poll(make_lead("old", source=crypto(), body="body of old"), source=crypto()) == 0
    assert scene.claim(Task.REFINE, recipe="crypto") == []
    assert scene.row(leads)["state"] == State.DONE


def test_a_file_holds_the_documents_of_one_day(app: App, scene: Scene):
    for _ in range(3):
        first = drafts(scene, crypto(), f"{scene.now:%d}a", f"{scene.now:%d}b")
        scene.refine(*(kept_result(draft) for draft in first))
        scene.now += DAY
    scene.now += 40 * DAY
    files = apply_retention(app_that_keeps(app, documents=30))["files"]
    assert [name[:22] for name in files] == [f"crypto/2026/2026-11-{day}" for day in (13, 14, 15)]
    assert [pyarrow.parquet.read_metadata(app.records.folder / name).num_rows for name in files] == [2, 2, 2]


class WorkerDied(BaseException):
    """Nothing catches it."""


def test_c35_killed_between_file_and_rows_nothing_is_lost_or_duplicated(
    app: App, scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    scene.refine(*(kept_result(draft) for draft in drafts(scene, crypto(), "a", "b")))
    scene.now += 40 * DAY
    with monkeypatch.context() as broken:
        broken.setattr(cleanup, "mark_archived", _die)
        with pytest.raises(WorkerDied):
            apply_retention(app_that_keeps(app, documents=30))
    assert {row["status"] for row in ask(app.store.engine, "SELECT status FROM articles")} == {"ACTIVE"}
    result = apply_retention(app_that_keeps(app, documents=30))
    assert result["documents"] == 2
    assert [path.name for path in app.records.folder.rglob("*.parquet")] == [Path(result["files"][0]).name]


def _die(*_: Any) -> None:
    raise WorkerDied


def rows_of(app: App) -> list[str]:
    """The titles in all files together."""
    paths = app.records.folder.rglob("*.parquet")
    return sorted(row["title"] for path in paths for row in pyarrow.parquet.read_table(path).to_pylist())


def kill_retention(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr(cleanup, "mark_archived", _die)
        with pytest.raises(WorkerDied):
            apply_retention(app)


def test_c35_killed_and_repeated_at_another_hour_the_file_is_the_same(
    app: App, scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    for title in ("Morning", "Evening"):
        (draft,) = drafts(scene, crypto(), title)
        scene.refine(kept_result(draft, title=title))
        scene.now += timedelta(hours=8)
    scene.now = START + 30 * DAY + timedelta(hours=4)  # between the two, were it not for whole days
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 0
    scene.now += DAY
    kill_retention(app_that_keeps(app, documents=30), monkeypatch)
    scene.now += DAY - timedelta(hours=9)
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 2
    assert rows_of(app) == ["Evening", "Morning"]


def test_c35_a_file_that_no_row_names_is_swept(app: App, scene: Scene, monkeypatch: pytest.MonkeyPatch):
    first, late = drafts(scene, crypto(), "first", "late")
    scene.refine(kept_result(first, title="First"))
    scene.now += DAY
    scene.refine(kept_result(late, title="Late"))  # of the same day, but changed since
    scene.now = START + 31 * DAY
    kill_retention(app_that_keeps(app, documents=30), monkeypatch)
    scene.now += DAY
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 2
    assert rows_of(app) == ["First", "First", "Late"]
    for path in app.records.folder.rglob("*.parquet"):
        os.utime(path, (scene.now.timestamp(),) * 2)
    assert sweep_records(app, dry_run=False) == 0  # too young
    scene.now += timedelta(hours=2)
    assert [sweep_records(app, dry_run=dry) for dry in (True, False, False)] == [1, 1, 0]
    assert rows_of(app) == ["First", "Late"]


def test_c35_no_row_changes_for_a_file_that_was_swept(
    app: App, scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    scene.refine(*(kept_result(draft) for draft in drafts(scene, crypto(), "a")))
    scene.now += 40 * DAY
    really = cleanup._write

    def swept(files: Any, rows: Any) -> str:
        name = really(files, rows)
        files.remove([name])
        return name

    monkeypatch.setattr(cleanup, "_write", swept)
    with pytest.raises(Temporary, match="was removed"):
        apply_retention(app_that_keeps(app, documents=30))
    assert scene.row(documents)["state"] == State.KEPT
    monkeypatch.undo()
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 1


def test_a_document_that_changes_meanwhile_stays(app: App, scene: Scene, monkeypatch: pytest.MonkeyPatch):
    (draft,) = drafts(scene, crypto(), "a")
    scene.refine(kept_result(draft))
    scene.now += 40 * DAY
    really = cleanup.write_parquet

    def slowly(rows: Any, file: Any) -> int:
        with app.store.engine.begin() as connection:
            connection.execute(text("UPDATE documents SET revision = 2"))
        return really(rows, file)

    monkeypatch.setattr(cleanup, "write_parquet", slowly)
    assert apply_retention(app_that_keeps(app, documents=30))["documents"] == 0
    assert scene.row(documents)["state"] == State.KEPT


def test_c30_a_dry_run_counts_and_changes_nothing(app: App, scene: Scene):
    scene.refine(*(kept_result(draft) for draft in drafts(scene, crypto(), "a", "b")))
    scene.drafts("page")
    scene.now += 40 * DAY
    everything = app_that_keeps(app, polls=14, alarms=14, captures=14, documents=14)
    tables = (polls, alarms, captures, documents)
    before = [scene.rows(table) for table in tables]
    result = apply_retention(everything, dry_run=True)
    assert {name: result[name] for name in ("polls", "alarms", "captures", "documents")} == {
        "polls": 2,
        "alarms": 0,
        "captures": 0,
        "documents": 2,
    }
    assert [scene.rows(table) for table in tables] == before
    assert not app.records.folder.exists()


def test_nothing_is_removed_where_the_policy_keeps_for_ever(app: App, scene: Scene):
    scene.refine(*(kept_result(draft) for draft in drafts(scene, crypto(), "a")))
    scene.now += 4_000 * DAY
    result = apply_retention(app_that_keeps(app))
    assert [result[name] for name in ("polls", "alarms", "captures", "documents")] == [0, 0, 0, 0]
    assert scene.count(polls) == 1


def test_c33_the_command_cleans_up_and_reports(
    database: str,
    scene: Scene,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    scene.now -= 1_000 * DAY
    scene.poll(source=crypto())
    path = settings_file(tmp_path, database, "retention: {polls: 14, tables: {orders: 7}}")
    words = ("--config", str(path), "cleanup")
    dry_run = call(capsys, monkeypatch, *words, "--dry-run").out
    assert "1 poll, 0 rows of orders would be removed" in dry_run
    assert call(capsys, monkeypatch, *words, "--json").record["polls"] == 1
    assert scene.count(polls) == 0


def test_a_negative_policy_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    path = settings_file(tmp_path, "sqlite:///x.db", "retention: {polls: -1}")
    answer = call(capsys, monkeypatch, "--config", str(path), "cleanup")
    assert answer.code == 1
    assert "days cannot be negative" in answer.err


def test_documents_that_were_moved_to_files_are_not_shown_as_dropped(scene: Scene):
    kept, dropped = scene.drafts("kept", "dropped")
    scene.refine(kept_result(kept), ended_result(dropped, State.DROPPED, "too_short"))
    engine, catalogue = scene.store.engine, Catalogue(scene.store.engine)
    assert mark_archived(engine, [(kept.id, 1)], "trial/2026/x.parquet", scene.now, lambda _: True) == 1
    status = catalogue.status(RECIPE, scene.now)
    assert status["documents"] == {"archived": 1, "dropped": 1}
    assert status["ended"] == {"too_short": 1}
    assert [row["id"] for row in catalogue.documents(RECIPE, [State.DROPPED], 10)] == [dropped.id]
    assert {row["state"] for row in catalogue.documents(RECIPE, [], 10)} == {"archived", "dropped"}
