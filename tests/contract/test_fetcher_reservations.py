"""What publishers say about use, on the wire: recorded always, obeyed where the settings say so."""

import json
from datetime import timedelta

import pytest
from tests.contract.test_fetcher import ask, bench, reply

from headwater.model.fetch_limits import HostRule
from headwater.model.http import Request

__all__ = ["bench"]
FILE = "/.well-known/tdmrep.json"
RESERVED = reply(body=json.dumps([{"location": "/paid", "tdm-reservation": 1}]).encode())
PAGE = b'<html><head><meta name="robots" content="noai"><title>x</title></head><body>Words.'


def paths(bench):
    return [path for _, path, _ in bench.server.requests]


def test_c39_every_reservation_is_recorded_and_refuses_nothing_unless_the_settings_say_so(bench):
    bench.script["/a"] = reply(
        body=PAGE,
        Content_Type="text/html",
        X_Robots_Tag="noindex",
        TDM_Reservation="1",
        TDM_Policy="https://t.example/",
    )
    (answer,) = ask(bench.fetcher(), "http://a.example/a")
    signals = {
        name: answer.policy[name]
        for name in ("x-robots-tag", "meta-robots", "tdm-reservation", "tdm-declared-in")
    }
    assert signals == {
        "x-robots-tag": "noindex", "meta-robots": "noai", "tdm-reservation": "1", "tdm-declared-in": "header",
    }  # fmt: skip
    assert answer.policy["tdm-policy"] == "https://t.example/"
    assert FILE not in paths(bench)


@pytest.mark.parametrize(
    ("setting", "headers"),
    [("noai", {}), ("noindex", {"X_Robots_Tag": "noindex"}), ("tdm", {"TDM_Reservation": "1"})],
)
def test_c39_a_reservation_refuses_where_the_settings_say_so(bench, setting, headers):
    bench.script["/a"] = reply(body=PAGE, Content_Type="text/html", **headers)
    fetcher = bench.fetcher(reservations=frozenset({setting}), memory_limit=1)
    for _ in range(3):  # the memory of what is refused is given back: a second page has room
        (answer,) = ask(fetcher, "http://a.example/a")
        assert (answer.reason, answer.detail, answer.temporary) == ("reserved", setting, False)
        assert answer.policy["refused_by"] == "reserved"
        assert fetcher.room() > 0


def test_c39_a_file_that_reserves_is_fetched_once_and_its_page_is_not_fetched(bench):
    bench.script |= {FILE: RESERVED, "/paid/a": reply(), "/free": reply()}
    fetcher = bench.fetcher(reservations=frozenset({"tdm"}))
    for _ in range(2):
        shut, free = ask(fetcher, "http://a.example/paid/a", "http://a.example/free")
        assert (shut.reason, shut.detail, shut.temporary) == ("reserved", "tdmrep.json: /paid", False)
        assert shut.policy["tdm-declared-in"] == "tdmrep.json"
        assert free.status == 200
    assert paths(bench).count(FILE) == 1
    assert "/paid/a" not in paths(bench)
    bench.now += timedelta(hours=25)
    ask(fetcher, "http://a.example/free")
    assert paths(bench).count(FILE) == 2


def test_a_reservation_file_that_cannot_be_fetched_postpones_the_request(bench):
    bench.script |= {FILE: reply(503), "/a": reply()}
    fetcher = bench.fetcher(reservations=frozenset({"tdm"}))
    (answer,) = ask(fetcher, "http://a.example/a")
    assert (answer.reason, answer.temporary, answer.delay) == ("reserved", True, timedelta(minutes=10))
    bench.script[FILE] = reply(404)
    bench.now += timedelta(minutes=11)
    (answer,) = ask(fetcher, "http://a.example/a")
    assert answer.status == 200


def test_a_reservation_file_that_robots_forbid_is_not_fetched(bench):
    bench.script |= {"/robots.txt": reply(body=b"User-agent: *\nDisallow: /.well-known"), FILE: RESERVED}
    bench.script["/paid"] = reply()
    (answer,) = ask(bench.fetcher(reservations=frozenset({"tdm"})), "http://a.example/paid")
    assert answer.status == 200
    assert FILE not in paths(bench)


def test_interfaces_sitemaps_and_excepted_hosts_are_not_refused(bench):
    signals = reply(body=PAGE, Content_Type="text/html", X_Robots_Tag="noindex", TDM_Reservation="1")
    bench.script |= {FILE: RESERVED, "/paid": signals}
    everything = frozenset({"tdm", "noai", "noimageai", "noindex"})
    fetcher = bench.fetcher(reservations=everything, hosts={"b.example": HostRule(robots=False)})
    answers = ask(
        fetcher,
        "http://b.example/paid",
        Request(url="http://a.example/paid", purpose="api"),
        Request(url="http://a.example/paid", purpose="sitemap"),
    )
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[0].policy["meta-robots"] == "noai"


def test_noindex_does_not_refuse_a_feed(bench):
    bench.script["/feed"] = reply(
        body=b"<rss/>", Content_Type="application/rss+xml", X_Robots_Tag="noindex, follow"
    )
    fetcher = bench.fetcher(reservations=frozenset({"noindex", "noai"}))
    (answer,) = ask(fetcher, Request(url="http://a.example/feed", purpose="feed"))
    assert answer.status == 200
    bench.script["/feed"] = reply(body=b"<rss/>", Content_Type="application/rss+xml", X_Robots_Tag="noai")
    (answer,) = ask(fetcher, Request(url="http://a.example/feed", purpose="feed"))
    assert answer.reason == "reserved"


def test_signals_of_one_host_are_not_recorded_for_the_next(bench):
    bench.script["a.example" + FILE] = reply(body=b'[{"location": "/", "tdm-reservation": 0}]')
    bench.script["a.example/a"] = reply(301, b"", Location="http://b.example/b")
    bench.script["b.example/b"] = reply()
    (answer,) = ask(bench.fetcher(reservations=frozenset({"tdm"})), "http://a.example/a")
    assert answer.status == 200
    assert "tdm-reservation" not in answer.policy


def test_c39_a_huge_robots_file_is_read_as_far_as_it_matters(bench):
    start = b"User-agent: *\nDisallow: /private\n"
    bench.script["/robots.txt"] = reply(body=start + b"# filler\n" * 400_000)
    bench.script |= {"/private": reply(), "/open": reply()}
    shut, free = ask(
        bench.fetcher(body_limit=1024 * 1024), "http://a.example/private", "http://a.example/open"
    )
    assert (shut.reason, free.status) == ("robots", 200)
