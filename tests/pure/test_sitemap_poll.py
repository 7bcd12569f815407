"""Polling sitemaps: requests, leads and the watermark."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.poll_sessions import NOW, answer, make_source, run_session, table

from headwater.model.errors import Permanent, Temporary
from headwater.sources.sitemaps.poll import discover_sitemap

MAP = "http://site.example/sitemap.xml"


def urlset(*names, lastmod="2026-11-12"):
    lines = "".join(f"<url><loc>{name}</loc><lastmod>{lastmod}</lastmod></url>" for name in names)
    return f"<urlset>{lines}</urlset>"


def index(*names, lastmod="2026-11-12"):
    lines = "".join(f"<sitemap><loc>{name}</loc><lastmod>{lastmod}</lastmod></sitemap>" for name in names)
    return f"<sitemapindex>{lines}</sitemapindex>"


def at(*paths):
    return [f"http://site.example/{path}" for path in paths]


def poll(pages, *, url=MAP, watermark=None, **options):
    source = make_source("sitemap", url, options=options, watermark=watermark or {})
    answers = pages if callable(pages) else table(pages, "application/xml")
    return run_session(discover_sitemap(source, NOW), answers)


def test_p3_lastmod_is_the_version_and_a_hint_of_the_date():
    (lead,) = poll({MAP: urlset(*at("a"), lastmod="2026-11-12T10:00:00+02:00")}).leads
    assert lead.version == "2026-11-12T08:00:00+00:00"
    assert lead.published is not None
    assert lead.published.isoformat() == lead.version


@pytest.mark.parametrize(
    ("lastmod", "version", "published"),
    [
        ("2061-01-01", "2061-01-01", None),
        ("last week", "last week", None),
        ("", "", None),
        ("2026", "2026-01-01T00:00:00+00:00", 2026),
        ("2026-11", "2026-11-01T00:00:00+00:00", 2026),
    ],
)
def test_a_wrong_or_future_date_is_a_version_but_not_a_date(lastmod, version, published):
    (lead,) = poll({MAP: urlset(*at("a"), lastmod=lastmod)}).leads
    assert lead.version == version
    assert (lead.published.year if lead.published else None) == published


def test_p3_filters_take_parts_of_urls_and_patterns():
    pages = {MAP: urlset(*at("tramites/1", "tramites/borrador/2", "procedimientos/3", "noticias/4"))}
    urls = poll(pages, include=["/tramites/", "re:/procedimientos/\\d+$"], exclude="borrador")
    assert urls.urls == at("tramites/1", "procedimientos/3")


@pytest.mark.parametrize(
    "options", [{"include": "re:("}, {"include": [1]}, {"most": 0}, {"files": "many"}, {"hosts": 5}]
)
def test_a_mistake_in_the_options_is_reported_by_name(options):
    with pytest.raises(Permanent) as message:
        poll({MAP: urlset()}, **options)
    assert message.value.reason == "bad_options"
    assert next(iter(options)) in message.value.detail


def test_urls_of_other_hosts_are_left_out_unless_the_options_name_them():
    urls = [
        "http://site.example/a",
        "https://www.site.example/b",
        "http://sub.site.example/c",
        "http://other.example/d",
    ]
    pages = {MAP: urlset(*urls, "http://notsite.example/e")}
    assert poll(pages).urls == urls[:3]
    assert poll(pages, hosts=["other.example"]).urls == urls
    assert len(poll(pages, hosts=["*"]).urls) == 5


def test_a_sitemap_elsewhere_is_read_when_robots_names_it_but_lists_only_this_site():
    pages = {
        "http://site.example/robots.txt": "Sitemap: http://cdn.example/s.xml\nSitemap: /own.xml\n",
        "http://cdn.example/s.xml": index("http://cdn.example/1.xml", "http://far.example/2.xml"),
        "http://cdn.example/1.xml": urlset(*at("a"), "http://other.example/b"),
        "http://site.example/own.xml": urlset(*at("c")),
    }
    urls = poll(pages, url="http://site.example/")
    assert sorted(urls.urls) == at("a", "c")
    assert "http://far.example/2.xml" not in [request.url for request in urls.requests]


def test_a_site_is_searched_where_sitemaps_usually_are():
    urls = poll({"http://site.example/sitemap_index.xml": urlset(*at("a"))}, url="http://site.example")
    assert urls.urls == at("a")
    assert [request.purpose for request in urls.requests] == ["robots", "sitemap", "sitemap"]


def test_an_index_that_names_itself_ends():
    urls = poll({MAP: index(MAP, *at("1.xml")), **dict.fromkeys(at("1.xml"), urlset(*at("a")))})
    assert (urls.urls, len(urls.requests)) == (at("a"), 2)


@pytest.mark.parametrize(
    "pages",
    [
        {MAP: index(MAP)},
        {MAP: index(*at("2.xml")), **dict.fromkeys(at("2.xml"), index(MAP))},
        {MAP: index(*at("2.xml", "2.xml")), **dict.fromkeys(at("2.xml"), index(MAP, *at("2.xml")))},
    ],
)
def test_sitemaps_that_name_only_one_another_are_a_failure(pages: dict[str, str]):
    with pytest.raises(Permanent) as caught:
        poll(pages)
    assert caught.value.reason == "not_a_sitemap:contains_itself"


def test_indexes_deeper_than_three_are_left_out():
    pages = {MAP: index(*at("2.xml"))}
    pages |= {f"http://site.example/{n}.xml": index(*at(f"{n + 1}.xml")) for n in range(2, 6)}
    urls = poll(pages)
    assert [request.url for request in urls.requests] == [MAP, *at("2.xml", "3.xml")]
    assert "index_too_deep" in urls.codes


def test_leads_come_in_batches_and_release_the_bodies():
    urls = poll({MAP: urlset(*at(*map(str, range(2500))))})
    assert [len(batch) for batch in urls.batches] == [1000, 1000, 500]
    assert urls.discovery.leads == ()


def test_an_unchanged_file_is_requested_conditionally_and_recognised_by_its_hash():
    def tagged(request):
        return answer(
            request,
            urlset(*at("a")),
            media_type="text/xml",
            etag='"1"',
            last_modified="Thu, 12 Nov 2026 00:00:00 GMT",
        )

    first = poll(tagged)
    watermark = first.discovery.watermark
    second_result = poll(tagged, watermark=watermark)
    assert second_result.requests[0].headers == {
        "If-None-Match": '"1"',
        "If-Modified-Since": "Thu, 12 Nov 2026 00:00:00 GMT",
    }
    assert (second_result.leads, second_result.discovery.watermark) == ([], watermark)
    unchanged = poll(lambda request: answer(request, "", status=304), watermark=watermark)
    assert (unchanged.leads, unchanged.discovery.watermark) == ([], watermark)


def test_a_failed_file_causes_a_warning_and_keeps_its_state_for_the_next_poll():
    pages = {
        MAP: index(*at("1.xml", "2.xml")),
        at("1.xml")[0]: urlset(*at("a")),
        at("2.xml")[0]: urlset(*at("b")),
    }
    watermark = poll(pages).discovery.watermark
    failing = poll(pages | {at("2.xml")[0]: Temporary("http_500")}, watermark=watermark)
    assert failing.discovery.watermark == watermark
    assert any("sitemap_failed:http_500" in warning for warning in failing.discovery.warnings)


def test_when_everything_fails_the_first_error_is_reported():
    with pytest.raises(Temporary) as caught:
        poll({MAP: Temporary("http_500", delay=timedelta(minutes=1))})
    assert caught.value.delay == timedelta(minutes=1)
    with pytest.raises(Permanent, match="gone"):
        poll({MAP: Permanent("gone")})


def test_a_failing_host_is_left_alone_and_the_next_poll_continues():
    children = at(*(f"{n}.xml" for n in range(6)))
    pages = {MAP: index(*children)} | {url: urlset(url.removesuffix(".xml")) for url in children}
    busy = dict.fromkeys(children[2:], Temporary("rate_limited", counts=False))
    first = poll(pages | busy)
    assert len(first.requests) == 1 + 2 + 3
    second_result = poll(pages, watermark=first.discovery.watermark)
    assert [request.url for request in second_result.requests[1:]] == [*children[2:], *children[:2]]
    assert {*first.urls, *second_result.urls} == {url.removesuffix(".xml") for url in children}


@settings(deadline=None)
@given(st.integers(1, 7), st.integers(4, 8))
def test_limits_only_spread_a_sitemap_over_more_polls(most, files):
    indexes = at("i0.xml", "i1.xml", "i2.xml")
    children = {url: [f"{url}/{n}.xml" for n in range(3)] for url in indexes}
    pages = {MAP: index(*indexes)} | {url: index(*below) for url, below in children.items()}
    leaves = [url for below in children.values() for url in below]
    pages |= {url: urlset(*(f"{url}/{n}" for n in range(4))) for url in leaves}
    urls, watermark = set(), {}
    for _ in range(80):
        result = poll(pages, watermark=watermark, most=most, files=files)
        assert len(result.leads) <= most
        assert len(result.requests) <= files
        urls |= set(result.urls)
        watermark = result.discovery.watermark
    assert urls == {f"{url}/{n}" for url in leaves for n in range(4)}


def test_trusted_dates_of_an_index_save_the_requests():
    pages = {MAP: index(*at("1.xml")), at("1.xml")[0]: urlset(*at("a"))}
    watermark = poll(pages, trust_lastmod=True).discovery.watermark
    assert len(poll(pages, trust_lastmod=True, watermark=watermark).requests) == 1
    changed = pages | {MAP: index(*at("1.xml"), lastmod="2026-11-13")}
    assert len(poll(changed, trust_lastmod=True, watermark=watermark).requests) == 2


@pytest.mark.parametrize(
    "watermark",
    [
        {"files": 3},
        {"files": {"x": 1}},
        {"files": {MAP: {"etag": 5, "taken": "x"}}},
        {"resume": 9},
        {"resume": [1, None]},
    ],
)
def test_an_invalid_watermark_is_ignored(watermark):
    assert poll({MAP: urlset(*at("a"))}, watermark=watermark).urls == at("a")


def test_the_watermark_is_bounded():
    children = at(*(f"{n}.xml" for n in range(2600)))
    pages = {MAP: index(*children)} | {url: urlset(url + "/a") for url in children}
    first = poll(pages, files=3000)
    assert len(first.leads) == 2600
    assert len(first.discovery.watermark["files"]) == 2000
