"""Groups to stories: divide anew, keep identities, commit."""

from collections.abc import Sequence
from datetime import datetime

from headwater.engine.alone import commit_apart, divide, explain
from headwater.engine.desk import Desk
from headwater.engine.pulse import Pulse
from headwater.model.document import Document
from headwater.model.recipe import Cluster, Recipe, Told
from headwater.model.story import Member, Story
from headwater.model.work import Bundle, Gathered, Job, Later, Quarantined, Task
from headwater.pure.identity import inherit

GROUPS_AT_ONCE = 20


def gather(desk: Desk, job: Job) -> int:
    """Gather the groups that have settled; gives how many."""
    recipe = desk.recipe(job)
    whole = recipe.grouping is None or recipe.grouping.whole
    bundles, rest = desk.one_suspect(desk.store.claim_groups(desk.claim(job, GROUPS_AT_ONCE), whole=whole))
    if not bundles:
        return 0
    if rest:
        back = [Gathered(group=b.id, marks=b.marks, later=desk.its_turn_comes()) for b in rest]
        desk.store.finish_gather(back, desk.owner, desk.clock())

    def failed(bundle: Bundle, error: Exception) -> Gathered:
        verdict = desk.judge(error, bundle.attempts)
        desk.log.warning(
            "group failed", recipe=recipe.name, job="gather", key=bundle.id, reason=verdict.reason
        )
        if isinstance(verdict, Later):
            return Gathered(group=bundle.id, marks=bundle.marks, later=verdict)
        return Gathered(group=bundle.id, marks=bundle.marks, quarantined=verdict)

    pulse = Pulse(desk, Task.GATHER)

    def divided(bundle: Bundle) -> Gathered:
        pulse.beat()
        return _divide_group(desk, recipe, bundle)

    results = divide(lambda batch: [divided(bundle) for bundle in batch], bundles, failed)
    commit_apart(lambda some: desk.store.finish_gather(some, desk.owner, desk.clock()), results, _unfit)
    return len(bundles)


def _unfit(gathered: Gathered, error: Exception) -> Gathered:
    """Divided, but not into stories that can be stored."""
    reason, detail = explain(error)
    apart = Quarantined(reason=reason, detail=detail)
    return Gathered(group=gathered.group, marks=gathered.marks, quarantined=apart)


def _divide_group(desk: Desk, recipe: Recipe, bundle: Bundle) -> Gathered:
    desk.refuse_deadly(bundle.attempts)
    if recipe.grouping is None:
        return Gathered(group=bundle.id, marks=bundle.marks)
    clusters = [cluster for cluster in recipe.grouping.cluster(bundle.documents) if cluster.members]
    inside = [frozenset(bundle.documents[i].id for i, _ in cluster.members) for cluster in clusters]
    names = inherit(inside, bundle.stories, bundle.id, bundle.ended)
    before = {story.id: story for story in bundle.stories}
    now = desk.clock()
    stories = tuple(
        _described(
            recipe,
            Told(
                story=_tell(recipe, bundle, cluster, name, before.get(name)),
                documents=tuple(bundle.documents[i] for i, _ in cluster.members),
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
    return Gathered(group=bundle.id, marks=bundle.marks, stories=stories, routes=routes)


def _described(recipe: Recipe, told: Told) -> Story:
    describe = recipe.grouping.describe if recipe.grouping else None
    return told.story if describe is None else describe(told)


def _tell(recipe: Recipe, bundle: Bundle, cluster: Cluster, name: str, before: Story | None) -> Story:
    documents = [bundle.documents[i] for i, _ in cluster.members]
    members = tuple(
        sorted(
            (Member(bundle.documents[i].id, s) for i, s in cluster.members),
            key=lambda member: member.document,
        )
    )
    unchanged = before is not None and before.members == members and before.title == cluster.title
    revision = 1 if before is None else before.revision if unchanged else before.revision + 1
    first, last = _span(documents)
    return Story(
        id=name,
        recipe=recipe.name,
        group=bundle.id,
        title=cluster.title,
        members=members,
        first_at=first,
        last_at=last,
        revision=revision,
    )


def _span(documents: Sequence[Document]) -> tuple[datetime | None, datetime | None]:
    times = [document.published for document in documents if document.published]
    return (min(times), max(times)) if times else (None, None)
