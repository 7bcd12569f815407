"""A round of summaries that dies before or after each of its steps, one after the other: every write, every request."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.servers.batch_api import batch_server
from tests.support.scene import RECIPE, Scene
from tests.support.summary_rounds import SummaryScene

from headwater.runtime.summaries import run_summary_round
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
"""These change nothing; `settle` has nothing to do in a round without errors."""


class WorkerDied(BaseException):
    """Nothing catches it except the last resort of a direct call."""


@dataclass
class DeathPlan:
    """Lets the worker die before or after one of its steps; otherwise counts the steps."""

    at: int = -1
    late: bool = False
    steps: list[str] = field(default_factory=list)
    dead: bool = False

    def begins(self, step: str) -> bool:
        """Whether this is the step; a dead worker does nothing any more."""
        if self.dead:
            raise WorkerDied(step)
        self.steps.append(step)
        is_last = len(self.steps) - 1 == self.at
        self.dead = is_last
        if is_last and not self.late:
            raise WorkerDied(step)
        return is_last


@dataclass
class Mortal:
    """Wraps an object; the worker may die before or after each call of its methods."""

    inner: Any
    death_plan: DeathPlan

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.inner, name)
        if not callable(attribute) or name in {"close", *READING}:
            return attribute
        wrap = self._later if inspect.iscoroutinefunction(attribute) else self._now
        return wrap(f"{type(self.inner).__name__}.{name}", attribute)

    def _now(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def called(*words: Any, **more: Any) -> Any:
            last = self.death_plan.begins(step)
            result = call(*words, **more)
            if last:
                raise WorkerDied(step)
            return result

        return called

    def _later(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        async def called(*words: Any, **more: Any) -> Any:
            last = self.death_plan.begins(step)
            result = await call(*words, **more)
            if last:
                raise WorkerDied(step)
            return result

        return called


def live(summaries: SummaryScene, death_plan: DeathPlan) -> None:
    """Rounds of one worker until it dies or all stories are summarised."""
    for _ in range(ROUNDS):
        if summaries.by("a") != "local":
            break
        context = summaries.context()
        assert context.summaries is not None
        mortal = replace(
            context.summaries,
            store=Mortal(context.summaries.store, death_plan),
            model=Mortal(context.summaries.model, death_plan),
        )
        run_summary_round(replace(context, summaries=mortal), [RECIPE])
        summaries.scene.now += LISTING_DELAY


def test_g14_wherever_a_round_dies_each_request_is_paid_for_once_and_answered(scene: Scene):
    with batch_server(statuses=("in_progress", "completed")) as server:
        summaries = SummaryScene(scene, server)
        summaries.publish("a1")
        complete = DeathPlan()
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
                    live(summaries, DeathPlan(number, late))
                except WorkerDied:
                    deaths += 1
                summaries.scene.now += LISTING_DELAY
                live(summaries, DeathPlan())
                assert summaries.by("a") == "gpt-4o-mini", (step, late)
                assert {batch["state"] for batch in summaries.batches()} == {"ended"}, (step, late)
    request_ids = [line["custom_id"] for line in server.lines]
    assert len(request_ids) == len(set(request_ids)) == 1 + 2 * len(complete.steps)
    assert deaths == 2 * len(complete.steps)
