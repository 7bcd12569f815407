"""A look whose findings no store takes is a failure like any other: counted, and after ten of them the source stops."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import structlog

from headwater.engine.poll import Looks
from headwater.model.recipe import Conversation, Discovery, Recipe
from headwater.model.source import Source, Trigger
from headwater.model.work import Job, Polled, Task, Turn

NOW = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)


@dataclass
class Particular:
    """A store that takes failures only."""

    failures: int
    taken: list[Polled] = field(default_factory=list)

    def claim_sources(self, _: object) -> list[Turn]:
        source = Source(id="s", recipe="trial", kind="feed", name="S", failures=self.failures)
        return [Turn(source, "run", 1)]

    def finish_poll(self, polled: Sequence[Polled], *_: object) -> int:
        if any(one.error is None for one in polled):
            raise ValueError("no column takes that")
        self.taken.extend(polled)
        return 0


def discover(source: Source, now: datetime) -> Conversation:
    del source, now
    yield from ()
    return Discovery()


@pytest.mark.parametrize(
    ("before", "stopped", "due_at"),
    [(0, None, NOW + timedelta(hours=1)), (9, "10 failures in a row", None)],
)
def test_a_look_that_cannot_be_stored_counts(before: int, stopped: str | None, due_at: datetime | None):
    store = Particular(before)
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
    desk: Any = SimpleNamespace(
        owner="me",
        store=store,
        archive=SimpleNamespace(put=lambda bodies: bodies),
        fetcher=object(),
        clock=lambda: NOW,
        log=structlog.get_logger(),
        recipe=lambda _: recipe,
        claim=lambda *_: None,
        patience=SimpleNamespace(deaths=6),
        tell=lambda *_: None,
    )
    looks = Looks(desk, Job("trial", Task.POLL))
    looks.claim(1)
    assert looks.commit() == 1
    (polled,) = store.taken
    assert (polled.error, polled.failures, polled.stopped) == ("error:ValueError", before + 1, stopped)
    assert polled.due_at == due_at
