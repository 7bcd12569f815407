"""Canonical URLs: the laws, then the rule sets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.urls import (
    CAMPAIGN_RULES,
    DEFAULT_RULES,
    IDENTITY_RULES,
    URL_RULES_BY_NAME,
    canonical_url,
    host_of,
)
from headwater_recipes.procedures.link_type import link_type
from headwater_recipes.procedures.url_rules import PROCEDURE_URL_RULES

HOSTS = st.sampled_from(
    [
        "news.example",
        "WWW.News.Example",
        "bücher.example",
        "10.0.0.1",
        "[2001:DB8::1]",
        "m.news.example.",
        "xn--bcher-kva.example",
    ]
)
PIECES = st.text(st.sampled_from("abcZ09-._~%/?&=#;+ é!$'()*,:@\\|<>\"2F"), max_size=24)
URLS = st.builds(
    lambda scheme, user, host, port, path: f"{scheme}://{user}{host}{port}/{path}",
    st.sampled_from(["http", "https", "HTTP"]),
    st.sampled_from(["", "ana@", "ana:secret@"]),
    HOSTS,
    st.sampled_from(["", ":80", ":443", ":8080", ":"]),
    PIECES,
)
EVERY_RULE_SET = pytest.mark.parametrize(
    "rules", [*URL_RULES_BY_NAME.values(), PROCEDURE_URL_RULES], ids=lambda rules: rules.name
)


@EVERY_RULE_SET
@given(url=URLS)
def test_canonicalisation_is_idempotent(url, rules):
    once = canonical_url(url, rules)
    assert canonical_url(once, rules) == once


@EVERY_RULE_SET
@given(text=st.text(max_size=60))
def test_any_text_has_a_stable_canonical_form(text, rules):
    once = canonical_url(text, rules)
    assert canonical_url(once, rules) == once


@given(
    name=st.sampled_from(["id", "p", "q", "page", "v", "article", "ref", "cid", "source", "lang"]),
    first_value=st.integers(0, 999),
    second_value=st.integers(0, 999),
)
def test_functional_parameters_keep_pages_apart(name, first_value, second_value):
    first, second = (
        canonical_url(f"https://news.example/read?{name}={value}", DEFAULT_RULES)
        for value in (first_value, second_value)
    )
    assert (first == second) == (first_value == second_value)


@given(
    st.sampled_from(["utm_source", "UTM_Campaign", "fbclid", "gclid", "mc_cid", "utm_anything", "msclkid"])
)
def test_tracking_parameters_do_not_keep_pages_apart(name):
    assert canonical_url(f"https://news.example/a?x=1&{name}=abc&y=") == "https://news.example/a?x=1&y="


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTPS://News.Example:443/a/../b/./c", "https://news.example/b/c"),
        ("http://news.example:8080", "http://news.example:8080/"),
        ("https://news.example/%7eana/%c3%a9?q=%2f", "https://news.example/~ana/%C3%A9?q=%2F"),
        ("https://news.example/é à", "https://news.example/%C3%A9%20%C3%A0"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://news.example./a#part", "https://news.example/a"),
        ("https://news.example/#!/story/7", "https://news.example/#!/story/7"),
        ("https://ana:secret@news.example/a", "https://news.example/a"),
        ("https://news.example/a?b=2&a=1&blank=&flag", "https://news.example/a?b=2&a=1&blank=&flag"),
        (" https://news.example/a\n", "https://news.example/a"),
        ("https://news.example/../../a", "https://news.example/a"),
        ("https://[2001:DB8::1]:443/a", "https://[2001:db8::1]/a"),
        ("mailto:ana@news.example", "mailto:ana@news.example"),
        ("https://news.example:99999/a", "https://news.example:99999/a"),
    ],
)
def test_spellings_of_one_url_have_one_canonical_form(url, expected):
    assert canonical_url(url) == expected


def test_c17_five_parameters_and_the_fragment_are_dropped_and_no_more():
    url = "https://News.Example/a?utm_source=x&utm_medium=y&utm_campaign=z&fbclid=1&gclid=2&utm_term=t&id=&b=1#top"
    assert canonical_url(url, CAMPAIGN_RULES) == "https://news.example/a?utm_term=t&id=&b=1"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://BOE.es/diario/", "https://www.boe.es/diario"),
        ("https://agenciatributaria.es/a", "https://sede.agenciatributaria.gob.es/a"),
        (
            "https://portal.example/a;jsessionid=12?x=1&PHPSESSID=9&ASPSESSIONIDQ=3",
            "https://portal.example/a?x=1",
        ),
        ("https://portal.example/a?mysessionid=1&ref=x&source=y&origin=z", "https://portal.example/a"),
        (
            "https://portal.example/a?lang=es&id=4&pagina=2&expediente=7#x",
            "https://portal.example/a?lang=es&id=4&pagina=2&expediente=7",
        ),
        ("https://portal.example/", "https://portal.example/"),
    ],
)
def test_p35_urls_are_canonicalised_by_the_rules(url, expected):
    assert canonical_url(url, PROCEDURE_URL_RULES) == expected


@pytest.mark.parametrize(
    "variant",
    [
        "http://news.example/2026/story-7",
        "https://www.news.example/2026/story-7/",
        "https://m.news.example/2026/story-7?utm_source=feed",
        "https://amp.news.example/2026/story-7",
        "https://www.news.example/2026/story-7/amp",
        "https://www.news.example/2026/story-7?outputType=amp",
        "https://www.news.example/2026/story-7?print=1#comments",
    ],
)
def test_identity_takes_variants_of_a_page_for_one(variant):
    assert canonical_url(variant, IDENTITY_RULES) == "https://news.example/2026/story-7"


def test_identity_keeps_other_pages_apart():
    urls = [
        "https://news.example/a?ref=home",
        "https://news.example/a?id=1",
        "https://news.example/amplifier",
        "https://news.example:8443/a",
    ]
    assert len({canonical_url(url, IDENTITY_RULES) for url in urls}) == len(urls)


def test_the_host_of_a_url_is_normalised():
    assert host_of("https://Ana:x@WWW.Bücher.example:8443/a") == "www.xn--bcher-kva.example"
    assert host_of("no url") == ""
    assert host_of("http://[bad") == ""


@pytest.mark.parametrize(
    ("url", "kind"),
    [
        ("https://portal.example", "homepage"),
        ("https://portal.example/inicio", "homepage"),
        ("https://portal.example/ayudas/vivienda", "informative"),
        ("https://portal.example/guia.pdf", "informative"),
        ("https://portal.example/ver?id=12", "informative"),
        ("https://portal.example/ayudas/index.html", "section"),
    ],
)
def test_p35_links_have_a_type(url, kind):
    assert link_type(url) == kind
