import pytest

from headwater.extract.html import read_html
from headwater.model.reading import Hints, Reading, Unreadable

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
    ],
    "error_page": [
        "<html><head><title>503 Service Unavailable</title></head><body><h1>Service Unavailable</h1><p>Try later.</p></body></html>",
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
    found = read_html(page.encode(), Hints())
    assert isinstance(found, Unreadable), found
    assert found.reason == reason


@pytest.mark.parametrize(
    "extra",
    [
        "<div class='cookie-banner'><p>We use cookies. Accept cookies?</p><button>Accept</button></div>",
        "<noscript>Please enable JavaScript to see everything.</noscript>",
        "<a href='/login'>Log in</a><form><input type='password'></form>",
        "<p>Subscribe to continue reading our other stories.</p>",
    ],
)
def test_a_page_with_real_text_is_never_thrown_away(extra):
    page = f"<html><head><title>404 days at sea: error and wonder</title></head><body>{extra}<article><h1>404 days at sea</h1><p>{LONG}</p></article></body></html>"
    found = read_html(page.encode(), Hints())
    assert isinstance(found, Reading), found
    assert "keeper of the lamp" in found.plain


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7 ...", b"PK\x03\x04 zip", bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_no_page_are_refused(data):
    found = read_html(data, Hints(media_type="text/html"))
    assert isinstance(found, Unreadable)
    assert found.reason == "unsupported"
