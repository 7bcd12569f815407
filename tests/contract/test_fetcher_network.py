"""Lost connections, unreachable hosts and outages of our own network: who is asked how often, and who is blamed."""

import socket
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta

import pytest
import structlog
from tests.contract.test_fetcher import Bench, ask, reply

from headwater.fetch.client.http_fetcher import HttpFetcher
from headwater.fetch.politeness.quotas import Decision, Demand
from headwater.fetch.politeness.rate_limiter import EpochClock, MemoryRateLimiter
from headwater.fetch.settings import FetchSettings
from headwater.model.http import Failure, Request, Response

UNLIMITED = {"rate": 0.0, "concurrency": 0}


@pytest.fixture
def bench() -> Iterator[Bench]:
    test_bench = Bench()
    yield test_bench
    test_bench.close()


class CountingLimiter(MemoryRateLimiter):
    """Counts the requests that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def reserve(self, demands: Sequence[Demand], now: EpochClock) -> Sequence[Decision]:
        self.asked += [demand.lease for demand in demands]
        return super().reserve(demands, now)


def hang_up(*_: object) -> bytes:
    """The server closes the connection instead of an answer."""
    raise ConnectionResetError


def api_request(url: str) -> Request:
    return Request(url=url, purpose="api")


def limited_fetcher(bench: Bench, limiter: CountingLimiter) -> HttpFetcher:
    settings = FetchSettings(
        rate=0.0, concurrency=3, outage_hold=timedelta(0), overrides={"*.example": bench.server.base}
    )
    return HttpFetcher(settings, rate_limiter=limiter, clock=lambda: bench.now)


def test_a_lost_connection_is_not_repeated_behind_the_back_of_the_rate_limiter(bench):
    bench.script["/a"] = hang_up
    limiter = CountingLimiter()
    fetcher = limited_fetcher(bench, limiter)
    (answer,) = ask(fetcher, api_request("http://a.example/a"))
    fetcher.close()
    assert answer.reason == "reset"
    assert bench.server.pages() == ["/a"]
    assert len(limiter.asked) == 1


def test_a_connection_that_the_server_closed_in_the_pool_is_replaced_under_the_rate_limiter(bench):
    answers = iter([reply(), hang_up, reply()])

    def answer(*heading: object) -> bytes:
        step = next(answers)
        return step if isinstance(step, bytes) else step(*heading)

    bench.script["/a"] = answer
    limiter = CountingLimiter()
    fetcher = limited_fetcher(bench, limiter)
    first = ask(fetcher, api_request("http://a.example/a"))
    second = ask(fetcher, api_request("http://a.example/a"))
    fetcher.close()
    assert [item.status for item in first + second] == [200, 200]
    assert len(limiter.asked) == len(bench.server.pages()) == 3


def test_c39_a_robots_file_behind_a_failing_connection_is_asked_once_in_ten_minutes(bench):
    bench.script |= {"/robots.txt": hang_up, "/a": reply()}
    fetcher = bench.fetcher()
    answers = []
    for _ in range(12):
        answers += ask(fetcher, "http://a.example/a")
        bench.now += timedelta(seconds=25)
    assert {item.reason for item in answers} == {"reset"}
    assert answers[0].delay == timedelta(minutes=10)
    assert len(bench.server.requests) == 1
    bench.now += timedelta(minutes=5)
    bench.script["/robots.txt"] = reply(404)
    assert [item.status for item in ask(fetcher, "http://a.example/a")] == [200]


def test_informational_responses_are_no_answer_and_do_not_extend_the_time(bench):
    """The connection may take ten minutes here; the answer may not."""
    bench.script["/a"] = b"HTTP/1.1 100 Continue\r\n\r\n" * 50
    fetcher = bench.fetcher(
        connect_timeout=timedelta(minutes=10),
        read_timeout=timedelta(seconds=0.2),
        total_timeout=timedelta(minutes=10),
    )
    (answer,) = ask(fetcher, api_request("http://a.example/a"))
    assert answer.reason == "timeout"


def test_all_redirects_of_a_request_share_its_time(bench):
    def slow(_: str, path: str, __: dict[str, str]) -> bytes:
        time.sleep(0.15)
        return reply(302, Location=f"/{int(path[1:]) + 1}") if path != "/4" else reply()

    bench.script |= {f"/{number}": slow for number in range(5)}
    fetcher = bench.fetcher(total_timeout=timedelta(seconds=0.4))
    (answer,) = ask(fetcher, api_request("http://a.example/0"))
    assert answer.reason == "timeout"


class Network:
    """Names that resolve to the server of the bench while the network is up."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.is_up = True
        self.lookups: list[str] = []
        port = bench.server.port
        self.hosts = [f"host{number}.test" for number in range(6)]
        settings = FetchSettings(**UNLIMITED, allow=tuple((host, port) for host in self.hosts))
        self.fetcher = HttpFetcher(settings, clock=lambda: bench.now, resolve=self._resolve)

    async def _resolve(self, host: str, _: int) -> Sequence[str]:
        self.lookups.append(host)
        if not self.is_up:
            raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")
        return ["127.0.0.1"]

    def ask(self, *hosts: str) -> list[Response | Failure]:
        port = self.bench.server.port
        return ask(self.fetcher, *(api_request(f"http://{host}:{port}/a") for host in hosts))


