"""Crypto news end to end over the small demo internet, compared with what a perfect reader would find."""

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
def finished_run(
    tmp_path_factory: pytest.TempPathFactory, environment: EnvironmentUnderTest
) -> Iterator[RecipeRun]:
    """A run that has read everything once. The tests below change nothing that other tests read."""
    folder = tmp_path_factory.mktemp("crypto")
    with (
        running(size="small") as internet,
        recipe_run(folder, internet, environment=environment) as crypto_run,
    ):
        crypto_run.run()
        yield crypto_run


def _truth(crypto_run: RecipeRun) -> dict[str, dict[str, Any]]:
    """Every listed article by each of its addresses."""
    return {
        url: record for record in crypto_run.internet.truth() if record["feeds"] for url in record["urls"]
    }


def test_c22_every_story_is_kept_and_none_twice(finished_run: RecipeRun):
    truth = _truth(finished_run)
    kept_stories = Counter(truth[row["url"]]["story"] for row in finished_run.documents(State.KEPT))
    assert kept_stories.keys() == {record["story"] for record in truth.values()}
    assert set(kept_stories.values()) == {1}


def test_every_article_becomes_a_document(finished_run: RecipeRun):
    truth = _truth(finished_run)
    article_ids = {truth[row["url"]]["id"] for row in finished_run.documents()}
    assert article_ids == {record["id"] for record in truth.values()}
    assert {row["state"] for row in finished_run.documents()} == {State.KEPT, State.DUPLICATE}
    assert finished_run.unfinished() == {}
    assert finished_run.status()["quarantine"] == 0


def test_c16_copies_are_dropped_with_an_edge_to_a_kept_original_of_the_same_story(finished_run: RecipeRun):
    truth = _truth(finished_run)
    by_id = {row["id"]: row for row in finished_run.documents()}
    copies = finished_run.documents(State.DUPLICATE)
    assert len(copies) >= 4
    for copy in copies:
        edge = finished_run.rows(edges, from_id=copy["id"], to_id=copy["duplicate_of"], relation="duplicate")
        assert len(edge) == 1
        original = by_id[copy["duplicate_of"]]
        assert original["state"] == State.KEPT
        assert copy["reason"].startswith("duplicate:")
        assert truth[original["url"]]["story"] == truth[copy["url"]]["story"]


def test_c11_title_address_words_date_and_author_are_those_of_the_article(finished_run: RecipeRun):
    truth = _truth(finished_run)
    for row in finished_run.documents(State.KEPT):
        record = truth[row["url"]]
        document = finished_run.app.store.documents([row["id"]])[row["id"]]
        assert document.title == record["title"]
        assert document.published.isoformat() == _utc(record["published"])
        assert record["author"] in " ".join(document.authors)
        for paragraph in record["paragraphs"]:
            assert paragraph in document.text
        assert {"title", "text", "published"} <= document.origins.keys()


def _utc(moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(UTC).isoformat()


def test_every_kept_document_is_delivered_once_and_nothing_else_is(finished_run: RecipeRun):
    kept_ids = {row["id"] for row in finished_run.documents(State.KEPT)}
    assert finished_run.delivered() == kept_ids
    assert {row["record_id"] for row in finished_run.rows(deliveries, state=State.DONE)} == kept_ids
    assert len(finished_run.rows(deliveries)) == len(kept_ids)


def test_every_document_can_be_explained(finished_run: RecipeRun):
    for row in finished_run.documents():
        explanation = explain(finished_run.app.store.engine, row["id"])
        assert explanation["source"]["recipe"] == RECIPE
        assert explanation["poll"]["status"] == "completed"
        assert explanation["captures"]
        steps = [entry["step"] for entry in explanation["document"]["trail"]]
        assert steps == ["extract", *(step.name for step in finished_run.recipe.steps)]


def test_every_capture_is_in_the_archive(finished_run: RecipeRun):
    stored_captures = [capture_from(row) for row in finished_run.rows(captures)]
    assert set(finished_run.app.archive.get(stored_captures)) == {
        capture.sha256 for capture in stored_captures
    }
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    assert set(finished_run.app.archive.packs(tomorrow)) == {capture.pack for capture in stored_captures}


def test_c13_every_poll_is_recorded_with_its_counts(finished_run: RecipeRun):
    poll_rows = finished_run.rows(polls)
    assert {poll_row["status"] for poll_row in poll_rows} == {"completed"}
    assert sum(poll_row["new_count"] for poll_row in poll_rows) == len(finished_run.rows(leads))


def test_no_lease_is_left(finished_run: RecipeRun):
    assert finished_run.app.store.lease_owners() == set()


def test_a_second_run_sends_only_conditional_requests_and_adds_nothing(tmp_path):
    with running(size="small") as internet, recipe_run(tmp_path, internet) as crypto_run:
        crypto_run.run()
        tables = (leads, captures, edges, deliveries)
        before = [crypto_run.rows(table) for table in tables], crypto_run.documents()
        internet.clear_log()
        crypto_run.poll_again()
        requests = internet.log()
        assert len(requests) == 6
        assert {record["status"] for record in requests} == {304}
        assert all({"if-none-match", "if-modified-since"} & _names(record) for record in requests)
        assert ([crypto_run.rows(table) for table in tables], crypto_run.documents()) == before


def _names(record: dict[str, Any]) -> set[str]:
    return {name.lower() for name in record["headers"]}


def test_jobs_run_one_by_one_store_the_same_and_repeating_them_changes_nothing(
    tmp_path, finished_run: RecipeRun
):
    with running(size="small") as internet, recipe_run(tmp_path, internet) as crypto_run:
        engine = Engine(crypto_run.context)
        for task in (*Task, *Task):  # twice, for what was postponed the first time
            crypto_run.clock.advance(timedelta(minutes=2))
            while engine.run(Job(RECIPE, task)):
                pass
            assert engine.run(Job(RECIPE, task)) == 0
            assert engine.run(Job(RECIPE, task, ("no such key",))) == 0
        assert _stories(crypto_run) == _stories(finished_run)
        assert crypto_run.delivered() == {row["id"] for row in crypto_run.documents(State.KEPT)}
        assert crypto_run.app.store.lease_owners() == set()


def _stories(crypto_run: RecipeRun) -> set[str]:
    truth = _truth(crypto_run)
    return {truth[row["url"]]["story"] for row in crypto_run.documents(State.KEPT)}
