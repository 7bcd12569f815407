"""Texts that once kept a reader busy for seconds or for ever."""

from headwater.extract.html.metadata.jsonld import parse_linked_data
from headwater.extract.html.parser import LARGEST_MARKUP, limit_depth, truncate_markup
from headwater.extract.plain_text import read_markdown
from headwater.model.outcomes import ExtractHints, Reading
from headwater.text.sniffing import sniff_media_type


def test_spaces_in_linked_data_are_skipped_once() -> None:
    entry = '{"@type": "NewsArticle"}'
    assert parse_linked_data(" " * 400_000 + "x" + " " * 400_000) == []
    wrapped = f"//<![CDATA[{' ' * 400_000}{entry}{' ' * 400_000}//]]>"
    assert parse_linked_data(wrapped) == [{"@type": "NewsArticle"}]
    assert parse_linked_data(f"<!--{entry}-->") == [{"@type": "NewsArticle"}]
    assert parse_linked_data(f"/* <![CDATA[ */{entry}/* ]]> */") == [{"@type": "NewsArticle"}]


def test_tags_that_are_never_closed_are_looked_at_once() -> None:
    markup = "<a " * 400_000
    assert limit_depth(markup) == markup
    deep = "<b x>" * 20_000
    assert limit_depth(deep).startswith("<p>")


def test_comments_and_scripts_that_never_end_are_searched_for_once() -> None:
    for start in ("<!--", "<script>", "<svg ", "<style></svg>", "<template>"):
        markup = start * (LARGEST_MARKUP // len(start) + 10)
        shortened, is_cut = truncate_markup(markup)
        assert is_cut
        assert shortened == markup[:LARGEST_MARKUP]


def test_invisible_parts_of_a_large_page_are_left_out_and_linked_data_kept() -> None:
    linked = '<script type="application/ld+json">{}</script>'
    hidden = "<!-- a > b --><SCRIPT src='x'>if (a < b) {}</script ><style>p</style><svg><path/></svg>"
    page = f"<p>one</p>{hidden}{linked}<p>two</p><!-- never closed <p>three</p>"
    text, _ = truncate_markup(page + "z" * LARGEST_MARKUP)
    assert text.startswith(f"<p>one</p>    {linked}<p>two</p><!-- never closed <p>three</p>zzz")


def test_many_comments_before_the_root_are_passed_one_by_one() -> None:
    data = b"<?xml version='1.0'?>" + b"<!---->" * 200 + b"<urlse"
    assert sniff_media_type(data, None)  # it ends


def test_a_heading_of_many_signs_keeps_its_title() -> None:
    reading = read_markdown(b"# Harbour dues ##" + b"#" * 100_000 + b"\n\ntext\n", ExtractHints())
    assert isinstance(reading, Reading)
    assert reading.title == "Harbour dues"
