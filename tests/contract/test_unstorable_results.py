"""A story or a receipt that cannot be stored is quarantined alone; the worker and the other records continue."""

from collections.abc import Sequence
from typing import Any

import structlog
from tests.support.scene import ME, RECIPE, START, Scene, kept_result, make_recipe

from headwater.engine.context import JobContext
from headwater.engine.deliver import deliver
from headwater.engine.gather import gather
from headwater.model.document import Document
from headwater.model.jobs import Job, State, Task
from headwater.model.outcomes import Sent
from headwater.model.recipe import Cluster, Envelope, Grouping, Route
from headwater.store.schema.flow import deliveries, quarantine, stories

POISON = "b"


def cluster(documents: Sequence[Document]) -> list[Cluster]:
    title: Any = None if documents[0].url.endswith(f"/{POISON}") else "A story"
    return [Cluster(title, tuple((place, 1.0) for place in range(len(documents))))]


class BadReceiptSink:
    """Returns a receipt that cannot be stored for one record."""

    def send(self, envelopes: Sequence[Envelope]) -> list[Sent]:
        unstorable: Any = object()
        return [
            Sent(unstorable if envelope.record.url.endswith(f"/{POISON}") else "received")
            for envelope in envelopes
        ]  # type: ignore[union-attr]


def context(scene: Scene) -> JobContext:
    recipe = make_recipe(
        grouping=Grouping(key=lambda document: document.url, cluster=cluster),
        routes=(Route(name="out", sink="sink"),),
    )
    nothing: Any = None
    return JobContext(
        owner=ME,
        recipes={RECIPE: recipe},
        store=scene.store,
        archive=nothing,
        clock=lambda: START,
        log=structlog.get_logger(),
        sinks={"sink": BadReceiptSink()},
    )


def test_a_story_that_cannot_be_stored_quarantines_its_group_alone(scene: Scene):
    drafts = scene.drafts("a", POISON, "c")
    assert scene.refine(*(kept_result(draft, group=draft.lead.lead.identity) for draft in drafts)) == []
    assert gather(context(scene), Job(RECIPE, Task.GATHER)) == 3
    assert len(scene.rows(stories, title="A story")) == scene.count(stories) == 2
    (row,) = scene.rows(quarantine)
    assert (row["task"], row["reason"].partition(":")[0]) == (Task.GATHER, "error")


def test_a_receipt_that_cannot_be_stored_quarantines_its_delivery_alone(scene: Scene):
    scene.keep("a", POISON, "c", routes=("out",))
    assert deliver(context(scene), Job(RECIPE, Task.DELIVER)) == 3
    assert len(scene.rows(deliveries, state=State.DONE)) == 2
    (row,) = scene.rows(quarantine)
    assert (row["task"], row["reason"].partition(":")[0]) == (Task.DELIVER, "error")
