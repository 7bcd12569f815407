"""Stories keep their identity when a group is divided anew."""

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
    """A story id per cluster: the earlier story with which it shares most members, one cluster each; else a new id.

    Ties go to the larger story, then to the smaller id, so that the order of the input changes nothing. A new id is
    none of the ended ones: what was delivered of them is over.
    """
    sizes = {story.id: len(story.members) for story in earlier}
    told_in: dict[str, list[str]] = {}
    for story in earlier:
        for member in story.members:
            told_in.setdefault(member.document, []).append(story.id)
    pairs = sorted(
        (-shared, -sizes[story], story, min(cluster), position)
        for position, cluster in enumerate(clusters)
        for story, shared in Counter(s for document in cluster for s in told_in.get(document, ())).items()
    )
    chosen: dict[int, str] = {}
    given: set[str] = set()
    for _, _, candidate, _, position in pairs:
        if position not in chosen and candidate not in given:
            chosen[position] = candidate
            given.add(candidate)
    taken = set(sizes) | ended
    for first, position in sorted((min(cluster), position) for position, cluster in enumerate(clusters)):
        if position not in chosen:
            chosen[position] = _fresh(group, first, taken)
            taken.add(chosen[position])
    return [chosen[position] for position in range(len(clusters))]


def _fresh(group: str, seed: str, taken: set[str]) -> str:
    turn = 0
    while (candidate := key("story", group, seed, str(turn))) in taken:
        turn += 1
    return candidate
