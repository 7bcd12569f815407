"""The stories of the last hours that most sources report."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from tests.flow.command_line import call
from tests.support.crypto_scene import CRYPTO, crypto, drafts, settings_file
from tests.support.scene import HOUR, ME, START, Scene, ended_result, kept_result, make_lead

from headwater.model.jobs import Draft, GatherResult, State, Task
from headwater.model.story import Member, Story
from headwater.store.reads.top_stories import top_stories


def article(scene: Scene, name: str, path: str, **fields: Any) -> Draft:
    (draft,) = drafts(scene, crypto(name), path)
    scene.refine(
        kept_result(draft, publisher=name, title=path.title(), group="day", published=scene.now, **fields)
    )
    return draft


def gather_stories(scene: Scene, *stories: tuple[str, list[Draft]], **fields: Any) -> None:
    (group_batch,) = scene.claim(Task.GATHER, recipe=CRYPTO)
    gathered_stories = tuple(
        Story(
            id=name,
            recipe=CRYPTO,
            group=group_batch.id,
            title=name.title(),
            members=tuple(Member(draft.id) for draft in documents),
            first_at=scene.now,
            last_at=scene.now,
            **fields,
        )
        for name, documents in stories
    )
    scene.store.finish_gather(
        [GatherResult(group=group_batch.id, version=group_batch.version, stories=gathered_stories)],
        ME,
        scene.now,
    )


def top(engine: Engine, since: datetime = START - HOUR, limit: int = 10) -> list[dict[str, Any]]:
    return top_stories(engine, CRYPTO, since, limit)


def test_c41_the_story_that_most_sources_report_comes_first_with_its_sources(scene: Scene, engine: Engine):
    alone = article(scene, "A", "alone")
    two_articles = [article(scene, "A", "hack"), article(scene, "B", "hack")]
    gather_stories(scene, ("alone", [alone]), ("hack", two_articles))
    first, second = top(engine)
    assert (first["id"], first["told_by"], second["told_by"]) == ("hack", 2, 1)
    assert {teller["publisher"] for teller in first["sources"]} == {"A", "B"}
    assert all(teller["url"].endswith("/hack") for teller in first["sources"])
    assert (first["score_reasons"], first["alert_reasons"]) == ([], [])


def test_c19_copies_by_other_publishers_count_as_sources(scene: Scene, engine: Engine):
    plain = [article(scene, name, "plain") for name in ("A", "B")]
    original = article(scene, "C", "wire")
    for name in ("D", "E"):
        (copy,) = drafts(scene, crypto(name), "wire")
        scene.refine(ended_result(copy, State.DUPLICATE, "duplicate:text", of=original.id))
    again = crypto("F")
    scene.poll(make_lead("wire", source=again, url=original.lead.lead.url), source=again)
    gather_stories(scene, ("plain", plain), ("wire", [original]))
    first, second = top(engine)
    assert (first["id"], first["told_by"]) == ("wire", 4)
    assert [teller["copy"] for teller in first["sources"]] == [False, True, True, True]
    assert {teller["source"] for teller in first["sources"]} == {"C", "D", "E", "F"}
    assert second["told_by"] == 2


def test_what_is_older_is_left_out_and_the_limit_holds(scene: Scene, engine: Engine):
    gather_stories(scene, ("old", [article(scene, "A", "old")]))
    scene.now += 5 * HOUR
    fresh = [article(scene, "A", f"fresh {i}") for i in range(3)]
    gather_stories(scene, ("old", []), *((f"fresh {i}", [draft]) for i, draft in enumerate(fresh)))
    assert len(top(engine, START + HOUR)) == 3
    assert len(top(engine, START + HOUR, limit=2)) == 2


def test_a_score_goes_before_the_number_of_sources(scene: Scene, engine: Engine):
    many = [article(scene, name, "many") for name in "AB"]
    lone_article = article(scene, "A", "one")
    gather_stories(scene, ("many", many), ("one", [lone_article]))
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE stories SET score = 0.9 WHERE id = 'one'")
    assert [story["id"] for story in top(engine)] == ["one", "many"]


def test_c41_the_command_shows_stories_and_prints_json(
    scene: Scene,
    database: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    scene.now = datetime.now(UTC) - HOUR
    gather_stories(
        scene,
        ("hack", [article(scene, "A", "hack"), article(scene, "B", "hack")]),
        score=0.456,
        attributes={"score_reasons": ["Recency adds 0.2."], "alert_reasons": ["it grew"]},
    )
    settings = ("--config", str(settings_file(tmp_path, database)))
    shown = call(capsys, monkeypatch, *settings, "top", "--since", "6h")
    for words in ("1. Hack", "2 sources", "score 0.46", "Last alert: it grew", "Recency adds 0.2."):
        assert words in shown.out
    record = call(capsys, monkeypatch, *settings, "top", "--since", "6h", "--json").record
    assert [story["title"] for story in record["stories"]] == ["Hack"]
    assert record["stories"][0]["score_reasons"] == ["Recency adds 0.2."]
    assert call(capsys, monkeypatch, *settings, "top", "--since", "30m", "--json").record["stories"] == []


def test_g13_the_command_shows_what_changed_in_a_story(
    scene: Scene,
    database: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    scene.now = datetime.now(UTC) - HOUR
    story = "0123456789abcdef01234567"
    gather_stories(scene, (story, [article(scene, "A", "hack"), article(scene, "B", "hack")]))
    settings = ("--config", str(settings_file(tmp_path, database)))
    record = call(capsys, monkeypatch, *settings, "changes", story[:12], "--json").record
    assert (record["story"], len(record["new_reports"]), record["reports_before"]) == (story, 2, 0)
    assert "2 new reports" in call(capsys, monkeypatch, *settings, "changes", story).out
    later = call(capsys, monkeypatch, *settings, "changes", story, "--since", "30m", "--json").record
    assert (later["new_reports"], later["reports_before"]) == ([], 2)
    assert "there is no story" in call(capsys, monkeypatch, *settings, "changes", "ffffffffffff").err
