"""Items into stories with names that last: strictly group by group."""

from collections import defaultdict
from collections.abc import Sequence

from headwater.model.recipe import Cluster
from headwater.model.story import Member, Story
from headwater.stories.clustering.cluster_items import ClusterProfile, cluster_items
from headwater.stories.clustering.similarity import Matrix, StoryItem
from headwater.stories.clustering.windows import WINDOW
from headwater.stories.identity import inherit_story_ids


def build_stories(
    items: Sequence[StoryItem],
    meanings: Matrix | None = None,
    *,
    profile: ClusterProfile = "default",
    earlier: Sequence[Story] = (),
    window: int = WINDOW,
) -> list[Story]:
    """Every item in exactly one story of its group; of each group the largest story first, then the most recent.

    `earlier` are the stories told before: a story that goes on keeps its id.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for position, item in enumerate(items):
        groups[item.group].append(position)
    told: list[Story] = []
    for group, positions in sorted(groups.items()):
        inside = [items[position] for position in positions]
        clusters = cluster_items(
            inside, None if meanings is None else meanings[positions], profile=profile, window=window
        )
        before = [story for story in earlier if story.group == group]
        members = [frozenset(inside[place].id for place, _ in cluster.members) for cluster in clusters]
        names = inherit_story_ids(members, before, group)
        told += [_story(name, group, inside, cluster) for name, cluster in zip(names, clusters, strict=True)]
    return told


def _story(name: str, group: str, items: Sequence[StoryItem], cluster: Cluster) -> Story:
    moments = [moment for place, _ in cluster.members if (moment := items[place].published_at)]
    return Story(
        id=name,
        recipe="",
        group=group,
        title=cluster.title,
        members=tuple(Member(items[place].id, value) for place, value in cluster.members),
        first_at=min(moments, default=None),
        last_at=max(moments, default=None),
    )
