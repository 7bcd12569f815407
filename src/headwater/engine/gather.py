"""Groups to stories: divide anew, keep identities, commit."""

from collections.abc import Sequence
from datetime import datetime

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.document import Document
from headwater.model.jobs import GatherResult, GroupBatch, Job, Postponement, Quarantine, Task
from headwater.model.recipe import Cluster, Recipe, StoryContext
from headwater.model.story import Member, Story
from headwater.stories.identity import inherit_story_ids

GROUPS_AT_ONCE = 20


def gather(context: JobContext, job: Job) -> int:
    """Gather the groups that have settled; gives how many."""
    recipe = context.recipe(job)
    full_documents = recipe.grouping is None or recipe.grouping.full_documents
    group_batches, rest = context.split_suspects(
        context.store.claim_groups(context.claim(job, GROUPS_AT_ONCE), full_documents=full_documents)
    )
    if not group_batches:
        return 0
    if rest:
        back = [GatherResult(group=b.id, version=b.version, later=context.postpone()) for b in rest]
        context.store.finish_gather(back, context.owner, context.clock())

    def failed(group_batch: GroupBatch, error: Exception) -> GatherResult:
        verdict = context.handle_failure(error, group_batch.attempts)
        context.log.warning(
            "group failed", recipe=recipe.name, job="gather", key=group_batch.id, reason=verdict.reason
        )
        if isinstance(verdict, Postponement):
            return GatherResult(group=group_batch.id, version=group_batch.version, later=verdict)
        return GatherResult(group=group_batch.id, version=group_batch.version, quarantined=verdict)

    lease_renewer = LeaseRenewer(context, Task.GATHER)

    def divided(group_batch: GroupBatch) -> GatherResult:
        lease_renewer.renew_if_due()
        return _divide_group(context, recipe, group_batch)

    results = bisect_batch(
        lambda batch: [divided(group_batch) for group_batch in batch], group_batches, failed
    )
    bisect_commit(
        lambda some: context.store.finish_gather(some, context.owner, context.clock()), results, _unfit
    )
    return len(group_batches)


def _unfit(gathered: GatherResult, error: Exception) -> GatherResult:
    """Divided, but not into stories that can be stored."""
    reason, detail = error_reason(error)
    apart = Quarantine(reason=reason, detail=detail)
    return GatherResult(group=gathered.group, version=gathered.version, quarantined=apart)


def _divide_group(context: JobContext, recipe: Recipe, group_batch: GroupBatch) -> GatherResult:
    context.check_worker_deaths(group_batch.attempts)
    if recipe.grouping is None:
        return GatherResult(group=group_batch.id, version=group_batch.version)
    clusters = [cluster for cluster in recipe.grouping.cluster(group_batch.documents) if cluster.members]
    inside = [frozenset(group_batch.documents[i].id for i, _ in cluster.members) for cluster in clusters]
    names = inherit_story_ids(inside, group_batch.stories, group_batch.id, group_batch.ended)
    before = {story.id: story for story in group_batch.stories}
    now = context.clock()
    stories = tuple(
        _described(
            recipe,
            StoryContext(
                story=_tell(recipe, group_batch, cluster, name, before.get(name)),
                documents=tuple(group_batch.documents[i] for i, _ in cluster.members),
                before=before.get(name),
                rank=rank,
                now=now,
            ),
        )
        for rank, (cluster, name) in enumerate(zip(clusters, names, strict=True), 1)
    )
    routes = {
        story.id: tuple(r.name for r in recipe.routes if r.of == "story" and r.when(story))
        for story in stories
    }
    return GatherResult(group=group_batch.id, version=group_batch.version, stories=stories, routes=routes)


def _described(recipe: Recipe, story_context: StoryContext) -> Story:
    describe = recipe.grouping.describe if recipe.grouping else None
    return story_context.story if describe is None else describe(story_context)


def _tell(
    recipe: Recipe, group_batch: GroupBatch, cluster: Cluster, name: str, before: Story | None
) -> Story:
    documents = [group_batch.documents[i] for i, _ in cluster.members]
    members = tuple(
        sorted(
            (Member(group_batch.documents[i].id, s) for i, s in cluster.members),
            key=lambda member: member.document,
        )
    )
    unchanged = before is not None and before.members == members and before.title == cluster.title
    revision = 1 if before is None else before.revision if unchanged else before.revision + 1
    first, last = _span(documents)
    return Story(
        id=name,
        recipe=recipe.name,
        group=group_batch.id,
        title=cluster.title,
        members=members,
        first_at=first,
        last_at=last,
        revision=revision,
    )


def _span(documents: Sequence[Document]) -> tuple[datetime | None, datetime | None]:
    times = [document.published for document in documents if document.published]
    return (min(times), max(times)) if times else (None, None)
