"""Which secrets a request of a source gets, and which URLs and headers a list may contain."""

import pytest

from headwater.cli.pipeline.sources_opml import _result
from headwater.fetch.source_secrets import hide_address_secrets, hide_secret_values, may_move, resolve_request
from headwater.model.errors import Refused
from headwater.model.http import Request, Response
from headwater.model.source import Source
from headwater.ops.source_lists import source_outline
from headwater.settings.sources import SourceLine, make_source
from headwater.sources.feeds.opml import OpmlOutline
from headwater.text.redaction import HIDDEN, redact_record

OWN = "https://x.example/feed?page=1&token=env:FEED_TOKEN"


def source_with(url: str = OWN, **options: object) -> Source:
    return make_source(SourceLine(name="X", url=url, options=dict(options)), "news", "source")


def resolve(reference: str, where: str) -> str:
    return {"env:FEED_TOKEN": "s3cret-value", "env:AUTH": "Bearer abcdef"}[reference]


def test_a_reference_becomes_a_secret_of_the_request_and_leaves_its_url():
    source = source_with(headers={"Authorization": "env:AUTH"})
    sent = resolve_request(Request(url=OWN), source, resolve)
    assert sent.url == "https://x.example/feed?page=1"
    assert sent.secrets == {"?token": "s3cret-value", "Authorization": "Bearer abcdef"}


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example/feed?token=env:FEED_TOKEN",
        "https://x.example/feed?other=env:FEED_TOKEN",
        "https://x.example/feed?token=env:HOME",
        "http://x.example/feed?token=env:FEED_TOKEN",
        "https://x.example:444/feed?token=file:/etc/passwd",
    ],
)
def test_a_url_that_the_operator_did_not_write_gets_no_secret(url: str):
    request = Request(url=url)
    assert resolve_request(request, source_with(), resolve) == request


def test_headers_go_only_to_the_origin_of_the_source():
    source = source_with("https://x.example/a", headers={"X-Api-Key": "env:AUTH"})
    assert resolve_request(Request(url="https://y.example/"), source, resolve).secrets == {}


def test_a_missing_variable_is_refused_by_name_only():
    with pytest.raises(Refused, match="FEED_TOKEN_THAT_IS_MISSING"):
        resolve_request(
            Request(url="https://x.example/?t=env:FEED_TOKEN_THAT_IS_MISSING"),
            source_with("https://x.example/?t=env:FEED_TOKEN_THAT_IS_MISSING"),
        )


def test_a_secret_that_the_server_quotes_is_hidden_before_anything_is_stored():
    sent = resolve_request(Request(url=OWN), source_with(), resolve)
    quoted = Response(
        url="https://x.example/s3cret-value",
        status=200,
        headers={"link": "<https://x.example/feed?token=s3cret-value>"},
        body=b"<a href='?token=s3cret-value'>",
        hops=((301, "https://x.example/?t=s3cret-value"),),
    )
    assert "s3cret-value" not in repr(hide_secret_values(quoted, Request(url=OWN), sent))


def test_no_redirect_moves_a_source_with_secrets_or_introduces_a_reference():
    plain = source_with("https://x.example/feed")
    assert may_move(plain, "https://y.example/feed")
    assert not may_move(plain, "https://evil.example/?x=env:HOME")
    assert not may_move(source_with(), "https://y.example/feed")
    assert not may_move(
        source_with("https://x.example/a", headers={"X-Key": "env:AUTH"}), "https://y.example/"
    )


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"headers": {"Authorization": "Bearer abc"}}, "use env:NAME or file:PATH"),
        ({"headers": {"Cookie": "id=abc"}}, "use env:NAME or file:PATH"),
        ({"headers": {"X-A\r\nB": "c"}}, "not the name of a header"),
        ({"headers": {"X-A": "b\r\nC: d"}}, "control characters"),
        ({"headers": ["X-A"]}, "names and texts"),
        ({"fallback": "https://ana:pw@y.example/feed"}, "remove the user"),
        ({"fallback": ["ftp://ana:pw@y.example/feed"]}, "'ftp://y.example/feed' is not"),
    ],
)
def test_a_list_with_a_secret_in_it_is_refused_without_quoting_it(options: dict[str, object], problem: str):
    with pytest.raises(Refused, match=problem) as error:
        source_with("https://x.example/feed", **options)
    assert "abc" not in error.value.detail
    assert "pw" not in error.value.detail


def test_opml_shows_no_secret_and_cannot_ask_for_one():
    row = {"name": "X", "url": "https://x.example/feed?sas=abc&page=1", "options": {}}
    assert source_outline(row).url == "https://x.example/feed?sas=***&page=1"
    assert source_outline(row | {"url": OWN}).url == OWN
    result, reason = _result(OpmlOutline(name="E", url="https://evil.example/?x=env:HOME"), set(), None)
    assert result == "left out"
    assert "secret" in reason


def test_options_that_are_secrets_by_name_are_hidden_in_records():
    record = {"options": {"api_key": "abc", "headers": {"X-Token": "env:T", "Accept": "a/b"}, "pages": 3}}
    assert redact_record(record) == {
        "options": {"api_key": "***", "headers": {"X-Token": "env:T", "Accept": "a/b"}, "pages": 3}
    }


def test_a_token_of_the_own_address_is_hidden_where_the_server_quotes_it():
    source = Source(
        id="s",
        recipe="news",
        kind="feed",
        name="Wire",
        url="https://wire.example/f?token=PLANT777&page=harbour",
    )
    assert hide_address_secrets("it is no feed: bad token PLANT777 on harbour", source) == (
        f"it is no feed: bad token {HIDDEN} on harbour"
    )
