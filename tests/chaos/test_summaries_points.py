"""A round of summaries that dies before or after each of its steps, one after the other: every write, every request."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.servers.batch_api import batch_server
from tests.support.scene import RECIPE, Scene
from tests.support.summary_rounds import SummaryScene

from headwater.runtime.summaries import run_round
from headwater.stories.llm.batches import LISTING_DELAY

ROUNDS = 4
READING = (
    "candidates",
    "request_states",
    "due_requests",
    "is_queue_full",
    "stories_with_documents",
    "documents",
    "answers",
    "open_batches",
    "requests_in",
    "spent_since",
    "settle",
)
"""Nothing is different after these; `settle` has nothing to do in a round in which all goes well."""


class Died(BaseException):
    """Nothing catches it but the last resort of a direct call."""


@dataclass
class Fate:
    """Dies at one of the steps, before it or after it; counts them otherwise."""

    at: int = -1
    late: bool = False
    steps: list[str] = field(default_factory=list)
    dead: bool = False

    def begins(self, step: str) -> bool:
        """Whether this is the step; whoever is dead does nothing any more."""
        if self.dead:
            raise Died(step)
        self.steps.append(step)
        chosen = len(self.steps) - 1 == self.at
        self.dead = chosen
        if chosen and not self.late:
            raise Died(step)
        return chosen


@dataclass
class Mortal:
    """An object whose methods may be the last."""

    inner: Any
    fate: Fate

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.inner, name)
        if not callable(attribute) or name in {"close", *READING}:
            return attribute
        wrap = self._later if inspect.iscoroutinefunction(attribute) else self._now
        return wrap(f"{type(self.inner).__name__}.{name}", attribute)

    def _now(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*words: Any, **more: Any) -> Any:
            last = self.fate.begins(step)
            done = call(*words, **more)
            if last:
                raise Died(step)
            return done

        return called

    def _later(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        async def called(*words: Any, **more: Any) -> Any:
            last = self.fate.begins(step)
            done = await call(*words, **more)
            if last:
                raise Died(step)
            return done

        return called


def live(summaries: SummaryScene, fate: Fate) -> None:
    """Rounds of one worker until it dies, or all is told."""
    for _ in range(ROUNDS):
        if summaries.by("a") != "local":
            break
        context = summaries.context()
        assert context.summaries is not None
        mortal = replace(
            context.summaries,
            store=Mortal(context.summaries.store, fate),
            model=Mortal(context.summaries.model, fate),
        )
        run_round(replace(context, summaries=mortal), [RECIPE])
        summaries.scene.now += LISTING_DELAY


def test_g14_wherever_a_round_dies_each_request_is_paid_for_once_and_answered(scene: Scene):
    with batch_server(way=("in_progress", "completed")) as server:
        summaries = SummaryScene(scene, server)
        summaries.publish("a1")
        complete = Fate()
        live(summaries, complete)
        assert summaries.by("a") == "gpt-4o-mini"
        assert {
            "OpenAiModel.create_batch",
            "SqlSummaryStore.end_batch",
            "SqlSummaryStore.replace_summary",
        } <= set(complete.steps)
        deaths = 0
        for number, step in enumerate(complete.steps):
            for late in (False, True):
                summaries.write(f"a{2 * number + late + 2}")
                summaries.gather()
                try:
                    live(summaries, Fate(number, late))
                except Died:
                    deaths += 1
                summaries.scene.now += LISTING_DELAY
                live(summaries, Fate())
                assert summaries.by("a") == "gpt-4o-mini", (step, late)
                assert {batch["state"] for batch in summaries.batches()} == {"ended"}, (step, late)
    request_ids = [line["custom_id"] for line in server.lines]
    assert len(request_ids) == len(set(request_ids)) == 1 + 2 * len(complete.steps)
    assert deaths == 2 * len(complete.steps)
