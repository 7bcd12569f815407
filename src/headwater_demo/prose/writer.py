"""Writes one article: a hand-written one while any are left, otherwise one from the grammar."""

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
    """Every second article of a language is hand-written until those are used up."""
    articles = HANDWRITTEN[language]
    if serial % 2 == 0 and serial // 2 < len(articles):
        return articles[serial // 2]
    return _generated(topic, PROSE_LANGUAGES[language], today, chance)


def _generated(topic: Topic, prose: ProseLanguage, today: datetime, chance: Random) -> ArticleText:
    phrases, cast = prose.topics[topic], cast_for(chance, prose.cities)

    def say(template: str) -> str:
        return expand(template, cast, prose, today, chance)

    # Headline and lead report the same event, so they also share their figures.
    shared = cast | figures(prose, today, chance)
    title, lead = (expand(part, shared, prose, today, chance) for part in chance.choice(phrases.openings))
    paragraphs = [" ".join(map(say, part)) for part in _outline(topic, prose, chance)]
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


def _outline(topic: Topic, prose: ProseLanguage, chance: Random) -> list[list[str]]:
    """Templates of the paragraphs after the lead; no template is used twice in one text."""
    facts = _facts(topic, prose, chance)
    size = len(facts)
    quotes = chance.sample(prose.quotes, max(1, size // 4))
    background = chance.sample(prose.background, max(2, size // 3))
    sentences: list[str] = []
    for position, fact in enumerate(facts):
        sentences.append(fact)
        if position % 4 == 2 and quotes:
            sentences.append(quotes.pop())
        if position % 3 == 1 and background:
            sentences.append(background.pop())
    return [*_paragraphs(sentences, chance), [chance.choice(prose.endings)]]


def _facts(topic: Topic, prose: ProseLanguage, chance: Random) -> list[str]:
    """About half of the facts, so that two texts differ; one in eight is a long read that touches a second topic."""
    facts = prose.topics[topic].facts
    chosen_facts = chance.sample(facts, chance.randint(8, len(facts) // 2 + 1))
    other = prose.topics[chance.choice([item for item in TOPICS if item != topic])].facts
    if chance.random() < _LONG_READS and other != facts:
        chosen_facts += chance.sample(other, len(other) // 2) + [
            item for item in facts if item not in chosen_facts
        ]
    return chosen_facts


def _paragraphs(sentences: list[str], chance: Random) -> list[list[str]]:
    joined: list[list[str]] = []
    while sentences:
        take = chance.randint(2, 4)
        joined.append(sentences[:take])
        sentences = sentences[take:]
    return joined
