"""In which element of a page its article stands."""

import pytest

from headwater.extract.html.article_element import article_element
from headwater.extract.html.parser import parse_html

TEXT = "<h1>The lamp</h1><p>One.</p><p>Two.</p><p>Three.</p>"


def element_id(markup: str) -> str | None:
    body = parse_html(markup).body
    assert body is not None
    element = article_element(body)
    return element.attributes.get("id") if element is not None else None


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<article id=a>{TEXT}</article><p>Elsewhere.</p>", "a"),
        (f"<main id=m>{TEXT}</main>", "m"),
        (f"<main id=m><article id=a>{TEXT}</article></main>", "a"),
        (f"<article id=teaser><h2>Other</h2></article><article id=a>{TEXT}</article>", "a"),
    ],
)
def test_the_narrowest_marked_element_with_the_headline_and_most_paragraphs_is_the_article(markup, expected):
    assert element_id(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        TEXT,
        f"<h1>The lamp</h1><article>{TEXT.partition('</h1>')[2]}</article>",
        f"<div>{TEXT}</div>" + "<p>Elsewhere.</p>" * 2,
        f"<div>{TEXT}</div><h1>Another</h1>",
        "<div>"
        + TEXT.replace("<h1>", "<div>" * 50 + "<h1>").replace("</h1>", "</h1>" + "</div>" * 50)
        + "</div>",
        f"<article>{TEXT}</article><article>{TEXT}</article>",
        f"<article>{TEXT}</article>" + "<p>Elsewhere.</p>" * 3,
        "<article><h1>The lamp</h1><p>One.</p></article>",
        f"<article>{TEXT}{'<h1>Again</h1>' * 20}</article>",
    ],
)
def test_a_page_where_it_is_not_clear_has_none(markup):
    assert element_id(markup) is None


def test_an_article_that_only_begins_in_the_element_falls_back_to_the_wider_one():
    markup = f"<main id=m><article>{TEXT}</article>{'<p>More.</p>' * 5}</main>"
    assert element_id(markup) == "m"


def test_without_marks_it_is_the_smallest_element_around_the_only_headline():
    inner = (
        "<div id=inner><header><h1>The lamp</h1></header><div><p>One.</p><p>Two.</p><p>Three.</p></div></div>"
    )
    assert element_id(f"<div id=outer><p>Elsewhere.</p>{inner}</div>") == "inner"
