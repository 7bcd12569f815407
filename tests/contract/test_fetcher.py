"""The contract of the port `Fetcher`, against a server on the loopback that answers exactly what a test wants."""

import asyncio
import gzip
import threading
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import brotli
import pytest
import structlog

from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.politeness.rate_limiter_file import FileRateLimiter
from headwater.fetch.settings import FetchSettings, host_rules
from headwater.model.errors import Refused
from headwater.model.fetch_limits import HostRule
from headwater.model.http import Failure, Request, Response
from headwater_recipes.markets.definition import FETCH_LIMITS

# Without its date, so that the same bytes come out each time.
packed_as = partial(gzip.compress, mtime=0)


Heading = tuple[str, str, dict[str, str]]
Answer = Callable[[str, str, dict[str, str]], bytes]


def reply(status: int = 200, body: bytes = b"hello", **headers: str) -> bytes:
    header_fields = {"Content-Type": "text/plain", "Content-Length": str(len(body))}
    header_fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in header_fields.items())
    return f"HTTP/1.1 {status} Said\r\n{lines}\r\n".encode() + body


class Loopback:
    """Answers by (host, path, headers); records the requests."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.requests: list[Heading] = []
        self.loop = asyncio.new_event_loop()
        self._server = self.loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        self.base = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {n.lower(): v for n, _, v in (line.partition(": ") for line in head[1:]) if n}
                path = head[0].split()[1]
                self.requests.append((headers["host"], path, headers))
                writer.write(self._answer(headers["host"], path, headers))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def pages(self) -> list[str]:
        return [path for _, path, _ in self.requests if path != "/robots.txt"]

    def close(self) -> None:
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.run_until_complete(self._end())
        self.loop.close()

    async def _end(self) -> None:
        self._server.close()
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.sleep(0)


class Bench:
    """A fetcher whose hosts all live on one loopback server."""

    def __init__(self) -> None:
        self.script: dict[str, bytes | Answer] = {}
        self.server = Loopback(self._answer)
        self._fetchers: list[HttpFetcher] = []
        self.now = datetime(2026, 11, 13, 9, 0, tzinfo=UTC)

    def _answer(self, host: str, path: str, headers: dict[str, str]) -> bytes:
        answers = self.script.get(f"{host}{path}", self.script.get(path, reply(404)))
        return answers if isinstance(answers, bytes) else answers(host, path, headers)

    def fetcher(self, **options) -> HttpFetcher:
        resting = {
            "rate": 0.0,
            "concurrency": 0,
            "outage_hold": timedelta(0),
            "overrides": {"*.example": self.server.base},
        }
        self._fetchers.append(HttpFetcher(FetchSettings(**(resting | options)), clock=lambda: self.now))
        return self._fetchers[-1]

    def close(self) -> None:
        for fetcher in self._fetchers:
            fetcher.close()
        self.server.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    test_bench = Bench()
    yield test_bench
    test_bench.close()


def ask(fetcher: HttpFetcher, *requests: Request | str) -> list[Response | Failure]:
    prepared = [Request(url=item) if isinstance(item, str) else item for item in requests]
    for number, request in enumerate(prepared):
        fetcher.submit(str(number), request)
    answers: dict[str, Response | Failure] = {}
    while len(answers) < len(prepared):
        batch = fetcher.collect(100, timedelta(seconds=10))
        assert batch, "no answer came"
        answers |= dict(batch)
    return [answers[str(number)] for number in range(len(prepared))]


def test_an_answer_comes_with_its_body_type_and_character_set(bench):
    bench.script["/a"] = reply(body=b"<!doctype html><p>Hi", Content_Type="text/html; charset=UTF-8")
    (answer,) = ask(bench.fetcher(), "https://ledgerlane.example/a#part")
    assert (answer.status, answer.body, answer.media_type, answer.charset) == (
        200,
        b"<!doctype html><p>Hi",
        "text/html",
        "utf-8",
    )
    assert answer.url == "https://ledgerlane.example/a"


def test_each_token_is_answered_once_and_room_comes_back(bench):
    bench.script |= {f"/{number}": reply(body=b"%d" % number) for number in range(40)}
    fetcher = bench.fetcher(capacity=50)
    answers = ask(fetcher, *(f"http://h{number % 7}.example/{number}" for number in range(40)))
    assert [item.body for item in answers] == [b"%d" % number for number in range(40)]
    assert fetcher.collect(10, timedelta(0)) == []
    assert fetcher.room() == 50


def test_a_fetcher_that_is_full_has_no_room(bench):
    fetcher = bench.fetcher(capacity=1)
    fetcher.submit("a", Request(url="http://a.example/"))
    assert fetcher.room() == 0


def test_a_closed_fetcher_takes_nothing(bench):
    fetcher = bench.fetcher()
    fetcher.close()
    with pytest.raises(RuntimeError):
        fetcher.submit("a", Request(url="http://a.example/"))


def test_an_override_keeps_the_real_names(bench):
    bench.script["/a"] = reply(301, b"", Location="https://harbour.example:8443/b?x=1")
    bench.script["/b?x=1"] = reply()
    fetcher = bench.fetcher(overrides={"*.example": bench.server.base}, ports=frozenset({443}))
    (answer,) = ask(fetcher, "https://ledgerlane.example/a")
    assert answer.url == "https://harbour.example:8443/b?x=1"
    assert answer.hops == ((301, "https://ledgerlane.example/a"),)
    assert [host for host, path, _ in bench.server.requests if path != "/robots.txt"] == [
        "ledgerlane.example",
        "harbour.example:8443",
    ]
    assert answer.policy["override"] == "*.example"


def test_an_override_does_not_open_its_address_to_other_hosts(bench):
    fetcher = bench.fetcher()
    bench.script["/a"] = reply(302, b"", Location=f"{bench.server.base}/inside")
    _, answers, direct = ask(
        fetcher, "http://ledgerlane.example/", "http://ledgerlane.example/a", f"{bench.server.base}/inside"
    )
    assert (answers.reason, direct.reason) == ("forbidden_address", "forbidden_address")
    assert "/inside" not in bench.server.pages()


@pytest.mark.parametrize("base", ["127.0.0.1:80", "ftp://a.example", "http://u:p@a.example", ""])
def test_an_override_that_is_not_a_base_url_is_refused(base):
    with pytest.raises(Refused):
        HttpFetcher(FetchSettings(overrides={"*.example": base}))


@pytest.mark.parametrize(
    ("encoding", "body"),
    [
        ("gzip", packed_as(b"text " * 50)),
        ("x-gzip", packed_as(b"text " * 20) + packed_as(b"text " * 30) + b"\x00" * 20),
        ("deflate", zlib.compress(b"text " * 50)),
        ("deflate", zlib.compress(b"text " * 50)[2:-4]),
        ("br", brotli.compress(b"text " * 50)),
        ("identity", b"text " * 50),
    ],
)
def test_content_encodings_are_decoded(bench, encoding, body):
    bench.script["/a"] = reply(body=body, Content_Encoding=encoding)
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert answer.body == b"text " * 50


def test_text_compressed_without_a_header_is_decompressed_and_a_file_is_not(bench):
    packed = packed_as(b"<rss/>")
    bench.script["/feed"] = reply(body=packed, Content_Type="text/xml")
    bench.script["/s.xml.gz"] = reply(body=packed, Content_Type="application/gzip")
    feed, file = ask(bench.fetcher(), "http://a.example/feed", "http://a.example/s.xml.gz")
    assert (feed.body, feed.media_type) == (b"<rss/>", "application/rss+xml")
    assert file.body == packed


@pytest.mark.parametrize(
    ("encoding", "body", "reason"),
    [
        ("gzip", packed_as(b"text " * 5000)[:-9], "truncated"),
        ("br", brotli.compress(b"text " * 5000)[:-3], "truncated"),
        ("deflate", zlib.compress(b"text " * 5000)[:-5], "truncated"),
        ("gzip", b"plain text", "encoding"),
        ("br", b"plain text that is not brotli", "encoding"),
        ("gzip, br", b"x", "encoding"),
        ("compress", b"x", "encoding"),
    ],
)
def test_a_body_that_does_not_match_its_encoding_is_reported(bench, encoding, body, reason):
    bench.script["/a"] = reply(body=body, Content_Encoding=encoding)
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert isinstance(answer, Failure)
    assert answer.reason == reason


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_p9_p11_redirects_are_followed_hop_by_hop(bench, status):
    bench.script |= {f"/{n}": reply(status, b"", Location=f"/{n + 1}") for n in range(5)}
    bench.script["/5"] = reply()
    (answer,) = ask(bench.fetcher(), "http://a.example/0")
    assert answer.hops == tuple((status, f"http://a.example/{n}") for n in range(5))
    assert answer.url == "http://a.example/5"


def test_p9_p11_a_sixth_redirect_is_one_too_many(bench):
    bench.script |= {f"/{n}": reply(301, b"", Location=f"/{n + 1}") for n in range(9)}
    (answer,) = ask(bench.fetcher(), "http://a.example/0")
    assert (answer.reason, answer.temporary) == ("redirects", False)
    assert len(bench.server.pages()) == 6


def test_headers_are_whole_text(bench):
    bench.script["/a"] = (
        b"HTTP/1.1 200 OK\r\nX-A: caf\xe9\r\nX-B: caf\xc3\xa9\r\nX-B: two\r\nContent-Length: 1\r\n\r\nx"
    )
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert answer.headers["x-b"] == "caf\u00e9, two"
    assert answer.headers["x-a"].encode()


def test_a_redirect_without_a_location_is_returned_as_a_response(bench):
    bench.script["/a"] = reply(302, b"odd")
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert (answer.status, answer.body) == (302, b"odd")


def test_secrets_are_sent_but_never_shown(bench):
    bench.script["/v2?limit=5&apiKey=s3cr%2Bt"] = reply(
        302, b"", Location="/v3?limit=5&apiKey=s3cr%2Bt&page=2"
    )
    bench.script["/v3?limit=5&apiKey=&page=2&apiKey=s3cr%2Bt"] = reply()
    request = Request(
        url="https://api.example/v2?limit=5",
        purpose="api",
        secrets={"?apiKey": "s3cr+t", "Authorization": "Bearer t0ken"},
    )
    (answer,) = ask(bench.fetcher(), request)
    assert answer.status == 200
    assert [headers["authorization"] for _, _, headers in bench.server.requests] == ["Bearer t0ken"] * 2
    assert "s3cr" not in repr(answer)
    assert "t0ken" not in repr(answer)


@pytest.mark.parametrize(
    "place", ["https://harbour.example/x", "http://api.example/x", "https://api.example:8443/x"]
)
def test_secrets_do_not_follow_a_redirect_to_another_place(bench, place):
    bench.script["/v2?apiKey=s3cret"] = reply(307, b"", Location=place)
    bench.script["/x"] = reply()
    request = Request(
        url="https://api.example/v2",
        method="POST",
        body=b"question",
        purpose="api",
        credential="wire",
        headers={"X-Session": "mine", "Accept": "application/json"},
        secrets={"?apiKey": "s3cret", "Authorization": "Bearer t0ken"},
    )
    (answer,) = ask(bench.fetcher(), request)
    assert answer.status == 200
    _, path, headers = bench.server.requests[-1]
    assert path == "/x"
    assert not {"authorization", "x-session"} & set(headers)
    assert headers.get("content-length", "0") == "0"
    assert headers["accept"] == "application/json"


def test_logs_show_no_secret(bench):
    request = Request(
        url="http://10.0.0.1/x?token=t0ken&page=2",
        purpose="api",
        secrets={"?apiKey": "s3cret", "K": "s3cret"},
    )
    with structlog.testing.capture_logs() as logs:
        ask(bench.fetcher(), request)
    assert [line["url"] for line in logs] == ["http://10.0.0.1/x?token=***&page=2"]
    assert "s3cret" not in repr(logs)


def test_secrets_are_not_sent_to_a_host_that_is_not_theirs(bench):
    fetcher = bench.fetcher(credential_hosts={"wire": ("*.wire.example",)})
    bench.script["/x"] = reply()
    accepted, bad = ask(
        fetcher,
        Request(url="http://api.wire.example/x", purpose="api", credential="wire", secrets={"K": "v"}),
        Request(url="http://harbour.example/x", purpose="api", credential="wire", secrets={"K": "v"}),
    )
    assert accepted.status == 200
    assert (bad.reason, bad.temporary) == ("credential_host", False)
    assert len(bench.server.requests) == 1


def test_6_8_the_agent_names_itself_with_a_contact(bench):
    bench.script["/x"] = reply()
    rules = {"b.example": HostRule(user_agent="Harvester/2.0 (+contact@harbour.example)")}
    fetcher = bench.fetcher(contact="ops@ledgerlane.example", hosts=rules)
    ask(fetcher, "http://a.example/x", "http://b.example/x")
    agents = {host: headers["user-agent"] for host, _, headers in bench.server.requests}
    assert agents == {
        "a.example": "Headwater/0.1 (+ops@ledgerlane.example)",
        "b.example": "Harvester/2.0 (+contact@harbour.example)",
    }


def test_r64_the_regulator_is_never_asked_without_a_contact(bench):
    url = Request(url="https://efts.sec.gov/LATEST/search-index?q=x", purpose="api")
    options = {"overrides": {"*.sec.gov": bench.server.base}, "hosts": FETCH_LIMITS.hosts}
    (answer,) = ask(bench.fetcher(**options), url)
    assert (answer.reason, answer.temporary) == ("undeclared_agent", False)
    assert bench.server.requests == []
    (answer,) = ask(bench.fetcher(**options, contact="ops@ledgerlane.example"), url)
    assert answer.status == 404


def test_p6_c39_6_7_robots_are_obeyed_for_pages_and_not_for_interfaces(bench):
    bench.script["/robots.txt"] = reply(body=b"User-agent: *\nDisallow: /private")
    bench.script |= {"/private": reply(), "/open": reply()}
    fetcher = bench.fetcher()
    shut, open_page, interface = ask(
        fetcher,
        "http://a.example/private",
        "http://a.example/open",
        Request(url="http://a.example/private", purpose="api"),
    )
    assert (shut.reason, shut.temporary) == ("robots", False)
    assert shut.detail == "Disallow: /private (for *)"
    assert open_page.policy["robots"] == "no rule for *"
    assert interface.policy["robots"] == "exempt: api"
    assert [path for _, path, _ in bench.server.requests].count("/robots.txt") == 1


def test_c39_robots_are_asked_at_every_host_of_a_redirect(bench):
    bench.script["/a"] = reply(301, b"", Location="http://b.example/private")
    bench.script["b.example/robots.txt"] = reply(body=b"User-agent: headwater\nDisallow: /private")
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert answer.reason == "robots"
    assert "/private" not in bench.server.pages()


def test_c39_a_robots_file_that_cannot_be_fetched_forbids_for_a_while(bench):
    bench.script |= {"/robots.txt": reply(503), "/a": reply()}
    fetcher = bench.fetcher()
    (answer,) = ask(fetcher, "http://a.example/a")
    assert (answer.reason, answer.temporary, answer.delay) == ("robots", True, timedelta(minutes=10))
    bench.script["/robots.txt"] = reply(404)
    bench.now += timedelta(minutes=11)
    (answer,) = ask(fetcher, "http://a.example/a")
    assert answer.status == 200


def test_c39_robots_are_asked_again_after_a_day(bench):
    bench.script |= {"/robots.txt": reply(body=b""), "/a": reply()}
    fetcher = bench.fetcher()
    for hours in (0, 23, 2):
        bench.now += timedelta(hours=hours)
        ask(fetcher, "http://a.example/a")
    assert [path for _, path, _ in bench.server.requests].count("/robots.txt") == 2


def test_a_rule_exempts_a_host_from_robots(bench):
    bench.script |= {"/robots.txt": reply(body=b"User-agent: *\nDisallow: /"), "/a": reply()}
    (answer,) = ask(bench.fetcher(hosts={"a.example": HostRule(robots=False)}), "http://a.example/a")
    assert answer.policy["robots"] == "exempt: rule of the host"


def test_rights_reservations_are_recorded(bench):
    bench.script["/a"] = reply(X_Robots_Tag="noai, noindex", TDM_Reservation="1")
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert answer.policy["x-robots-tag"] == "noai, noindex"
    assert answer.policy["tdm-reservation"] == "1"


def test_an_unexpected_response_reaches_no_request(bench):
    bench.script |= {"/a": reply(body=b"mine") + reply(body=b"slipped in"), "/b": reply(body=b"honest")}
    fetcher = bench.fetcher(connections=1)
    for path, body in (("/a", b"mine"), ("/b", b"honest"), ("/a", b"mine"), ("/b", b"honest")):
        (answer,) = ask(fetcher, Request(url=f"http://a.example{path}", purpose="api"))
        assert answer.body == body


@pytest.mark.parametrize("headers", [{"X-A": "a\r\nX-Evil: 1"}, {"X-A\r\nX-Evil": "a"}, {"X-A": "a\x00b"}])
def test_headers_cannot_inject_lines_into_a_request(bench, headers):
    bench.script["/a"] = reply()
    (answer,) = ask(bench.fetcher(), Request(url="http://a.example/a", purpose="api", headers=headers))
    assert answer.reason == "protocol"
    assert bench.server.requests == []


def test_proxies_that_the_environment_names_are_not_used(bench, monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    bench.script["/a"] = reply()
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    assert answer.status == 200


def test_cookies_are_neither_kept_nor_shown(bench):
    bench.script["/a"] = reply(Set_Cookie="session=mine")
    fetcher = bench.fetcher()
    first, _ = ask(fetcher, "http://a.example/a", "http://a.example/a")
    assert "set-cookie" not in first.headers
    assert all("cookie" not in headers for _, _, headers in bench.server.requests)


def test_g5_a_host_that_fails_five_times_is_left_alone_then_tried_once(bench):
    bench.script["/a"] = reply(500)
    fetcher = bench.fetcher()
    for _ in range(5):
        assert ask(fetcher, "http://a.example/a")[0].status == 500
    (answer,) = ask(fetcher, "http://a.example/a")
    assert (answer.reason, answer.delay) == ("breaker_open", timedelta(seconds=300))
    assert len(bench.server.pages()) == 5
    bench.script["/a"] = reply(200)
    bench.now += timedelta(seconds=300)
    assert [item.status for item in ask(fetcher, "http://a.example/a")] == [200]
    assert [item.status for item in ask(fetcher, "http://a.example/a")] == [200]


def test_g5_dead_links_do_not_count_as_failures_of_their_host(bench):
    bench.script["/gone"] = reply(410)
    fetcher = bench.fetcher()
    for _ in range(6):
        ask(fetcher, "http://a.example/gone", "http://a.example/missing")
    assert ask(fetcher, "http://a.example/gone")[0].status == 410


@pytest.mark.parametrize("limits", [{"rate": 1000.0}, {"rate": 0.0}])
def test_p11_a_host_that_asks_us_to_wait_is_blocked_for_all_requests(bench, limits):
    bench.script |= {"/a": reply(429, Retry_After="30"), "/b": reply()}
    fetcher = bench.fetcher(**limits)
    assert ask(fetcher, Request(url="http://a.example/a", purpose="api"))[0].status == 429
    (answer,) = ask(fetcher, Request(url="http://a.example/b", purpose="api"))
    assert (answer.reason, answer.delay) == ("rate_limited", timedelta(seconds=30))
    bench.now += timedelta(seconds=30)
    assert ask(fetcher, Request(url="http://a.example/b", purpose="api"))[0].status == 200


def test_p7_a_crawl_delay_is_kept(bench):
    bench.script |= {"/robots.txt": reply(body=b"User-agent: *\nCrawl-delay: 20"), "/a": reply()}
    fetcher = bench.fetcher(rate=1000.0)
    (answer,) = ask(fetcher, "http://a.example/a")
    assert (answer.reason, answer.delay) == ("rate_limited", timedelta(seconds=20))
    bench.now += timedelta(seconds=20)
    assert ask(fetcher, "http://a.example/a")[0].status == 200


def test_r31_r34_a_used_up_budget_defers_with_a_delay_and_logs_it(bench):
    bench.script |= {f"/{n}": reply() for n in range(25)}
    fetcher = bench.fetcher(per_minute_by_kind=FETCH_LIMITS.per_minute_by_kind)
    with structlog.testing.capture_logs() as logs:
        answers = ask(
            fetcher,
            *(
                Request(url=f"http://h{n}.example/{n}", purpose="api", source_kind="market_api")
                for n in range(25)
            ),
        )
    deferred = [item for item in answers if isinstance(item, Failure)]
    assert [item.delay for item in deferred] == [timedelta(minutes=1)] * 5
    assert [line["limit"] for line in logs if line["event"] == "deferred"] == ["kind:market_api"]


def test_r32_5_3_one_key_has_one_budget_whatever_it_is_used_for(bench):
    fetcher = bench.fetcher(per_minute_by_credential={"wire": 3})
    kinds = ("market_api", "news_api", "macro_news", "")
    answers = ask(
        fetcher,
        *(
            Request(url=f"http://{kind or 'x'}.example/", purpose="api", source_kind=kind, credential="wire")
            for kind in kinds
        ),
    )
    assert sum(isinstance(item, Failure) and item.detail == "credential:wire" for item in answers) == 1


def test_6_6_hosts_of_a_shared_rule_have_one_budget():
    declared = {"*.port.example": HostRule(rate=5, shared=True, contact=True)}
    table = {"*.harbour.example": {"rate": 2, "shared": True}, "*.port.example": {"rate": 3}}
    rules = host_rules(table, declared)
    assert rules["*.port.example"] == HostRule(rate=3, shared=True, contact=True)
    assert rules["*.harbour.example"] == HostRule(rate=2, shared=True)


@pytest.mark.parametrize("fields", [{"speed": 1}, {"rate": "fast"}, {"rate": -1}, {"robots": 0}])
def test_p10_a_rule_with_a_mistake_is_refused(fields):
    with pytest.raises(Refused):
        host_rules({"a.example": fields}, {})


def test_a_head_request_has_no_body(bench):
    bench.script["/a"] = b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
    (answer,) = ask(bench.fetcher(), Request(url="http://a.example/a", method="HEAD", purpose="api"))
    assert (answer.status, answer.body) == (200, b"")


def test_p12_a_conditional_request_is_answered_without_a_body(bench):
    def page(_: str, __: str, headers: dict[str, str]) -> bytes:
        return reply(304, b"") if headers.get("if-none-match") == '"1"' else reply(ETag='"1"')

    bench.script["/a"] = page
    fetcher = bench.fetcher()
    (first,) = ask(fetcher, "http://a.example/a")
    (again,) = ask(
        fetcher, Request(url="http://a.example/a", headers={"If-None-Match": first.headers["etag"]})
    )
    assert (again.status, again.body) == (304, b"")


def test_a_closed_fetcher_releases_its_slots(bench, tmp_path):
    """Requests that are cut off do not count as running for the next fetcher."""
    bench.script["/a"] = b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhal"
    rate_limiter = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    settings = FetchSettings(rate=0.0, concurrency=2, overrides={"*.example": bench.server.base})
    first = HttpFetcher(settings, rate_limiter=rate_limiter)
    for token in "ab":
        first.submit(token, Request(url="http://a.example/a", purpose="api"))
    while len(bench.server.requests) < 2:
        assert first.collect(1, timedelta(seconds=0.01)) == []
    first.close()
    bench.script["/a"] = reply()
    second = HttpFetcher(settings, rate_limiter=rate_limiter)
    (answer,) = ask(second, Request(url="http://a.example/a", purpose="api"))
    second.close()
    rate_limiter.close()
    assert answer.status == 200


def test_a_bug_of_our_own_ends_the_request_with_a_failure(bench, monkeypatch):
    async def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("headwater.fetch.client.request_handler.RequestHandler._follow", broken)
    with structlog.testing.capture_logs() as logs:
        (answer,) = ask(bench.fetcher(), "http://a.example/")
    assert (answer.reason, answer.temporary) == ("internal", False)
    assert logs[0]["error"] == "ZeroDivisionError"


def test_no_request_leaves_while_the_rate_limiter_is_unavailable(bench, tmp_path):
    rate_limiter = FileRateLimiter(tmp_path / "rate-limits.sqlite")
    rate_limiter._database.execute("DROP TABLE requests")
    fetcher = HttpFetcher(
        FetchSettings(overrides={"*.example": bench.server.base}), rate_limiter=rate_limiter
    )
    (answer,) = ask(fetcher, Request(url="http://a.example/", purpose="api"))
    fetcher.close()
    rate_limiter.close()
    assert (answer.reason, answer.detail) == ("rate_limited", "rate_limiter_unavailable")
    assert bench.server.requests == []


def test_the_bodies_of_robots_files_do_not_use_up_the_memory_for_pages(bench):
    bench.script["/robots.txt"] = reply(body=b"# nothing is forbidden\n" * 2000, Content_Type="text/plain")
    bench.script["/a"] = reply(body=b"<p>Hi", Content_Type="text/html")
    fetcher = bench.fetcher(memory_limit=100_000)
    answers = ask(fetcher, *(f"http://h{number}.example/a" for number in range(12)))
    assert {answer.status for answer in answers} == {200}
    assert fetcher.room() > 0
