"""Writes one piece: a hand-written one as long as there are some left, otherwise one from the grammar."""

from datetime import datetime
from random import Random

from headwater_demo.article import TOPICS, Topic
from headwater_demo.prose.cast import cast_for, person_name
from headwater_demo.prose.grammar import expand, figures
from headwater_demo.prose.handwritten import HANDWRITTEN
from headwater_demo.prose.languages import PROSE_LANGUAGES
from headwater_demo.prose.text import ArticleText, ProseLanguage

_LONG_READS = 0.12


def write(topic: Topic, language: str, serial: int, today: datetime, chance: Random) -> ArticleText:
    """Every second piece of a language is hand-written until those are used up."""
    written = HANDWRITTEN[language]
    if serial % 2 == 0 and serial // 2 < len(written):
        return written[serial // 2]
    return _generated(topic, PROSE_LANGUAGES[language], today, chance)


def _generated(topic: Topic, tongue: ProseLanguage, today: datetime, chance: Random) -> ArticleText:
    phrases, cast = tongue.topics[topic], cast_for(chance, tongue.cities)

    def say(template: str) -> str:
        return expand(template, cast, tongue, today, chance)

    # Headline and lead tell the same event, so they also share their figures.
    told = cast | figures(tongue, today, chance)
    title, lead = (expand(part, told, tongue, today, chance) for part in chance.choice(phrases.openings))
    paragraphs = [" ".join(map(say, part)) for part in _outline(topic, tongue, chance)]
    return ArticleText(
        title=title,
        author=next(
            author for author in iter(lambda: person_name(chance), "") if author not in cast.values()
        ),
        description=lead,
        keywords=(topic, cast["token"].lower(), *chance.sample(phrases.keywords, 2)),
        paragraphs=(lead, *paragraphs),
        topic=topic,
    )


def _outline(topic: Topic, tongue: ProseLanguage, chance: Random) -> list[list[str]]:
    """Templates of the paragraphs after the lead; no template is used twice in one text."""
    facts = _facts(topic, tongue, chance)
    size = len(facts)
    quotes = chance.sample(tongue.quotes, max(1, size // 4))
    background = chance.sample(tongue.background, max(2, size // 3))
    sentences: list[str] = []
    for position, fact in enumerate(facts):
        sentences.append(fact)
        if position % 4 == 2 and quotes:
            sentences.append(quotes.pop())
        if position % 3 == 1 and background:
            sentences.append(background.pop())
    return [*_paragraphs(sentences, chance), [chance.choice(tongue.endings)]]


def _facts(topic: Topic, tongue: ProseLanguage, chance: Random) -> list[str]:
    """About half of what can be said, so that two texts differ; one in eight is a long read that touches a second topic."""
    facts = tongue.topics[topic].facts
    told = chance.sample(facts, chance.randint(8, len(facts) // 2 + 1))
    other = tongue.topics[chance.choice([item for item in TOPICS if item != topic])].facts
    if chance.random() < _LONG_READS and other != facts:
        told += chance.sample(other, len(other) // 2) + [item for item in facts if item not in told]
    return told


def _paragraphs(sentences: list[str], chance: Random) -> list[list[str]]:
    joined: list[list[str]] = []
    while sentences:
        take = chance.randint(2, 4)
        joined.append(sentences[:take])
        sentences = sentences[take:]
    return joined
