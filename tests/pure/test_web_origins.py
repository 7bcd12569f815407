"""Which origins are pages of ours."""

import pytest

from headwater.web.security.hosts import is_own_origin

PUBLIC = "https://news.example/headwater"


@pytest.mark.parametrize(
    ("origin", "host", "public", "is_own"),
    [
        ("https://news.example", "news.example", PUBLIC, True),
        ("https://news.example:443", "127.0.0.1:8080", PUBLIC, True),
        ("http://news.example", "news.example", PUBLIC, False),
        ("http://news.example:8080", "news.example:8080", PUBLIC, False),
        ("https://news.example:8443", "news.example", PUBLIC, False),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", PUBLIC, True),
        ("http://127.0.0.1:9090", "127.0.0.1:8080", PUBLIC, False),
        ("https://wire.example", "wire.example", "", True),
        ("http://[::1]:8080", "[::1]:8080", "", True),
        ("https://evil.example", "news.example", PUBLIC, False),
        ("null", "news.example", PUBLIC, False),
        ("", "", "", False),
        ("http://news.example:x", "news.example:x", "", False),
    ],
)
def test_a_form_comes_from_us_only_with_our_scheme_host_and_port(
    origin: str, host: str, public: str, is_own: bool
):
    assert is_own_origin(origin, host, public) is is_own
