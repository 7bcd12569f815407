"""Where the article of a page stands, by its marks."""

import pytest

from headwater.extract.html.marked_article import marked_article
from headwater.extract.html.parser import parse_html

TEXT = "<h1>The lamp</h1><p>One.</p><p>Two.</p><p>Three.</p>"


def marked_id(markup: str) -> str | None:
    body = parse_html(markup).body
    assert body is not None
    element = marked_article(body)
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
def test_the_narrowest_element_with_the_headline_and_most_paragraphs_is_the_article(markup, expected):
    assert marked_id(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        TEXT,
        f"<h1>The lamp</h1><article>{TEXT.partition('</h1>')[2]}</article>",
        f"<article>{TEXT}</article><article>{TEXT}</article>",
        f"<article>{TEXT}</article>" + "<p>Elsewhere.</p>" * 3,
        "<article><h1>The lamp</h1><p>One.</p></article>",
        f"<article>{TEXT}{'<h1>Again</h1>' * 20}</article>",
    ],
)
def test_a_page_whose_marks_are_not_clear_has_none(markup):
    assert marked_id(markup) is None


def test_an_article_that_only_begins_in_the_element_falls_back_to_the_wider_one():
    markup = f"<main id=m><article>{TEXT}</article>{'<p>More.</p>' * 5}</main>"
    assert marked_id(markup) == "m"
