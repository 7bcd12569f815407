"""What of a URL may stand in a log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.url_redaction import redact_url

SECRETS = [
    "key",
    "api_key",
    "apikey",
    "apiKey",
    "token",
    "access_token",
    "password",
    "signature",
    "sig",
    "X-Amz-Signature",
    "client_secret",
]


@given(name=st.sampled_from(SECRETS), secret=st.text("abcdef0123456789", min_size=8, max_size=30))
def test_secrets_never_show(name, secret):
    shown = redact_url(
        f"https://ana:{secret}@api.example/v1/news?page=2&{name}={secret}&q=tin#access_token={secret}"
    )
    assert shown == "https://api.example/v1/news?page=2&q=tin"


@pytest.mark.parametrize("name", ["page", "keyword", "monkey", "design", "encoding", "article"])
def test_harmless_parameters_stay(name):
    url = f"https://api.example/v1?{name}=7"
    assert redact_url(url) == url


@given(st.text(max_size=60))
def test_any_text_is_survived(text):
    assert "@" not in redact_url(f"http://u:p@h/{text}").removeprefix("http://").split("/")[0]
