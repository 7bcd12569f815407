"""A crawl: where it goes, in which order, and where it stops."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW, answer, make_source, run_session, table

from headwater.model.errors import Permanent, Temporary
from headwater.sources.crawl.poll import discover_crawl

START = "http://site.example/"


def page(*links, words=""):
    return f"<html><title>t</title><body>{words}{''.join(f'<a href={link!r}>x</a>' for link in links)}</body></html>"


def at(*paths):
    return [START + path for path in paths]


def crawl(pages, /, *, url=START, watermark=None, **options):
    source = make_source("crawl", url, options=options, watermark=watermark or {})
    return run_session(discover_crawl(source, NOW), pages if callable(pages) else table(pages))


def requested_urls(result):
    return [request.url for request in result.requests]


def tree(depth, width):
    """Pages that each lead to further ones, down to the depth."""
    pages, level = {}, [START]
    for _ in range(depth):
        below = [f"{url}{n}/" for url in level for n in range(width)]
        for position, url in enumerate(level):
            pages[url] = page(*below[position * width : (position + 1) * width], words=url)
        level = below
    return pages | {url: page(words=url) for url in level}


@given(st.integers(0, 5), st.integers(1, 40))
def test_p6_limits_of_depth_and_pages_hold_and_the_order_is_breadth_first(depth, pages):
    result = crawl(tree(4, 2), depth=depth, pages=pages)
    depths = [url.count("/") - 3 for url in requested_urls(result)]
    assert depths == sorted(depths)
    assert max(depths) <= min(depth, 3)
    assert len(result.requests) == min(pages, sum(2**n for n in range(min(depth, 3) + 1)))
    assert requested_urls(crawl(tree(4, 2), depth=depth, pages=pages)) == requested_urls(result)


def test_p6_no_option_alone_goes_beyond_five_hundred_pages():
    pages = {START: page(*(f"/{n}" for n in range(700)), words="home")}
    pages |= {f"{START}{n}": page(words=str(n)) for n in range(700)}
    assert len(crawl(pages, pages=10_000, per_shape=10_000).requests) == 500
    assert len(crawl(pages, pages=10_000, per_shape=10_000, beyond_limits=True).requests) == 701


def test_pages_that_the_last_crawl_did_not_reach_come_first():
    pages = {START: page(*"abcdef", words="home")} | {f"{START}{n}": page(words=n) for n in "abcdef"}
    first = crawl(pages, pages=3)
    second_result = crawl(pages, pages=3, watermark=first.discovery.watermark)
    assert requested_urls(first) == [START, *at("a", "b")]
    assert requested_urls(second_result) == [START, *at("c", "d")]
    assert "pages_left_out" in first.codes


def test_p6_a_matching_page_is_a_lead_that_carries_its_body():
    (lead,) = crawl(
        {START: page("a", words="x"), **dict.fromkeys(at("a"), page(words="Requisitos"))},
        markers="requisitos",
    ).leads
    assert lead.url == at("a")[0]
    assert "Requisitos" in lead.body
    assert (lead.body_type, lead.hints["markers"]) == ("text/html", ["requisitos"])


def test_a_lead_is_yielded_at_once_so_that_its_capture_is_its_own():
    pages = {START: page(*"abc", words="x")} | {f"{START}{n}": page(words=n) for n in "abc"}
    assert [len(batch) for batch in crawl(pages).batches] == [1, 1, 1]


def test_bodies_without_leads_are_released_regularly():
    pages = {START: page(*map(str, range(50)), words="x")} | {
        f"{START}{n}": page(words=str(n)) for n in range(50)
    }
    assert crawl(pages, markers="nowhere").batches == [(), ()]


def test_the_version_changes_with_the_body_only():
    pages = {START: page("a", words="x")}
    versions = {
        crawl(pages | dict.fromkeys(at("a"), page(words=words))).leads[0].version
        for words in ("one", "one", "two")
    }
    assert len(versions) == 2


def test_p6_equal_content_under_two_urls_is_one_page():
    pages = {START: page("a", "b", words="x")} | dict.fromkeys(at("a", "b"), page("c", words="same"))
    result = crawl(pages)
    assert result.urls == at("a")
    assert "same_content" in result.codes


def test_p6_other_domains_files_and_unwanted_links_are_not_followed():
    links = (
        "a",
        "b.css",
        "c.PNG",
        "http://other.example/",
        "http://sub.site.example/",
        "admin/x",
        "https://www.site.example/d",
    )
    result = crawl({START: page(*links, words="x")}, exclude="/admin/")
    assert requested_urls(result) == [START, *at("a"), "https://www.site.example/d"]


def test_a_redirect_that_leaves_the_site_is_not_a_page_of_it():
    def away(request):
        response = answer(request, page("b", words=request.url))
        return (
            response
            if request.url == START
            else type(response)(**{**vars_of(response), "url": "http://other.example/"})
        )

    result = crawl(away)
    assert result.leads == []
    assert "left_the_site" in result.codes


def vars_of(response):
    return {name: getattr(response, name) for name in response.__slots__}


def test_the_header_forbids_following_too():
    result = crawl(lambda request: answer(request, page("a", words="x"), x_robots_tag="nofollow"))
    assert requested_urls(result) == [START]


@pytest.mark.parametrize(
    "error", [Permanent("robots", "Disallow: /a"), Permanent("http_404"), Temporary("http_403")]
)
def test_an_error_of_one_page_never_ends_the_crawl(error):
    pages = {START: page(*"abcdefg", words="x")} | {f"{START}{n}": error for n in "abcde"}
    result = crawl(pages | {f"{START}g": page(words="g")})
    assert result.urls == at("g")
    assert any(error.reason in warning for warning in result.discovery.warnings)


def test_a_failing_host_is_left_alone_until_the_next_crawl():
    pages = {START: page(*"abcdefg", words="x"), f"{START}a": page(words="a")}
    pages |= {f"{START}{n}": Temporary("rate_limited", counts=False) for n in "bcdefg"}
    result = crawl(pages)
    assert requested_urls(result) == [START, *at("a", "b", "c", "d")]
    assert result.urls == at("a")
    assert [url for url, _ in result.discovery.watermark["waiting"]] == at("e", "f", "g")


@pytest.mark.parametrize("error", [Permanent("gone"), Temporary("http_500"), Permanent("robots")])
def test_a_site_whose_start_page_fails_reports_the_reason(error):
    with pytest.raises(type(error), match=error.reason):
        crawl({START: error})


def tagged(pages):
    """The pages with their tags; 304 for a request with the same tag."""

    def answering(request):
        tag = f'"{hash(pages[request.url])}"'
        unchanged = request.headers.get("If-None-Match") == tag
        return answer(request, status=304) if unchanged else answer(request, pages[request.url], etag=tag)

    return answering


def headers_of(result):
    return [set(request.headers) for request in result.requests]


@given(st.integers(0, 3), st.integers(1, 3))
def test_p12_unchanged_pages_are_requested_conditionally_and_keep_their_links(depth, width):
    pages = tree(depth, width)
    first = crawl(tagged(pages), depth=depth)
    second_result = crawl(tagged(pages), depth=depth, watermark=first.discovery.watermark)
    assert requested_urls(second_result) == requested_urls(first)
    assert headers_of(second_result) == [{"If-None-Match"}] * len(pages)
    assert second_result.leads == []
    assert second_result.discovery.watermark == first.discovery.watermark


def test_p12_a_changed_page_is_read_again_and_its_new_links_are_followed():
    pages = {START: page("a", words="home")} | {url: page(words=url) for url in at("a", "b")}
    watermark = crawl(tagged(pages)).discovery.watermark
    changed = pages | {START: page("a", "b", words="home")}
    second_result = crawl(tagged(changed), watermark=watermark)
    assert requested_urls(second_result) == [START, *at("a", "b")]
    assert second_result.urls == at("b")


def test_p12_a_copy_is_requested_unconditionally_when_its_original_is_gone():
    pages = {START: page("a", "b", words="home")} | {url: page(words="same") for url in at("a", "b")}
    watermark = crawl(tagged(pages)).discovery.watermark
    assert headers_of(crawl(tagged(pages), watermark=watermark)) == [{"If-None-Match"}] * 3
    without_original = pages | {START: page("b", words="home")}
    assert crawl(tagged(without_original), watermark=watermark).urls == at("b")


def test_p12_changed_options_make_every_page_new():
    pages = {START: page("a", words="home"), at("a")[0]: page(words="a plazo")}
    watermark = crawl(tagged(pages), markers=["requisitos"]).discovery.watermark
    assert crawl(tagged(pages), markers=["plazo"], watermark=watermark).urls == at("a")


def test_p12_a_page_whose_links_do_not_fit_is_requested_unconditionally(monkeypatch):
    monkeypatch.setattr("headwater.sources.crawl.watermark.MOST_LINKS", 1)
    pages = {START: page("a", "b", words="home")} | {url: page(words=url) for url in at("a", "b")}
    watermark = crawl(tagged(pages), depth=1).discovery.watermark
    second_result = crawl(tagged(pages), depth=1, watermark=watermark)
    assert (requested_urls(second_result), headers_of(second_result)[0]) == ([START, *at("a", "b")], set())


def test_a_last_page_is_not_requested_again_while_it_is_fresh():
    def fresh(request):
        links = "a" if request.url == START else "b"
        return answer(request, page(links, words=request.url), etag='"1"', cache_control="max-age=600")

    watermark = crawl(fresh, depth=1).discovery.watermark
    second_result = crawl(fresh, depth=1, watermark=watermark)
    assert requested_urls(second_result) == [START]
    assert second_result.discovery.watermark == watermark
    key = next(key for key in watermark["pages"] if key.endswith("/a"))
    for value in ("2026-11-13T09:00:00+00:00", "9999-01-01T00:00:00+00:00", "2026-11-13T09:05:00", "soon", 7):
        changed = {"pages": {key: {**watermark["pages"][key], "fresh_until": value}}}
        assert len(requested_urls(crawl(fresh, depth=1, watermark=changed))) == 2


def test_documents_are_leads_by_url_and_other_files_are_not_read():
    pages = {START: page("doc/a.pdf", "other/b.pdf", "doc/c", words="x")}
    pages[at("doc/c")[0]] = "bytes"
    answers = table(pages)

    def typed(request):
        response = answers(request)
        return (
            answer(request, b"%PDF", media_type="application/pdf") if request.url.endswith("/c") else response
        )

    result = crawl(typed, page_patterns="/doc/")
    assert result.urls == at("doc/a.pdf", "doc/c")
    assert [lead.body for lead in result.leads] == [None, None]


@pytest.mark.parametrize(
    "options",
    [
        {"starts": "http://other.example/"},
        {"depth": -1},
        {"pages": True},
        {"markers": ["…"]},
        {"page_patterns": "re:["},
        {"subdomains": "yes"},
    ],
)
def test_mistakes_in_the_options_are_reported(options):
    with pytest.raises(Permanent, match=next(iter(options))):
        crawl({START: page()}, **options)


@pytest.mark.parametrize(
    "watermark",
    [
        {"pages": 3, "waiting": 4},
        {"pages": {"a": 1}, "waiting": [["x"], [1, 2], ["http://evil.example/", 1]]},
    ],
)
def test_an_invalid_watermark_is_ignored(watermark):
    assert requested_urls(crawl({START: page(words="x")}, watermark=watermark)) == [START]


def test_a_declared_charset_does_not_spoil_the_body_of_the_lead():
    body = '<meta charset="iso-8859-1"><body>Documentación</body>'.encode("latin-1")
    pages = {START: page("a", words="x"), at("a")[0]: body}
    (lead,) = crawl(pages).leads
    assert lead.body.startswith("\ufeff")
    assert "Documentación" in lead.body
