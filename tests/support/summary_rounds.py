"""Stories in a store, and a round of summaries over them against a server that speaks the Batch API."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

import structlog
from tests.servers.batch_api import BatchServer
from tests.support.scene import ME, RECIPE, Scene, kept_result, make_recipe

from headwater.engine.context import JobContext, SummaryTools
from headwater.engine.summarize import estimate
from headwater.model.document import Document
from headwater.model.http import Capture
from headwater.model.jobs import GatherResult, GroupBatch, Task
from headwater.model.recipe import Grouping, Recipe, StoryContext, SummaryPermission
from headwater.model.story import Member, Story
from headwater.model.summaries import SummaryFigures
from headwater.runtime.summaries import run_summary_round
from headwater.settings.llm import SummarySettings, summary_policy
from headwater.store.schema.flow import stories
from headwater.store.schema.summaries import summary_batches, summary_requests
from headwater.store.summaries.sql_summaries import SqlSummaryStore
from headwater.stories.llm.batch_api import BatchApi
from headwater.stories.llm.chat import ChatClient
from headwater.stories.llm.openai import OpenAiModel
from headwater_recipes.geopolitics.description import DescribeStory

KEY = "sk-must-never-be-shown"
TEXT = "The ferry {0} left the harbour of Dunmore on Monday with twelve people. It came back in the evening."


class NoArchive:
    """Summaries need no archive."""

    def put(self, captures: Sequence[tuple[Capture, bytes]]) -> Sequence[Capture]:
        raise NotImplementedError

    def get(self, captures: Sequence[Capture]) -> Mapping[str, bytes]:
        raise NotImplementedError


def summarized_recipe() -> Recipe:
    grouping = Grouping(
        key=lambda _: "day", cluster=lambda _: (), summary_permission=SummaryPermission(("stories",))
    )
    return make_recipe(grouping=grouping)


@dataclass
class SummaryScene:
    """`a1` and `a2` are documents of the story `a`."""

    scene: Scene
    server: BatchServer
    announced: list[str] = field(default_factory=list)

    def write(self, *names: str, text: str = TEXT) -> None:
        for draft in self.scene.drafts(*names):
            name = draft.lead.lead.identity
            about = {"title": f"{name} sails", "text": text.format(name), "group": "day"}
            self.scene.refine(kept_result(draft, published=self.scene.now, **about))

    def group_batch(self) -> GroupBatch:
        (group_batch,) = self.scene.claim(Task.GATHER)
        return group_batch

    def gather(self, group_batch: GroupBatch | None = None, **scores: float) -> None:
        batch = group_batch or self.group_batch()
        names = sorted({document.title[0] for document in batch.documents})
        described = tuple(self._story(name, batch) for name in names)
        scored = tuple(replace(s, score=scores.get(s.id, s.score)) for s in described)
        routes = {story.id: ("stories",) for story in described}
        result = GatherResult(group=batch.id, version=batch.version, stories=scored, routes=routes)
        self.scene.store.finish_gather([result], ME, self.scene.now)

    def _story(self, name: str, group_batch: GroupBatch) -> Story:
        documents = [document for document in group_batch.documents if document.title.startswith(name)]
        before = next((story for story in group_batch.stories if story.id == name), None)
        members = tuple(sorted((Member(d.id) for d in documents), key=lambda member: member.document))
        same = before is not None and before.members == members
        revision = 1 if before is None else before.revision + (not same)
        story = Story(
            id=name, recipe=RECIPE, group=group_batch.id, title=f"Ferry {name}", members=members, revision=revision,
            last_at=self.scene.now,
        )  # fmt: skip
        return DescribeStory().describe(
            StoryContext(story=story, documents=tuple(documents), before=before, rank=1, now=self.scene.now)
        )

    def publish(self, *names: str, **scores: float) -> None:
        self.write(*names)
        self.gather(**scores)

    def settings(self, **more: Any) -> SummarySettings:
        defaults: dict[str, Any] = {"mode": "batch", "endpoint": self.server.address, "model": "gpt-4o-mini"}
        return SummarySettings(**(defaults | {"premium_model": "", "seconds": 20.0} | more))

    def store(self) -> SqlSummaryStore:
        return SqlSummaryStore(self.scene.store.engine)

    def context(self, **more: Any) -> JobContext:
        """A worker whose recipe may have its stories summarised."""
        settings = self.settings(**more)
        access: dict[str, Any] = {
            "clock": self.clock, "key": KEY, "seconds": settings.seconds, "where": "summaries",
        }  # fmt: skip
        chat = ChatClient(
            address=f"{settings.endpoint}/chat/completions",
            model=settings.model,
            options=settings.options,
            **access,
        )
        tools = SummaryTools(
            store=self.store(),
            model=OpenAiModel(chat=chat, api=BatchApi(root=settings.endpoint, **access)),
            policy=summary_policy(settings),
            deadline=self.scene.now + timedelta(hours=1),
            announce=self.announced.append,
        )
        return JobContext(
            owner=ME,
            recipes={RECIPE: summarized_recipe()},
            store=self.scene.store,
            archive=NoArchive(),
            clock=self.clock,
            log=structlog.get_logger(),
            summaries=tools,
        )

    def estimate(self, **more: Any) -> SummaryFigures:
        return estimate(self.context(**more), RECIPE)

    def clock(self) -> datetime:
        return self.scene.now

    def round(self, **more: Any) -> SummaryFigures:
        return run_summary_round(self.context(**more), [RECIPE])

    def rounds(self, count: int, **more: Any) -> list[SummaryFigures]:
        """Rounds a quarter of an hour apart."""
        figures = []
        for _ in range(count):
            figures.append(self.round(**more))
            self.scene.now += timedelta(minutes=15)
        return figures

    def story(self, name: str) -> dict[str, Any]:
        return self.scene.row(stories, id=name)

    def by(self, name: str) -> str:
        return str(self.story(name)["attributes"]["summary_by"])

    def requests(self) -> dict[str, str]:
        """The state of each request, by story and level."""
        rows = self.scene.rows(summary_requests)
        return {f"{row['story_id']}-{row['level']}": row["state"] for row in rows}

    def batches(self) -> list[dict[str, Any]]:
        return self.scene.rows(summary_batches)

    def documents(self, name: str) -> set[str]:
        matching: list[Document] = [d for d in self.story_documents() if d.title.startswith(name)]
        return {document.id for document in matching}

    def story_documents(self) -> list[Document]:
        ids = [m for row in self.scene.rows(stories) for m in self._members(row["id"])]
        return list(self.scene.store.documents(ids).values())

    def _members(self, story: str) -> list[str]:
        from headwater.store.schema.flow import story_members

        return [row["document_id"] for row in self.scene.rows(story_members, story_id=story)]
