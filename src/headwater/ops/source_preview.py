"""What a source of a known kind would bring: a preview like that of a detected one, made by a trial poll."""

import re
from collections.abc import Sequence
from datetime import timedelta

from headwater.app import App
from headwater.model.errors import Permanent, Refused, Temporary
from headwater.model.recipe import Discover
from headwater.model.source import Lead, Source
from headwater.ops.source_detection import (
    SHOWN_ITEMS,
    PreviewItem,
    SourceCandidate,
    UnusableSource,
    guess_language,
    with_page_permission,
)
from headwater.ops.source_registration import check_source
from headwater.ops.trial_poll import TrialPoll, poll_on_trial
from headwater.sources.update_frequency import learn_frequency
from headwater.text.markup import text_of_markup

LANGUAGE_LEADS = 20
BODY_SAMPLE = 4_000
PREVIEWED = ("feed", "page")
"""What was detected as such was read whole, so that it has its preview."""
PAGE_TITLE = re.compile(r"<title[^<>]*>([^<]*)</title", re.IGNORECASE)


def check_by_trial(app: App, source: Source, within: timedelta) -> SourceCandidate:
    """What a source that is to be added lists now. Raises Refused if its recipe cannot use it, or if it cannot be polled."""
    recipe = app.recipe(source.recipe)
    check_source(source, recipe)
    return preview_source(app, source, recipe.discover[source.kind], within)


def preview_source(app: App, source: Source, discover: Discover, within: timedelta) -> SourceCandidate:
    """What the source lists now. Raises Refused if it cannot be polled; `within` is the time limit of a request."""
    try:
        trial = poll_on_trial(app, source, discover, within)
    except (Permanent, Temporary, Refused) as error:
        raise UnusableSource(source.url or source.name, error.detail or error.reason, error.reason) from error
    return with_page_permission(app, summarise_trial(source, trial), within)


def summarise_trial(source: Source, trial: TrialPoll) -> SourceCandidate:
    """The newest items, the rhythm and the language of what a trial poll listed."""
    dates = [lead.published for lead in trial.leads if lead.published]
    frequency = learn_frequency(dates)
    newest = sorted(trial.leads, key=_seconds, reverse=True)
    return SourceCandidate(
        kind=source.kind,
        url=source.url,
        title=(trial.leads[0].title or "") if source.kind == "page" and trial.leads else "",
        items=tuple(
            PreviewItem(_title(lead) or lead.url or lead.identity, lead.url, lead.published)
            for lead in newest[:SHOWN_ITEMS]
        ),
        item_count=len(trial.leads),
        has_more=not trial.is_complete,
        every=frequency.every if frequency else None,
        language=_language(newest),
        note=_note(source.kind, trial),
    )


def _title(lead: Lead) -> str:
    """As the source states it, else that of the page, where a crawl brought it."""
    if lead.title:
        return lead.title
    match = PAGE_TITLE.search((lead.body or "")[:BODY_SAMPLE])
    return text_of_markup(match[1]) if match else ""


def _seconds(lead: Lead) -> float:
    return lead.published.timestamp() if lead.published else 0.0


def _language(leads: Sequence[Lead]) -> str:
    """As the items state it, else that of their titles and texts."""
    stated = {str(lead.hints["language"]) for lead in leads if lead.hints.get("language")}
    if len(stated) == 1:
        return stated.pop()
    texts = [(lead.title, lead.hints.get("summary"), lead.body) for lead in leads[:LANGUAGE_LEADS]]
    words = (text_of_markup(str(text)[:BODY_SAMPLE]) for parts in texts for text in parts if text)
    return guess_language(". ".join(words))


def _note(kind: str, trial: TrialPoll) -> str:
    if trial.leads:
        return "watched for changes" if kind == "page" else ""
    return "; ".join(("it lists nothing now", *trial.warnings[:1]))
