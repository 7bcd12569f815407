"""Groups to stories: cluster again, keep identities, commit."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial

from structlog.contextvars import bound_contextvars

from headwater.engine.context import JobContext, LeaseRenewer
from headwater.engine.isolation import bisect_batch, bisect_commit, error_reason
from headwater.model.document import Document
from headwater.model.errors import Permanent
from headwater.model.jobs import GatherResult, GroupBatch, Job, Postponement, Quarantine, Task
from headwater.model.recipe import MOST_CLUSTERED, Cluster, Grouping, Recipe, StoryContext, StoryDescriber
from headwater.model.story import Member, Story
from headwater.stories.identity import inherit_story_ids

GROUPS_AT_ONCE = 20


def gather(context: JobContext, job: Job) -> int:
    """Clusters the groups that have settled and returns how many."""
    recipe = context.recipe(job)
    grouping = recipe.grouping
    claim = context.claim(job, GROUPS_AT_ONCE)
    claimed = context.store.claim_groups(
        claim,
        full_documents=grouping is None or grouping.full_documents,
        window=None if grouping is None else grouping.window,
        most=MOST_CLUSTERED if grouping is None else grouping.most,
    )
    groups, released = context.split_suspects(claimed)
    if not groups:
        return 0
    if released:
        results = [GatherResult(group=g.id, version=g.version, later=context.postpone()) for g in released]
        context.store.finish_gather(results, context.owner, context.clock())
    lease_renewer = LeaseRenewer(context, Task.GATHER)

    log = context.log.bind(recipe=recipe.name, job="gather")

    def cluster(batch: Sequence[GroupBatch]) -> list[GatherResult]:
        results = []
        for group in batch:
            lease_renewer.renew_if_due()
            with bound_contextvars(key=group.id):
                results.append(replace(_cluster_group(context, recipe, group), claimed_at=claim.now))
                log.info("gathered", documents=len(group.documents), stories=len(results[-1].stories))
        return results

    results = bisect_batch(cluster, groups, partial(_failure, context, recipe))
    bisect_commit(
        lambda batch: context.store.finish_gather(batch, context.owner, context.clock()),
        results,
        _replace_unstorable,
    )
    return len(groups)


def _failure(context: JobContext, recipe: Recipe, group: GroupBatch, error: Exception) -> GatherResult:
    consequence = context.handle_failure(error, group.attempts)
    log = context.log.bind(recipe=recipe.name, job="gather", key=group.id)
    log.warning("group failed", reason=consequence.reason)
    if isinstance(consequence, Postponement):
        return GatherResult(group=group.id, version=group.version, later=consequence)
    return GatherResult(group=group.id, version=group.version, quarantine=consequence)


def _replace_unstorable(result: GatherResult, error: Exception) -> GatherResult:
    reason, detail = error_reason(error)
    quarantine = Quarantine(reason=reason, detail=detail)
    return GatherResult(group=result.group, version=result.version, quarantine=quarantine)


def _cluster_group(context: JobContext, recipe: Recipe, group: GroupBatch) -> GatherResult:
    """Returns the stories that differ from those that are stored: most stories of a large group stay as they are."""
    context.check_worker_deaths(group.attempts)
    previous = {story.id: story for story in group.stories}
    stories = _cluster_stories(context, recipe, group, previous)
    stored_ids = {story.id for story in stories if story == previous.get(story.id)}
    changed_stories = tuple(story for story in stories if story.id not in stored_ids)
    routes = {
        story.id: tuple(r.name for r in recipe.routes if r.of == "story" and r.when(story))
        for story in changed_stories
    }
    return GatherResult(
        group=group.id,
        version=group.version,
        clustered_ids=tuple(story_id for story_id in previous if story_id not in stored_ids),
        stories=changed_stories,
        changes=group.changes,
        has_more=group.has_more,
        routes=routes,
    )


def _cluster_stories(
    context: JobContext, recipe: Recipe, group: GroupBatch, previous: Mapping[str, Story]
) -> tuple[Story, ...]:
    if recipe.grouping is None:
        return ()
    clusters = [cluster for cluster in recipe.grouping.cluster(group.documents) if cluster.members]
    members = [frozenset(group.documents[i].id for i, _ in cluster.members) for cluster in clusters]
    ids = inherit_story_ids(members, group.stories, group.id, group.reserved_ids)
    now, changes = context.clock(), frozenset(group.changes)
    stories: dict[str, Story] = {}
    to_describe: list[StoryContext] = []
    for rank, (cluster, story_id) in enumerate(zip(clusters, ids, strict=True), 1):
        before = previous.get(story_id)
        story = _make_story(recipe, group, cluster, story_id, before)
        if before is not None and _keeps_description(recipe.grouping, story, before, changes):
            stories[story_id] = before
            continue
        stories[story_id] = story
        documents = tuple(group.documents[i] for i, _ in cluster.members)
        to_describe.append(StoryContext(story=story, documents=documents, before=before, rank=rank, now=now))
    if recipe.grouping.describe is not None:
        stories |= {story.id: story for story in _describe(recipe.grouping.describe, to_describe)}
    return tuple(stories.values())


def _describe(describe: StoryDescriber, contexts: Sequence[StoryContext]) -> Sequence[Story]:
    described = describe(contexts)
    if len(described) != len(contexts):
        raise Permanent("bad_description", f"{len(described)} stories for {len(contexts)}")
    return described


def _keeps_description(grouping: Grouping, story: Story, before: Story, changes: frozenset[str]) -> bool:
    """Whether describing the story again would return what is stored. A story without attributes was stored before its recipe
    described stories."""
    return (
        grouping.describes_documents
        and (grouping.describe is None or bool(before.attributes))
        and story.revision == before.revision
        and changes.isdisjoint(member.document for member in story.members)
    )


def _make_story(
    recipe: Recipe, group: GroupBatch, cluster: Cluster, story_id: str, previous: Story | None
) -> Story:
    documents = [group.documents[i] for i, _ in cluster.members]
    unsorted = (Member(group.documents[i].id, similarity) for i, similarity in cluster.members)
    members = tuple(sorted(unsorted, key=lambda member: member.document))
    first_at, last_at = _time_span(documents)
    return Story(
        id=story_id,
        recipe=recipe.name,
        group=group.id,
        title=cluster.title,
        members=members,
        first_at=first_at,
        last_at=last_at,
        revision=_revision(previous, members, cluster.title),
    )


def _revision(previous: Story | None, members: tuple[Member, ...], title: str) -> int:
    if previous is None:
        return 1
    unchanged = previous.members == members and previous.title == title
    return previous.revision if unchanged else previous.revision + 1


def _time_span(documents: Sequence[Document]) -> tuple[datetime | None, datetime | None]:
    times = [document.published for document in documents if document.published]
    return (min(times), max(times)) if times else (None, None)
