"""Texts before they are published, and the phrases they are generated from."""

from dataclasses import dataclass

from headwater_demo.article import Topic


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleText:
    title: str
    author: str
    description: str
    keywords: tuple[str, ...]
    paragraphs: tuple[str, ...]
    topic: Topic | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    """What the grammar draws from for one topic in one language; an opening is a headline with its lead."""

    openings: tuple[tuple[str, str], ...]
    facts: tuple[str, ...]
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProseLanguage:
    """One language: phrases per topic, and what every topic shares."""

    topics: dict[Topic, Phrases]
    quotes: tuple[str, ...]
    background: tuple[str, ...]
    endings: tuple[str, ...]
    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    date: str
    decimal: str
    cities: tuple[str, ...]
