"""What becomes of an item, given what its source provided and what its page brought. Decides only; reads nothing."""

from dataclasses import dataclass
from datetime import timedelta

from headwater.model.outcomes import Drop, Reading, SetAside, Unreadable
from headwater.model.page import PageMode, PageState, page_state
from headwater.model.source import Lead

# Another request would get the same answer.
DEAD_ENDS = frozenset(
    {"http_401", "http_402", "http_404", "http_410", "http_451", "robots", "reserved", "forbidden_address"}
)
# Pages that never have text. The others may have one when they are read in another way.
FINAL_REASONS = DEAD_ENDS | {"paywall", "login", "error_page", "soft_404", "unsupported", "not_an_article"}

# Answers of servers that turn us away. They are asked again, but most of them answer the same.
REFUSALS = frozenset({"http_403", "http_429"})
# An item does not wait longer than this for its page.
LONGEST_WAIT = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class FromSource:
    """The document is made of what the source provided; its page is in this state, for this reason."""

    page: PageState
    reason: str


PageDecision = Reading | FromSource | Drop | SetAside
"""A reading: the document is made of the page, completed by what the source provided."""


def provides_document(entry: Lead) -> bool:
    """Whether the source provided enough for a document: more than an address."""
    return bool(entry.title or entry.body or entry.hints.get("summary"))


def stands_alone(entry: Lead, mode: PageMode) -> bool:
    """Whether the item is stored even if its page cannot be read."""
    return mode is not PageMode.REQUIRE and provides_document(entry)


def is_stored_meanwhile(entry: Lead, mode: PageMode, reason: str, delay: timedelta) -> bool:
    """Whether an item whose page is requested again after `delay` is stored before that, without its page."""
    return stands_alone(entry, mode) and (reason in REFUSALS or delay >= LONGEST_WAIT)


def decide_page(
    entry: Lead, mode: PageMode, page: Reading | Unreadable, *, may_render: bool = False
) -> PageDecision:
    """`may_render`: a browser has not seen the page yet and may find its text."""
    if isinstance(page, Reading):
        return page
    if may_render:
        return SetAside(page.reason, _evidence(page))
    if not stands_alone(entry, mode):
        return outcome_of_unreadable(page)
    return FromSource(PageState.NOT_FETCHED if entry.is_complete else page_state(page.reason), page.reason)


def outcome_of_unreadable(unreadable: Unreadable) -> Drop | SetAside:
    """Returns the outcome for an item that needs its page."""
    if unreadable.reason in FINAL_REASONS:
        return Drop(unreadable.reason, evidence=_evidence(unreadable))
    return SetAside(unreadable.reason, _evidence(unreadable))


def _evidence(unreadable: Unreadable) -> dict[str, str]:
    return {"detail": unreadable.detail} if unreadable.detail else {}
