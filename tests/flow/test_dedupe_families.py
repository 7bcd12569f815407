"""Near copies over the demo internet: the same families in one batch, in small batches and across restarts."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from tests.support.deadline import LONGEST_RUN
from tests.support.recipe_run import RECIPE, RecipeRun, recipe_run

from headwater.engine.network import NetworkLoop
from headwater.engine.refine import refine
from headwater.engine.retry_policy import RetryPolicy
from headwater.model.jobs import Job, State, Task
from headwater.store.schema.flow import documents
from headwater.store.schema.knowledge import edges
from headwater_demo.internet import Internet, running

Families = frozenset[frozenset[str]]


@pytest.fixture(scope="module")
def internet() -> Iterator[Internet]:
    """Its clock stands still, so that every reader finds the same articles."""
    with running(size="small", seed=11) as started:
        yield started


@pytest.fixture(scope="module")
def articles_by_url(internet: Internet) -> dict[str, dict[str, Any]]:
    """The articles that the feeds list, by each of their addresses."""
    return {url: record for record in internet.truth() if record["feeds"] for url in record["urls"]}


@pytest.fixture(scope="module")
def single_batch_run(internet: Internet, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RecipeRun]:
    """Everything is fetched first and then decided in one batch."""
    with recipe_run(tmp_path_factory.mktemp("families"), internet) as run:
        fetch_everything(run)
        assert decide(run, batch=1000) == 1
        yield run


def fetch_everything(run: RecipeRun) -> None:
    network = NetworkLoop(run.context, [Job(RECIPE, task) for task in (Task.POLL, Task.FETCH)])
    until = time.monotonic() + LONGEST_RUN.total_seconds()
    while network.step(timedelta(seconds=0.02)) or network.waiting_count or is_due(run):
        assert time.monotonic() < until, "not fetched in time"


def is_due(run: RecipeRun) -> bool:
    due = run.app.store.next_due(RECIPE)
    soon = run.clock() + timedelta(seconds=20)
    return any(due[task] <= soon for task in (Task.POLL, Task.FETCH) if task in due)


def decide(run: RecipeRun, *, batch: int, batches: int = 1000) -> int:
    """Returns how many batches it took."""
    context = replace(run.context, retry_policy=RetryPolicy(batch=batch))
    return sum(
        1 for _ in takewhile(bool, (refine(context, Job(RECIPE, Task.REFINE)) for _ in range(batches)))
    )


def families(run: RecipeRun, articles_by_url: dict[str, dict[str, Any]]) -> Families:
    """Which articles were grouped together, by their names in the demo internet."""
    rows = {row["id"]: row for row in run.rows(documents)}
    together: dict[str, set[str]] = {}
    for row in rows.values():
        together.setdefault(row["duplicate_of"] or row["id"], set()).add(articles_by_url[row["url"]]["id"])
    return frozenset(map(frozenset, together.values()))


def true_families(articles_by_url: dict[str, dict[str, Any]]) -> Families:
    together: dict[str, set[str]] = {}
    for record in articles_by_url.values():
        together.setdefault(record["story"], set()).add(record["id"])
    return frozenset(map(frozenset, together.values()))


def test_families_are_the_stories_that_the_newsroom_wrote(
    single_batch_run: RecipeRun, articles_by_url: dict[str, dict[str, Any]]
):
    assert families(single_batch_run, articles_by_url) == true_families(articles_by_url)
    assert any(len(family) > 1 for family in true_families(articles_by_url))


def test_near_copies_were_recognised_by_their_text(
    single_batch_run: RecipeRun, articles_by_url: dict[str, dict[str, Any]]
):
    rows = {row["id"]: row for row in single_batch_run.rows(documents)}
    links = [row for row in single_batch_run.rows(edges) if {row["from_id"], row["to_id"]} <= rows.keys()]
    edited = [
        edge
        for edge in links
        if articles_by_url[rows[edge["from_id"]]["url"]]["group"]
        != articles_by_url[rows[edge["to_id"]]["url"]]["group"]
    ]
    assert edited
    for edge in edited:
        assert edge["rule"] in {"same-text", "abridged", "sentence-added", "edited"}
        assert edge["evidence"]["compared_with"] in rows
        assert 0.3 < edge["score"] <= 1


def test_daily_reports_stay_apart(single_batch_run: RecipeRun, articles_by_url: dict[str, dict[str, Any]]):
    reports = [
        row
        for row in single_batch_run.rows(documents)
        if articles_by_url[row["url"]]["kind"] == "daily_report"
    ]
    assert len(reports) >= 3
    assert {(row["state"], row["duplicate_of"]) for row in reports} == {(State.KEPT, None)}


def test_every_copy_points_to_a_kept_original(single_batch_run: RecipeRun):
    rows = {row["id"]: row for row in single_batch_run.rows(documents)}
    copies = [row for row in rows.values() if row["state"] == State.DUPLICATE]
    assert copies
    assert {rows[row["duplicate_of"]]["state"] for row in copies} == {State.KEPT}


@pytest.mark.parametrize("batch", [1, 3])
def test_small_batches_find_the_same_families(
    batch: int,
    internet: Internet,
    single_batch_run: RecipeRun,
    articles_by_url: dict[str, dict[str, Any]],
    tmp_path: Path,
):
    with recipe_run(tmp_path, internet) as run:
        fetch_everything(run)
        assert decide(run, batch=batch) > 5
        assert families(run, articles_by_url) == families(single_batch_run, articles_by_url)


def test_a_restart_between_batches_changes_no_family(
    internet: Internet,
    single_batch_run: RecipeRun,
    articles_by_url: dict[str, dict[str, Any]],
    tmp_path: Path,
):
    with recipe_run(tmp_path, internet) as before:
        fetch_everything(before)
        assert decide(before, batch=5, batches=3) == 3
        assert len(before.documents(State.WAITING)) == len(single_batch_run.documents()) - 15
    with recipe_run(tmp_path, internet, clock=before.clock) as after:
        decide(after, batch=5)
        assert after.documents(State.WAITING) == []
        assert families(after, articles_by_url) == families(single_batch_run, articles_by_url)
