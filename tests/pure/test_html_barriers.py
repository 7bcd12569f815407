from datetime import UTC, datetime

import pytest

from headwater.extract.html.profiles.registry import html_reader
from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater_demo.site import SiteRequest
from headwater_demo.sites.odd_pages import HOST, sites

LONG = " ".join(
    ["The keeper of the lamp wrote down the wind, the tide and the names of those who came to visit."] * 12
)
PAGES = {
    "js_required": [
        '<html><head><title>App</title></head><body><div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript><script src="a.js"></script></body></html>',
        "<html><head><title>Just a moment...</title></head><body><h1>courier.example</h1><p>Checking your browser before you go on.</p></body></html>",
    ],
    "redirect_stub": [
        '<html><head><meta http-equiv="refresh" content="0; url=https://site.example/new"></head><body><a href="/new">Moved</a></body></html>',
        "<html><body><script>window.location.href = '/start';</script></body></html>",
    ],
    "soft_404": [
        "<html><head><title>Page not found</title></head><body><h1>404</h1><p>We could not find that page.</p></body></html>",
        "<html><head><title>Seite nicht gefunden</title></head><body><p>Diese Seite gibt es nicht.</p></body></html>",
        "<html><head><title>Rosby Courier - Error 404</title></head><body><p>Sorry, we looked everywhere, in every drawer and under every stone, but there is nothing at this address any more. Try the search, or begin again at the front page of the paper.</p></body></html>",
    ],
    "error_page": [
        "<html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1><p>Try later.</p></body></html>",
        "<html><head><title>Rosby Courier</title></head><body><p>HTTP 500. Please try again in a minute.</p></body></html>",
        "<html><head><title>Access denied</title></head><body><p>You have no permission to open this page.</p></body></html>",
    ],
    "consent": [
        "<html><head><title>Before you go on</title></head><body><div><p>We and our partners use cookies. Cookies help us.</p><button>Accept all cookies</button><button>Privacy settings</button></div></body></html>",
    ],
    "login": [
        '<html><head><title>Sign in</title></head><body><form><label>Email</label><input type="text"><label>Password</label><input type="password"><button>Sign in</button></form></body></html>',
    ],
    "paywall": [
        "<html><head><title>A story</title></head><body><article><h1>A story</h1><p>It began at dawn.</p><p>Subscribe to continue reading. Already a subscriber?</p></article></body></html>",
    ],
    "no_text": ["<html><body></body></html>", "", "<html><body><img src='a.png'></body></html>"],
}


@pytest.mark.parametrize(
    ("reason", "page"), [(reason, page) for reason, pages in PAGES.items() for page in pages]
)
def test_g7_a_page_without_text_says_why(reason, page):
    outcome = read_html(page.encode(), ExtractHints())
    assert isinstance(outcome, Unreadable), outcome
    assert outcome.reason == reason


@pytest.mark.parametrize(
    "title",
    [
        "400 Bad Request",
        "401 Authorization Required",
        "405 Not Allowed",
        "408 Request Time-out",
        "410 Gone",
        "501 Not Implemented",
        "502 Proxy Error",
        "521: Web server is down",
        "courier.example | 522: Connection timed out",
        "404 Page | Courier",
        "404: Courier",
        "(404)",
        "Oops, 404!",
        "The page you requested was not found on this server",
    ],
)
def test_g7_the_error_pages_of_servers_are_recognised_by_their_title(title):
    outcome = read_html(
        f"<html><head><title>{title}</title></head><body><h1>{title}</h1><hr>nginx</body></html>".encode(),
        ExtractHints(),
    )
    assert isinstance(outcome, Unreadable), outcome
    assert outcome.reason in {"error_page", "soft_404"}


@pytest.mark.parametrize("profile", ["selectors", "cascade"])
def test_g6_g7_other_profiles_name_the_same_reasons(profile):
    read = html_reader(profile)
    for reason, pages in PAGES.items():
        for page in pages:
            outcome = read(page.encode(), ExtractHints())
            assert (reason, page, getattr(outcome, "reason", outcome)) == (reason, page, reason)
    story = read(f"<html><body><article><p>{LONG}</p></article></body></html>".encode(), ExtractHints())
    assert isinstance(story, Reading)


