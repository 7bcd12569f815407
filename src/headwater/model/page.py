"""Pages of news items: whether they are fetched, and in which state each was."""

from enum import StrEnum


class PageMode(StrEnum):
    """What a source wants with the pages of its items. `never`: they are not requested, and what the source provides is
    the document. `try`: they are requested; without a readable page, what the source provides is the document.
    `require`: without a readable page there is no document, only a reason."""

    NEVER = "never"
    TRY = "try"
    REQUIRE = "require"


class PageState(StrEnum):
    """The state of a document's page. The text of a document comes from its page only in the state `read`."""

    READ = "read"
    NOT_NEEDED = "not_needed"  # the source delivered the whole text
    NOT_FETCHED = "not_fetched"  # the source's pages are not requested
    FORBIDDEN = "forbidden"
    PAYWALL = "paywall"
    MISSING = "missing"
    DISALLOWED = "disallowed"  # robots.txt, a reservation of rights, or an address that must not be requested
    SCRIPT_ONLY = "script_only"  # a shell for a script, or a check for robots
    CONSENT_WALL = "consent_wall"
    ERROR_PAGE = "error_page"
    NOT_AN_ARTICLE = "not_an_article"  # another kind of file
    UNREADABLE = "unreadable"
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"


_NAMES = frozenset(PageState)
WITH_WHOLE_TEXT = frozenset({PageState.READ, PageState.NOT_NEEDED})
# The page was wanted, and the document does without its text.
UNREAD_PAGES = frozenset(PageState) - WITH_WHOLE_TEXT - {PageState.NOT_FETCHED}

# The reasons of fetches and extractors. Every other reason of a fetch means that the page was not reached.
_STATES = {
    "http_401": PageState.FORBIDDEN,
    "http_403": PageState.FORBIDDEN,
    "http_429": PageState.FORBIDDEN,
    "http_451": PageState.FORBIDDEN,
    "undeclared_agent": PageState.FORBIDDEN,
    "login": PageState.FORBIDDEN,
    "http_402": PageState.PAYWALL,
    "http_404": PageState.MISSING,
    "http_410": PageState.MISSING,
    "soft_404": PageState.MISSING,
    "robots": PageState.DISALLOWED,
    "reserved": PageState.DISALLOWED,
    "forbidden_address": PageState.DISALLOWED,
    "js_required": PageState.SCRIPT_ONLY,
    "consent": PageState.CONSENT_WALL,
    "unsupported": PageState.NOT_AN_ARTICLE,
    **dict.fromkeys(
        (
            "redirect_stub",
            "no_text",
            "requires_ocr",
            "encrypted",
            "malformed",
            "extractor_died",
            "extractor_timeout",
            "extractor_memory",
        ),
        PageState.UNREADABLE,
    ),
}


def page_state(reason: str) -> PageState:
    """The state of a page that gave no text, for this reason. A state is its own reason."""
    return PageState(reason) if reason in _NAMES else _STATES.get(reason, PageState.UNREACHABLE)


def may_answer_tomorrow(reason: str) -> bool:
    """Whether a page without text for this reason is worth another request without being asked to: it was not reached, or came
    too soon after others."""
    return reason == "http_429" or page_state(reason) is PageState.UNREACHABLE


def has_whole_text(page: str) -> bool:
    """Whether a document with this page state has its whole text. One that was never given a state counts as read."""
    return not page or page in WITH_WHOLE_TEXT
