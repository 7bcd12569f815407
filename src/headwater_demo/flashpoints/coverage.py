"""What the newspapers make of the events: reports, updates, copies, edited copies, follow-ups and round-ups."""

from collections.abc import Iterator
from functools import cache
from itertools import count
from random import Random

from headwater_demo.flashpoints.papers import NEWSPAPERS, PLACES, Newspapers
from headwater_demo.flashpoints.reports import Report
from headwater_demo.flashpoints.timeline import EVENTS, LANGUAGES, ROUND_UPS, Event, EventText, event_texts

WEEK = 7 * 24
Draft = tuple[str, str, float, str, tuple[str, ...]]
"""Kind, host, hours after the event, title, paragraphs."""


@cache
def coverage() -> tuple[Report, ...]:
    """The reports of a month, in the order of events; always the same."""
    return tuple(
        report
        for event in EVENTS
        for language in LANGUAGES
        if event.name in event_texts(event.flashpoint, language)
        for report in _reports(event, language)
    ) + tuple(round_up for hours in ROUND_UPS for round_up in _round_ups(hours))


def _reports(event: Event, language: str) -> Iterator[Report]:
    texts = event_texts(event.flashpoint, language)
    background = texts["background"].details
    drafts = _drafts(
        event, texts[event.name], background, NEWSPAPERS[language], Random(event.name + language)
    )
    for number, (kind, host, delay, title, paragraphs) in zip(count(1), drafts, strict=False):
        yield Report(
            event.flashpoint,
            event.story,
            host,
            round(event.hours + delay, 2),
            event.category if kind in ("report", "update") else "",
            title,
            "\n\n".join(paragraphs),
            language=language,
            slug=f"{event.name.replace('.', '-')}-{number}",
            kind=kind,
        )


def _drafts(
    event: Event, text: EventText, background: tuple[str, ...], papers: Newspapers, chance: Random
) -> Iterator[Draft]:
    first, second, third = text.headlines
    early, late = text.leads
    details = text.details
    aside, other_aside = chance.sample(background, 2)
    join = papers.joint.join
    short = (join((early, details[0])), details[1])
    article = (late, join((details[1], details[2])), aside)
    yield "report", papers.agency, chance.uniform(0, 0.6), first, short
    yield "report", papers.first_paper, chance.uniform(1, 4), second, article
    if event.reach == "small":
        return
    yield (
        "report",
        papers.second_paper,
        chance.uniform(2, 6),
        third,
        (join((early, details[2])), other_aside, details[-1]),
    )
    yield "copy", papers.copier, chance.uniform(1, 5), first, short
    if event.reach == "medium":
        return
    yield (
        "update",
        papers.agency,
        chance.uniform(2.5, 4),
        papers.update.format(first),
        (*short, join(details[2:]), other_aside),
    )
    yield "edited_copy", papers.copier, chance.uniform(5, 7), second, (article[0], article[1], papers.credit)
    yield (
        "follow_up",
        papers.second_paper,
        chance.uniform(8, 13),
        papers.follow_up.format(second),
        (join((details[-1], late)), join((details[0], details[1])), aside),
    )


def _round_ups(hours: float) -> Iterator[Report]:
    """One per flashpoint and language in which several events of the week were reported. It belongs to no story."""
    for flashpoint, names in PLACES.items():
        for language, place in names.items():
            papers, texts = NEWSPAPERS[language], event_texts(flashpoint, language)
            leads = [
                texts[event.name].leads[1]
                for event in EVENTS
                if event.flashpoint == flashpoint
                and hours - WEEK <= event.hours < hours
                and event.name in texts
            ]
            if len(leads) > 1:
                yield Report(
                    flashpoint,
                    "",
                    papers.first_paper,
                    hours,
                    "",
                    papers.round_up.format(place),
                    "\n\n".join((papers.round_up_intro, *leads)),
                    language=language,
                    slug=f"round-up-{-hours:.0f}-{language}",
                    kind="round_up",
                )