@pytest.mark.parametrize(
    "extra",
    [
        "<div class='cookie-banner'><p>We use cookies. Accept cookies?</p><button>Accept</button></div>",
        "<noscript>Please enable JavaScript to see everything.</noscript>",
        "<a href='/login'>Log in</a><form><input type='password'></form>",
        "<p>Subscribe to continue reading our other stories.</p>",
    ],
)
def test_a_page_with_real_text_is_never_dropped(extra):
    page = f"<html><head><title>404 days at sea: error and wonder</title></head><body>{extra}<article><h1>404 days at sea</h1><p>{LONG}</p></article></body></html>"
    outcome = read_html(page.encode(), ExtractHints())
    assert isinstance(outcome, Reading), outcome
    assert "keeper of the lamp" in outcome.plain


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7 ...", b"PK\x03\x04 zip", bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_not_a_page_are_refused(data):
    outcome = read_html(data, ExtractHints(media_type="text/html"))
    assert isinstance(outcome, Unreadable)
    assert outcome.reason == "unsupported"


TEASER = "Grain prices fell for the third week as rain reached the northern plains, and traders who had bought in the summer began to sell what they held before the harvest figures are out."
DECLARED = '<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'
WALL = "<div><h2>Subscribe to continue reading</h2><p>Already a subscriber? Log in.</p></div>"
PLEA = "<h1>Before you continue</h1><p>We use cookies and data to keep our services running, to measure how they are used and to protect them against abuse and fraud, on this site and on others that show what we offer.</p>"
BUTTONS = "<form><button>Accept all</button><button>Reject all</button></form>"


def reason_of(head: str, body: str) -> str | None:
    outcome = read_html(f"<html><head>{head}</head><body>{body}</body></html>".encode(), ExtractHints())
    return outcome.reason if isinstance(outcome, Unreadable) else None


def test_g7_a_teaser_is_a_wall_when_the_page_declares_it_and_says_so():
    story = f"<article><h1>Grain</h1><p>{TEASER}</p></article>"
    assert reason_of(DECLARED, story + WALL) == "paywall"
    assert reason_of(DECLARED, story) is None
    assert reason_of("", story + WALL) is None


@pytest.mark.parametrize(
    ("title", "agree"),
    [
        ("Consent", BUTTONS),
        ("Before you continue", "<a class='b' href='/ok'><span>I agree</span></a>"),
        ("Your privacy", "<form><input type='submit' value='Accept'></form>"),
    ],
)
def test_g7_a_request_for_cookies_is_not_text_however_well_written(title, agree):
    assert reason_of(f"<title>{title}</title>", PLEA + agree) == "consent"


@pytest.mark.parametrize(
    ("head", "body"),
    [
        ("<title>Consent</title>", PLEA),  # nothing to agree with: a page about it
        ("<title>Grain prices fall</title>", f"<h1>Grain</h1><p>{TEASER}</p><p>We use cookies.</p>{BUTTONS}"),
        (
            "<title>Cookie rules change</title>",
            f"<article><h1>Cookie rules</h1><p>{TEASER}</p></article>{BUTTONS}",
        ),
        (
            '<title>Consent law passed</title><meta property="og:type" content="article">',
            f"<h1>Consent law</h1><p>{TEASER} Cookies need it from May.</p>{BUTTONS}",
        ),
    ],
)
def test_a_short_page_that_only_mentions_cookies_is_kept(head, body):
    assert reason_of(head, body) is None


@pytest.mark.parametrize(
    ("title", "text"),
    [
        (
            "Second plant opens in Orsa",
            "Northgate Semiconductors opened its second plant in Orsa on Monday. About 400 people will work there.",
        ),
        ("Northgate cuts 500 jobs", "The maker of chips said on Monday that 500 people will leave by May."),
        ("404 homes lose power in Rosby", "A storm felled two masts on Monday, the grid's operator said."),
        (
            "Bank outage: service unavailable for hours",
            "Customers of Orsa Bank could not pay with their cards on Monday, the bank said.",
        ),
    ],
)
def test_r71_a_short_article_with_the_figure_or_words_of_an_error_is_kept(title, text):
    assert reason_of(f"<title>{title} | Rosby Courier</title>", f"<h1>{title}</h1><p>{text}</p>") is None


@pytest.mark.parametrize(("path", "reason"), [("/paywall", "paywall"), ("/consent", "consent")])
def test_g7_the_walls_of_the_demo_internet_are_recognised(path, reason):
    (site,) = [site for site in sites(None) if site.host == HOST]
    outcome = read_html(
        site.answer(SiteRequest(host=HOST, path=path, now=datetime(2026, 11, 13, tzinfo=UTC))).body,
        ExtractHints(),
    )
    assert isinstance(outcome, Unreadable)
    assert outcome.reason == reason
