"""Stories keep their ids when a group is clustered again."""

from collections import Counter
from collections.abc import Sequence

from headwater.model.keys import key
from headwater.model.story import Story


def inherit_story_ids(
    clusters: Sequence[frozenset[str]],
    earlier: Sequence[Story],
    group: str,
    ended: frozenset[str] = frozenset(),
) -> list[str]:
    """A story id per cluster: that of the earlier story with which it shares most members, used once; else a new id.

    Ties go to the larger story, then to the smaller id, so the result does not depend on the input order. A new id is
    never that of an ended story: its deliveries are final.
    """
    sizes = {story.id: len(story.members) for story in earlier}
    stories_of: dict[str, list[str]] = {}
    for story in earlier:
        for member in story.members:
            stories_of.setdefault(member.document, []).append(story.id)
    pairs = sorted(
        (-shared, -sizes[story], story, min(cluster), position)
        for position, cluster in enumerate(clusters)
        for story, shared in Counter(
            shared_id for document in cluster for shared_id in stories_of.get(document, ())
        ).items()
    )
    chosen: dict[int, str] = {}
    assigned: set[str] = set()
    for _, _, candidate, _, position in pairs:
        if position not in chosen and candidate not in assigned:
            chosen[position] = candidate
            assigned.add(candidate)
    used = set(sizes) | ended
    for smallest_member, position in sorted(
        (min(cluster), position) for position, cluster in enumerate(clusters)
    ):
        if position not in chosen:
            chosen[position] = _new_id(group, smallest_member, used)
            used.add(chosen[position])
    return [chosen[position] for position in range(len(clusters))]


def _new_id(group: str, seed: str, used: set[str]) -> str:
    attempt = 0
    while (candidate := story_key(group, seed, attempt)) in used:
        attempt += 1
    return candidate


def story_key(group: str, seed: str, attempt: int) -> str:
    """The id of a new story; `seed` is the smallest id among its documents."""
    return key("story", group, seed, str(attempt))
