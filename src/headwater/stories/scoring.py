"""Stories compared by their scores."""

from collections.abc import Mapping


def top_share(scores: Mapping[str, float], share: float = 0.10) -> tuple[str, ...]:
    """The names of the top share by score, at least one; ties are ordered by name."""
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    return tuple(ranked[: max(1, int(len(ranked) * share))])
