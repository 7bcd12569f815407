"""Stories keep their identity when a group is divided anew."""

from collections.abc import Sequence

from headwater.model.story import Story
from headwater.pure.keys import key


def inherit(
    clusters: Sequence[frozenset[str]],
    earlier: Sequence[Story],
    group: str,
    ended: frozenset[str] = frozenset(),
) -> list[str]:
    """A story id per cluster: the earlier story with which it shares most members, one cluster each; else a new id.

    Ties go to the larger, then to the smaller id, so that the order of the input changes nothing. A new id is none
    of the ended ones: what was delivered of them is over.
    """
    pairs = sorted(
        (-len(cluster & members), -len(members), story, sorted(cluster), position)
        for position, cluster in enumerate(clusters)
        for story, members in ((s.id, frozenset(m.document for m in s.members)) for s in earlier)
        if cluster & members
    )
    chosen: dict[int, str] = {}
    for _, _, story, _, position in pairs:
        if position not in chosen and story not in chosen.values():
            chosen[position] = story
    taken = {story.id for story in earlier} | ended
    for position, cluster in sorted(enumerate(clusters), key=lambda pair: sorted(pair[1])):
        if position not in chosen:
            chosen[position] = _fresh(group, min(cluster), taken)
            taken.add(chosen[position])
    return [chosen[position] for position in range(len(clusters))]


def _fresh(group: str, seed: str, taken: set[str]) -> str:
    turn = 0
    while (candidate := key("story", group, seed, str(turn))) in taken:
        turn += 1
    return candidate
