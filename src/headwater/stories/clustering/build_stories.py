"""Builds stories from items, group by group, with ids that last."""

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
    embeddings: Matrix | None = None,
    *,
    profile: ClusterProfile = "default",
    earlier: Sequence[Story] = (),
    window: int = WINDOW,
) -> list[Story]:
    """Every item is in exactly one story of its group; the largest story of a group comes first, then the most recent.

    `earlier` are the stories of the last run: a story that continues keeps its id.
    """
    groups: dict[str, list[int]] = defaultdict(list)
    for position, item in enumerate(items):
        groups[item.group].append(position)
    stories: list[Story] = []
    for group, positions in sorted(groups.items()):
        group_items = [items[position] for position in positions]
        clusters = cluster_items(
            group_items, None if embeddings is None else embeddings[positions], profile=profile, window=window
        )
        earlier_of_group = [story for story in earlier if story.group == group]
        members = [
            frozenset(group_items[position].id for position, _ in cluster.members) for cluster in clusters
        ]
        ids = inherit_story_ids(members, earlier_of_group, group)
        stories += [
            _story(name, group, group_items, cluster) for name, cluster in zip(ids, clusters, strict=True)
        ]
    return stories


def _story(name: str, group: str, items: Sequence[StoryItem], cluster: Cluster) -> Story:
    moments = [moment for position, _ in cluster.members if (moment := items[position].published_at)]
    return Story(
        id=name,
        recipe="",
        group=group,
        title=cluster.title,
        members=tuple(Member(items[position].id, similarity) for position, similarity in cluster.members),
        first_at=min(moments, default=None),
        last_at=max(moments, default=None),
    )
