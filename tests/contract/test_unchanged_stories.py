"""A group is clustered again when a document joins it; stories that stay as they are stored are not written again."""

from collections.abc import Sequence
from typing import Any

import structlog
from tests.support.scene import HOUR, ME, RECIPE, Scene, kept_result, make_recipe

from headwater.engine.context import JobContext
from headwater.engine.gather import gather
from headwater.model.document import Document
from headwater.model.jobs import Job, Task
from headwater.model.recipe import Grouping, StoryContext
from headwater.model.story import Story
from headwater.store.schema.flow import stories
from headwater.stories.clustering.groupings import cluster_by_headline
from headwater.stories.coverage import SummariseStory


def _gather(scene: Scene, *, describes: bool = True) -> list[str]:
    """Returns the titles of the stories that were described."""
    described: list[str] = []

    def describe(contexts: Sequence[StoryContext]) -> Sequence[Story]:
        described.extend(context.story.title for context in contexts)
        return SummariseStory()(contexts)

    recipe = make_recipe(
        grouping=Grouping(
            key=lambda _: "day",
            cluster=cluster_by_headline,
            describe=describe if describes else None,
            describes_documents=True,
        )
    )
    nothing: Any = None
    context = JobContext(
        owner=ME,
        recipes={RECIPE: recipe},
        store=scene.store,
        archive=nothing,
        clock=lambda: scene.now,
        log=structlog.get_logger(),
    )
    assert gather(context, Job(RECIPE, Task.GATHER)) == 1
    return described


def _keep(scene: Scene, path: str, title: str) -> Document:
    (draft,) = scene.drafts(path)
    result = kept_result(
        draft, group="day", title=title, text=f"{title} in the harbour.", published=scene.now
    )
    scene.refine(result)
    assert result.document is not None
    return result.document


def _rows(scene: Scene, titles: Sequence[str]) -> list[dict[str, Any]]:
    return [scene.row(stories, title=title) for title in titles]


def test_only_the_stories_that_changed_are_described_and_written_again(scene: Scene):
    for path, title in (("a", "Ships wait"), ("b", "Bank opens"), ("c", "Storm ends")):
        _keep(scene, path, title)
    _gather(scene)
    before = _rows(scene, ["Ships wait", "Bank opens"])
    scene.now += HOUR
    _keep(scene, "d", "Bank opens")
    assert _gather(scene) == ["Bank opens"]
    ships, bank = _rows(scene, ["Ships wait", "Bank opens"])
    assert ships == before[0]
    assert (bank["id"], bank["size"], bank["revision"]) == (before[1]["id"], 2, 2)
    assert bank["updated_at"] == scene.now
    assert {row["state"] for row in scene.rows(stories)} == {"live"}


def test_stories_that_were_stored_before_their_recipe_described_them_are_described(scene: Scene):
    _keep(scene, "a", "Ships wait")
    _gather(scene, describes=False)
    _keep(scene, "b", "Bank opens")
    assert sorted(_gather(scene)) == ["Bank opens", "Ships wait"]
    assert scene.row(stories, title="Ships wait")["summary"] == "Ships wait in the harbour."


def test_a_story_whose_document_changed_is_described_again(scene: Scene):
    (draft,) = scene.drafts("a")
    scene.refine(kept_result(draft, group="day", title="Ships wait", text="Ships wait.", published=scene.now))
    assert _gather(scene) == ["Ships wait"]
    draft = scene.change(draft, "changed")
    scene.refine(kept_result(draft, group="day", title="Ships wait", text="Forty wait.", published=scene.now))
    assert _gather(scene) == ["Ships wait"]
    assert scene.row(stories)["summary"] == "Forty wait."
