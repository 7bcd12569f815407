"""URLs in logs, errors and lists show no secret."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.logs import configure_logs
from headwater.text.redaction import redact_text, redact_url

SECRET_NAMES = [
    "key", "api_key", "apikey", "apiKey", "X-Api-Key", "token", "access_token", "accesstoken", "auth", "authorization",
    "password", "passwd", "pass", "pwd", "signature", "sig", "X-Amz-Signature", "X-Amz-Credential", "client_secret",
    "session", "sessionid", "PHPSESSION", "jwt", "otp", "sas", "code", "authcode", "hmac", "ticket", "subscription-key",
]  # fmt: skip


@pytest.mark.parametrize("name", SECRET_NAMES)
@given(secret=st.text("abcdef0123456789", min_size=8, max_size=30))
def test_the_value_of_a_secret_parameter_is_hidden(name: str, secret: str):
    url = f"https://ana:{secret}@api.example/v1/news?page=2&{name}={secret}&q=tin#access_token={secret}"
    assert redact_url(url) == f"https://api.example/v1/news?page=2&{name}=***&q=tin"


@pytest.mark.parametrize(
    "name", ["page", "author", "authors", "keyword", "keywords", "monkey", "design", "encoding", "article", "compass"]
)  # fmt: skip
def test_harmless_parameters_stay_readable(name: str):
    url = f"https://api.example/v1?{name}=7&other=a%20b"
    assert redact_url(url) == url


def test_text_that_is_not_a_url_is_not_repeated():
    assert redact_url("http://[::1") == "(not a URL)"


@given(st.text(max_size=60))
def test_user_information_never_shows(text: str):
    assert "@" not in redact_url(f"http://u:p@h/{text}").removeprefix("http://").split("/")[0]


def test_urls_inside_a_message_are_redacted():
    message = "cannot reach https://u:p@a.example/x?jwt=abc, nor 'redis://:pw@cache.example/0': refused"
    assert redact_text(message) == (
        "cannot reach https://a.example/x?jwt=*** nor 'redis://cache.example/0': refused"
    )


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_value_in_a_log_controls_a_terminal_or_starts_a_line(
    form: str, capsys: pytest.CaptureFixture[str]
):
    hostile = "\x1b[2J\x9b1m\u202eabc\r\n2026-11-13 [error] forged\u2028line"
    configure_logs(form, "info").info(hostile, title=hostile, warnings=[hostile], more={"a": hostile})
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert not any(character in line for character in "\x1b\x9b\u202e\r\u2028")
    assert "forged" in line


@pytest.mark.parametrize("form", ["json", "console"])
def test_no_log_line_shows_a_secret_of_a_url(form: str, capsys: pytest.CaptureFixture[str]):
    log = configure_logs(form, "info")
    log.info("fetched", url="https://a.example/?sas=hidden&page=1", detail="see https://u:hidden@b.example/")
    line = capsys.readouterr().err
    assert "hidden" not in line
    assert "page=1" in line
    if form == "json":
        assert json.loads(line)["detail"] == "see https://b.example/"
