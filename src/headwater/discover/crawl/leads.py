"""A recognised page as a lead that carries it, so that it is not fetched twice."""

from hashlib import sha256

from headwater.model.lead import Lead
from headwater.model.web import Response
from headwater.pure.crawling import Page
from headwater.pure.urls import canonical

BYTE_ORDER_MARK = "\ufeff"


def lead_with_page(response: Response, page: Page, markers: tuple[str, ...], robots: frozenset[str]) -> Lead:
    """The version is the body's hash: an unchanged page changes nothing."""
    hints = {"markers": list(markers), "robots": sorted(robots)}
    return Lead(
        identity=canonical(response.url),
        url=response.url,
        version=sha256(response.body).hexdigest()[:16],
        # The text is handed on as UTF-8 whatever the page says of itself; the mark outweighs its declaration.
        body=BYTE_ORDER_MARK + page.text.lstrip(BYTE_ORDER_MARK).replace("\x00", ""),
        body_type="text/html",
        hints={name: value for name, value in hints.items() if value},
    )


def lead_to_file(url: str, version: str = "") -> Lead:
    """Something that is no page: the fetch task gets it."""
    return Lead(identity=canonical(url), url=url, version=version)
