"""Subjects, made findable."""

from collections.abc import Iterable

from headwater.model.subject import Subject
from headwater.pure.mentions.matcher import Matcher, build_matcher

__all__ = ["Subject", "matcher_of"]


def matcher_of(subjects: Iterable[Subject], profile: str = "words") -> Matcher:
    return build_matcher((alias for one in subjects if one.active for alias in one.aliases), profile)
