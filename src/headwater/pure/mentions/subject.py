"""Whom or what documents may be about."""

from collections.abc import Iterable
from dataclasses import dataclass

from headwater.pure.mentions.alias import Alias
from headwater.pure.mentions.matcher import Matcher, build_matcher


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A company, a person, a place: its key, what people call it, and all its names. One that is not active is not
    looked for."""

    id: str
    name: str
    kind: str = "company"
    active: bool = True
    aliases: tuple[Alias, ...] = ()


def matcher_of(subjects: Iterable[Subject], profile: str = "words") -> Matcher:
    return build_matcher((alias for one in subjects if one.active for alias in one.aliases), profile)
