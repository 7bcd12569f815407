"""A poll whose result cannot be stored is a failure: it counts, and after ten of them the source stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from headwater.engine.poll import RecipePolls
from headwater.model.jobs import Job, PollResult, SourceLease, Task
from headwater.model.recipe import Discovery, PollSession, Recipe
from headwater.model.source import Source, Trigger

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@dataclass
class FailuresOnlyStore:
    """A store that accepts failures only."""

    failures: int
    results: list[PollResult] = field(default_factory=list)

    def claim_sources(self, _: object) -> list[SourceLease]:
        source = Source(id="s", recipe="trial", kind="feed", name="S", failures=self.failures)
        return [SourceLease(source, "run", 1)]

    def finish_poll(self, batch: Sequence[PollResult], *_: object) -> int:
        if any(result.error is None for result in batch):
            raise ValueError("no column accepts that")
        self.results.extend(batch)
        return 0


def discover(source: Source, now: datetime) -> PollSession:
    del source, now
    yield from ()
    return Discovery()


@pytest.mark.parametrize(
    ("before", "stopped", "due_at"),
    [(0, None, NOW + timedelta(hours=1)), (9, "10 failures in a row", NOW + timedelta(days=1))],
)
def test_r28_a_poll_that_cannot_be_stored_is_a_failure_and_the_tenth_in_a_row_stops_the_source(
    before: int, stopped: str | None, due_at: datetime | None
):
    store = FailuresOnlyStore(before)
    hourly = Trigger(every=timedelta(hours=1))
    recipe = Recipe(
        name="trial",
        version="1",
        sources=(),
        discover={"feed": discover},
        extract={},
        steps=(),
        trigger=hourly,
    )
    context: Any = SimpleNamespace(
        owner="me",
        store=store,
        archive=SimpleNamespace(put=lambda bodies: bodies),
        fetcher=object(),
        clock=lambda: NOW,
        log=structlog.get_logger(),
        recipe=lambda _: recipe,
        claim=lambda *_: None,
        worker_death=lambda _: None,
        on_commit=lambda *_: None,
    )
    polls = RecipePolls(context, Job("trial", Task.POLL))
    polls.claim(1)
    assert polls.commit() == 1
    (result,) = store.results
    assert (result.error, result.failures, result.stop_reason) == ("error:ValueError", before + 1, stopped)
    assert result.due_at == due_at
