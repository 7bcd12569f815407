"""The demo internet behaves like the one outside: validators, compression, hosts, robots, sitemaps, odd pages."""

import gzip
from datetime import timedelta
from http.client import HTTPConnection, IncompleteRead
from urllib.parse import urlsplit

import pytest
from protego import Protego
from tests.support.deadline import DEADLINE

from headwater_demo.internet import running

FRONT = "http://ledgerlane.example/"
ODD = "http://oddities.example"


@pytest.fixture(scope="module")
def internet():
    with running(size="full") as started:
        yield started


@pytest.mark.parametrize(
    "path", ["/", "/feed", "/robots.txt", "/sitemap_index.xml", "/images/a1.png", "/section/markets"]
)
def test_everything_has_validators_that_answer_304(internet, path):
    first = internet.get(f"http://ledgerlane.example{path}")
    by_tag = internet.get(
        f"http://ledgerlane.example{path}", headers={"If-None-Match": f'"other", {first.headers["etag"]}'}
    )
    by_date = internet.get(
        f"http://ledgerlane.example{path}", headers={"If-Modified-Since": first.headers["last-modified"]}
    )
    assert (first.status, by_tag.status, by_date.status) == (200, 304, 304)
    assert by_tag.body == by_date.body == b""
    assert by_tag.headers["etag"] == first.headers["etag"]


def test_a_wrong_tag_wins_over_a_matching_date(internet):
    first = internet.get(FRONT)
    stale = internet.get(
        FRONT, headers={"If-None-Match": '"old"', "If-Modified-Since": first.headers["last-modified"]}
    )
    assert stale.status == 200


def test_bodies_are_compressed_only_for_clients_that_accept_it(internet):
    plain, packed = internet.get(FRONT), internet.get(FRONT, headers={"Accept-Encoding": "br, gzip;q=0.8"})
    refused = internet.get(FRONT, headers={"Accept-Encoding": "gzip;q=0"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body == refused.body


def test_an_etag_from_a_compressed_answer_is_recognised(internet):
    packed = internet.get(FRONT, headers={"Accept-Encoding": "gzip"})
    again = internet.get(FRONT, headers={"Accept-Encoding": "gzip", "If-None-Match": packed.headers["etag"]})
    assert again.status == 304


def test_head_has_the_headers_and_no_body(internet):
    head, full = internet.get(FRONT, method="HEAD"), internet.get(FRONT)
    assert head.body == b""
    assert head.headers["content-length"] == full.headers["content-length"]


def test_unknown_hosts_and_unknown_pages_have_different_statuses(internet):
    assert internet.get("http://unheard-of.example/").status == 421
    assert internet.get("http://ledgerlane.example/nothing-here").status == 404


def test_the_server_can_be_used_as_a_plain_http_proxy(internet):
    connection = HTTPConnection(urlsplit(internet.base_url).netloc, timeout=DEADLINE)
    connection.request("GET", "http://tokentribune.example/robots.txt")
    body = connection.getresponse().read()
    connection.close()
    assert b"Crawl-delay: 2" in body


def test_a_browser_can_reach_a_host_under_localhost(internet):
    assert internet.get("http://ledgerlane.example.localhost/").body == internet.get(FRONT).body


def test_robots_files_of_every_kind_are_served(internet):
    rules = Protego.parse(internet.get("http://blockharbour.example/robots.txt").body.decode())
    assert not rules.can_fetch("http://blockharbour.example/private/notes", "headwater")
    assert rules.can_fetch("http://blockharbour.example/private/press", "headwater")
    assert internet.get("http://hashfield.example/robots.txt").status == 404
    assert internet.get("http://unwell.example/robots.txt").status == 503
    assert internet.get("http://kettenkurier.example/robots.txt").body.startswith(b"\xef\xbb\xbf")


def test_sitemaps_of_every_kind_list_the_articles(internet):
    article_urls = {item["urls"][0] for item in internet.truth() if item["host"] == "basinwire.example"}
    index = internet.get("http://basinwire.example/sitemap_index.xml").body.decode()
    packed = gzip.decompress(internet.get("http://basinwire.example/sitemap.xml.gz").body).decode()
    listed = set(internet.get("http://basinwire.example/sitemap.txt").body.decode().split())
    assert "http://basinwire.example/sitemap.xml.gz" in index
    assert listed == article_urls
    assert all(url in packed for url in article_urls)


def test_every_article_is_served_under_each_of_its_addresses(internet):
    for item in internet.truth():
        pages = [internet.get(url) for url in item["urls"]]
        assert {page.status for page in pages} == {200}, item["urls"]
        assert all(item["paragraphs"][-1].split("&")[0][:40].encode() in page.body for page in pages), item[
            "urls"
        ]


def test_the_maze_redirects_in_every_way(internet):
    hops = [
        internet.get(f"http://maze.example/hops/{remaining}").headers["location"] for remaining in (7, 2, 1)
    ]
    assert hops == ["http://maze.example/hops/6", "http://maze.example/hops/1", "http://maze.example/arrived"]
    assert internet.get("http://maze.example/loop").headers["location"].endswith("/loop/back")
    assert internet.get("http://maze.example/cross").headers["location"] == "http://maze-exit.example/arrived"
    assert internet.get("http://maze.example/private").headers["location"].startswith("http://169.254.")
    assert internet.get("http://maze.example/moved/308").status == 308


@pytest.mark.parametrize(
    ("path", "sign"),
    [
        ("/script-shell", b"enable JavaScript"),
        ("/paywall", b"Subscribe to continue"),
        ("/consent", b"Before you continue"),
        ("/login", b'type="password"'),
        ("/soft-404", b"Page not found"),
        ("/mojibake", "cafÃ©".encode()),
        ("/latin1", "café".encode("latin-1")),
        ("/wrong-charset", "café".encode()),
    ],
)
def test_every_odd_page_has_its_own_defect(internet, path, sign):
    answer = internet.get(ODD + path)
    assert answer.status == 200
    assert sign in answer.body


def test_the_big_page_is_ten_megabytes(internet):
    assert len(internet.get(f"{ODD}/big").body) >= 10 * 1024 * 1024


def test_the_compressed_bomb_is_small_on_the_wire(internet):
    answer = internet.get(f"{ODD}/packed-bomb")
    assert answer.headers["content-encoding"] == "gzip"
    assert len(answer.body) < 300_000


def test_the_endless_page_goes_on_until_the_reader_leaves(internet):
    connection = HTTPConnection(urlsplit(internet.base_url).netloc, timeout=DEADLINE)
    connection.request("GET", "/endless", headers={"Host": "oddities.example"})
    assert len(connection.getresponse().read(200_000)) == 200_000
    connection.close()


def test_the_slow_page_arrives_in_small_pieces(internet):
    connection = HTTPConnection(urlsplit(internet.base_url).netloc, timeout=DEADLINE)
    connection.request("GET", "/drip", headers={"Host": "oddities.example"})
    assert len(connection.getresponse().read1(4096)) <= 8
    connection.close()


def test_a_truncated_answer_announces_more_than_it_sends(internet):
    with pytest.raises(IncompleteRead) as caught:
        internet.get(FRONT, headers={"X-Fake-Fault": "truncate=100"})
    assert len(caught.value.partial) == 100


def test_time_moves_only_on_request():
    with running() as internet:
        first = internet.get(FRONT)
        assert internet.get(FRONT).headers["date"] == first.headers["date"]
        assert internet.advance(timedelta(hours=1)) == internet.clock()
        assert internet.get(FRONT).headers["date"] == "Fri, 13 Nov 2026 10:00:00 GMT"