@pytest.fixture
def network(bench) -> Iterator[Network]:
    # One connection per request, so that a name is looked up each time, and no answer is remembered.
    bench.script["/a"] = reply(Connection="close")
    test_network = Network(bench)
    yield test_network
    test_network.fetcher.close()


def without_name_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headwater.fetch.guard.sockets._CACHE_SECONDS", 0.0)


def test_an_outage_of_our_own_network_is_reported_in_one_line_and_ends_with_the_first_answer(
    network, monkeypatch
):
    without_name_cache(monkeypatch)
    with structlog.testing.capture_logs() as logs:
        assert [item.status for item in network.ask(*network.hosts[:4])] == [200] * 4
        network.is_up = False
        reasons = [item.reason for item in network.ask(*network.hosts[:4] * 5)]
        network.bench.now += timedelta(minutes=10)
        reasons += [item.reason for item in network.ask(*network.hosts[:4] * 5)]
        network.is_up = True
        network.bench.now += timedelta(minutes=1)
        assert [item.status for item in network.ask(network.hosts[0])] == [200]
        assert [item.status for item in network.ask(*network.hosts[:4])] == [200] * 4
    assert reasons == ["offline"] * 40
    lines = [line["event"] for line in logs]
    assert (lines.count("network is down"), lines.count("network is back")) == (1, 1)
    assert "breaker opened" not in lines


def test_while_the_network_is_down_few_requests_are_tried(network, monkeypatch):
    without_name_cache(monkeypatch)
    network.is_up = False
    answers = network.ask(*network.hosts * 10)
    assert {item.delay for item in answers if item.reason == "offline"} == {timedelta(seconds=60)}
    assert len(network.lookups) <= 3
    network.bench.now += timedelta(minutes=1)
    network.ask(*network.hosts * 10)
    assert len(network.lookups) <= 3 + 3


def test_a_host_that_never_answered_does_not_stand_for_the_network(network, monkeypatch):
    without_name_cache(monkeypatch)
    network.ask(network.hosts[0])
    network.is_up = False
    dead = network.ask(*network.hosts[1:] * 2)
    network.is_up = True
    assert {item.reason for item in dead} == {"dns"}
    assert [item.status for item in network.ask(network.hosts[0])] == [200]


def test_c39_hosts_that_accept_and_close_connections_are_to_blame_themselves(network):
    network.bench.script["/a"] = hang_up
    assert {item.reason for item in network.ask(*network.hosts)} == {"reset"}
