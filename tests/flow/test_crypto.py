"""Crypto news end to end over the small demo internet, measured against what a perfect reader would find."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.support.environments import EnvironmentUnderTest
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.engine.engine import Engine
from headwater.model.jobs import Job, State, Task
from headwater.store.reads.explanation import explain
from headwater.store.rows import capture_from
from headwater.store.schema.flow import captures, deliveries, leads, polls
from headwater.store.schema.knowledge import edges
from headwater_demo.internet import running


@pytest.fixture(scope="module")
def finished(
    tmp_path_factory: pytest.TempPathFactory, environment: EnvironmentUnderTest
) -> Iterator[RecipeRun]:
    """A laboratory in which everything was read once. The tests below only look, or change nothing that others see."""
    folder = tmp_path_factory.mktemp("crypto")
    with running(size="small") as internet, recipe_run(folder, internet, environment=environment) as made:
        made.run()
        yield made


def _truth(made: RecipeRun) -> dict[str, dict[str, Any]]:
    """Every listed article by each of its addresses."""
    return {url: record for record in made.internet.truth() if record["feeds"] for url in record["urls"]}


def test_c22_every_story_is_kept_and_none_twice(finished: RecipeRun):
    truth = _truth(finished)
    kept = Counter(truth[row["url"]]["story"] for row in finished.documents(State.KEPT))
    assert kept.keys() == {record["story"] for record in truth.values()}
    assert set(kept.values()) == {1}


def test_nothing_is_lost_every_article_is_a_document(finished: RecipeRun):
    truth = _truth(finished)
    found = {truth[row["url"]]["id"] for row in finished.documents()}
    assert found == {record["id"] for record in truth.values()}
    assert {row["state"] for row in finished.documents()} == {State.KEPT, State.DUPLICATE}
    assert finished.unfinished() == {}
    assert finished.status()["quarantine"] == 0


def test_c16_copies_are_dropped_with_an_edge_to_a_kept_original_of_the_same_story(finished: RecipeRun):
    truth = _truth(finished)
    by_id = {row["id"]: row for row in finished.documents()}
    copies = finished.documents(State.DUPLICATE)
    assert len(copies) >= 4
    for copy in copies:
        edge = finished.rows(edges, from_id=copy["id"], to_id=copy["duplicate_of"], relation="duplicate")
        assert len(edge) == 1
        original = by_id[copy["duplicate_of"]]
        assert original["state"] == State.KEPT
        assert copy["reason"].startswith("duplicate:")
        assert truth[original["url"]]["story"] == truth[copy["url"]]["story"]


def test_c11_title_address_words_date_and_author_are_those_of_the_article(finished: RecipeRun):
    truth = _truth(finished)
    for row in finished.documents(State.KEPT):
        record = truth[row["url"]]
        document = finished.app.store.documents([row["id"]])[row["id"]]
        assert document.title == record["title"]
        assert document.published.isoformat() == _utc(record["published"])
        assert record["author"] in " ".join(document.authors)
        for paragraph in record["paragraphs"]:
            assert paragraph in document.text
        assert {"title", "text", "published"} <= document.origins.keys()


def _utc(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat()


def test_every_kept_document_is_delivered_once_and_nothing_else_is(finished: RecipeRun):
    kept = {row["id"] for row in finished.documents(State.KEPT)}
    assert finished.delivered() == kept
    assert {row["record_id"] for row in finished.rows(deliveries, state=State.DONE)} == kept
    assert len(finished.rows(deliveries)) == len(kept)


def test_every_document_can_tell_its_story(finished: RecipeRun):
    for row in finished.documents():
        told = explain(finished.app.store.engine, row["id"])
        assert told["source"]["recipe"] == RECIPE
        assert told["run"]["status"] == "completed"
        assert told["captures"]
        steps = [mark["step"] for mark in told["document"]["trail"]]
        assert steps == ["extract", *(step.name for step in finished.recipe.steps)]


def test_every_capture_lies_in_the_archive(finished: RecipeRun):
    taken = [capture_from(row) for row in finished.rows(captures)]
    assert set(finished.app.archive.get(taken)) == {capture.sha256 for capture in taken}
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert set(finished.app.archive.packs(tomorrow)) == {capture.pack for capture in taken}


def test_c13_every_look_is_on_record_with_its_counts(finished: RecipeRun):
    looks = finished.rows(polls)
    assert {run["status"] for run in looks} == {"completed"}
    assert sum(run["new_count"] for run in looks) == len(finished.rows(leads))


def test_no_lease_is_left(finished: RecipeRun):
    assert finished.app.store.lease_owners() == set()


def test_a_second_run_asks_only_whether_anything_changed_and_adds_nothing(tmp_path):
    with running(size="small") as internet, recipe_run(tmp_path, internet) as made:
        made.run()
        tables = (leads, captures, edges, deliveries)
        before = [made.rows(table) for table in tables], made.documents()
        internet.clear_log()
        made.poll_again()
        asked = internet.log()
        assert len(asked) == 6
        assert {record["status"] for record in asked} == {304}
        assert all({"if-none-match", "if-modified-since"} & _names(record) for record in asked)
        assert ([made.rows(table) for table in tables], made.documents()) == before


def _names(record: dict[str, Any]) -> set[str]:
    return {name.lower() for name in record["headers"]}


def test_jobs_run_one_by_one_give_the_same_and_repeating_them_changes_nothing(tmp_path, finished: RecipeRun):
    with running(size="small") as internet, recipe_run(tmp_path, internet) as made:
        engine = Engine(made.context)
        for task in (*Task, *Task):  # twice, for what was postponed the first time
            made.clock.advance(timedelta(minutes=2))
            while engine.run(Job(RECIPE, task)):
                pass
            assert engine.run(Job(RECIPE, task)) == 0
            assert engine.run(Job(RECIPE, task, ("no such key",))) == 0
        assert _stories(made) == _stories(finished)
        assert made.delivered() == {row["id"] for row in made.documents(State.KEPT)}
        assert made.app.store.lease_owners() == set()


def _stories(made: RecipeRun) -> set[str]:
    truth = _truth(made)
    return {truth[row["url"]]["story"] for row in made.documents(State.KEPT)}
