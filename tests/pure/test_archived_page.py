"""Archived pages for readers: nothing of a page's markup passes, and the place of a value is marked."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pure.test_extract_samples import PdfSheet, make_pdf
from tests.support.page_rows import ARTICLE

from headwater.extract.html.archived_page import BLOCKS, INLINE, VOID, ShowArchivedPage, find_words
from headwater.extract.pdf.archived_page import ShowPdfPage
from headwater.model.outcomes import ExtractHints

HINTS = ExtractHints(media_type="text/html")
TAG = re.compile(r"<(/?)([a-z0-9]+)([^>]*)>")
ATTRIBUTES = {"", ' class="link"', ' class="picture"', ' id="evidence"'}


def show(markup: str, *texts: str):
    return ShowArchivedPage(texts)(markup.encode("utf-8", "surrogatepass"), HINTS)


def assert_harmless(html: str) -> None:
    tags = TAG.findall(html)
    assert len(tags) == html.count("<")
    assert {name for _, name, _ in tags} <= BLOCKS | INLINE | VOID
    assert {attributes for _, _, attributes in tags} <= ATTRIBUTES


fragments = st.lists(
    st.one_of(
        st.text(max_size=12),
        st.sampled_from(
            [
                "<script>", "</script>", "<img src=x onerror=a>", "<svg onload=a>", "<a href='javascript:a'>", "<style>*{}</style>",
                "<p onclick=a>", "<iframe srcdoc='<p>'>", "<base href=//e>", "<form action=e>", "<math>", "<template>", "</p>", "<!--",
                "-->", "<b", "&lt;script&gt;", "<title>", "<meta http-equiv=refresh content=0>", "<table>", "<td>",
            ]
        ),
    ),
    max_size=20,
)  # fmt: skip


@given(fragments)
def test_only_harmless_elements_are_written(parts: list[str]):
    assert_harmless(show("".join(parts)).html)


def test_a_hostile_page_becomes_text():
    html = show(ARTICLE, "Ilse Varn").html
    assert_harmless(html)
    assert "evil.example" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("value", "path", "offset"),
    [
        ("Ilse Varn", "html/body/p[1]/b[1]", 0),
        ("4.2 million dollars", "html/body/p[2]", 29),
        ("opened  two gates on", "html/body/p[2]", 21),
        ("Valley dam opens its gates", "html/body/h1[1]", 0),
    ],
)
def test_a_value_is_marked_with_its_element_and_offset(value: str, path: str, offset: int):
    view = show(ARTICLE, value)
    assert (view.path, view.offset) == (path, offset)
    marked = "".join(re.findall(r"<mark[^>]*>(.*?)</mark>", view.html))
    assert marked.split() == value.split()
    assert view.html.count('id="evidence"') == 1


def test_a_title_is_marked_in_the_heading_and_not_in_the_navigation_above_it():
    view = show("<nav>Home &gt; Dams</nav><h1> Dams </h1><p>Dams</p>", "Dams")
    assert view.path == "html/body/h1[1]"


def test_a_value_that_is_not_there_marks_nothing():
    view = show(ARTICLE, "five gates")
    assert (view.path, "<mark" in view.html) == ("", False)


@given(st.lists(st.sampled_from("ab"), min_size=1, max_size=4), st.text("ab \n", max_size=30))
def test_words_are_found_where_only_white_space_stands_between_them(words: list[str], text: str):
    span = find_words(text, words)
    if span is None:
        assert " ".join(words) not in text
    else:
        assert "".join(text[slice(*span)].split()) == "".join(words)


def test_a_value_in_a_pdf_has_its_page_and_box():
    first = PdfSheet().write(60, 700, "Nothing of interest stands here")
    second = PdfSheet().write(60, 600, "The grant is 6.000 euros per library")
    view = ShowPdfPage(("no such words", "6.000 euros"))(make_pdf([first, second]), ExtractHints())
    assert (view.page, view.pages) == (2, 2)
    ((left, top, width, height),) = view.boxes
    assert 0.1 < left < 0.5
    assert 0.2 < top < 0.35
    assert 0 < width < 0.3
    assert 0 < height < 0.05
    assert view.picture.startswith(b"\x89PNG")


def test_a_pdf_without_the_value_shows_its_first_page():
    view = ShowPdfPage(("no such words",))(make_pdf([PdfSheet().write(60, 700, "Text")]), ExtractHints())
    assert (view.page, view.boxes) == (1, ())
