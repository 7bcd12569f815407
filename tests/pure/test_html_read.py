import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater.extract.html.classifier.selection import BlockChoice, choose_blocks, without_strays
from headwater.extract.html.reader import read_html
from headwater.extract.plain_text import strip_markdown
from headwater.extract.reader import read_any
from headwater.model.outcomes import ExtractHints, Reading, Unreadable

PARAGRAPHS = [
    "The harbour of Larkmoor was rebuilt in stone after the storm, and the town has not closed its gates since then.",
    "Every morning, before the boats come in, the keeper of the lamp writes down the wind, the tide and the visitors.",
    "Her notes, which fill forty volumes, are now read by students of the weather, who find in them what no machine kept.",
    "The council will decide in spring whether the old lamp stays, or whether a new one, brighter and cheaper, replaces it.",
]
ARTICLE = f"""<!doctype html><html lang="en-GB"><head><meta charset="utf-8">
<title>The lamp of Larkmoor | Larkmoor Courier</title>
<meta property="og:site_name" content="Larkmoor Courier"><meta property="og:type" content="article">
<meta property="article:published_time" content="2024-05-06T07:08:09+02:00">
<meta property="article:modified_time" content="2024-05-07T10:00:00Z">
<meta name="author" content="Ada Quill"><meta name="description" content="A lamp and its keeper.">
<meta name="keywords" content="harbour, lamp"><link rel="canonical" href="https://courier.example/lamp">
<meta property="og:image" content="/lamp.jpg"><style>.x {{ color: red }}</style></head>
<body><header><nav><ul><li><a href="/">Home</a></li><li><a href="/news">News</a></li><li><a href="/sport">Sport</a></li></ul></nav></header>
<main><article><h1>The lamp of Larkmoor</h1><p>{PARAGRAPHS[0]}</p><script>var hidden = "script text";</script>
<p>{PARAGRAPHS[1]} <a href="/volumes">The volumes</a> can be seen on Sundays.</p><h2>Forty volumes</h2><p>{PARAGRAPHS[2]}</p>
<blockquote><p>Nobody asked me to write, and nobody ever asked me to stop, so I went on writing every day.</p></blockquote>
<ul><li>The first volume begins in the year of the great storm, when the lamp was lit.</li><li>The last one is still open on her desk, waiting for the evening tide.</li></ul>
<pre>wind  = "north"
tide  = 3</pre>
<table><tr><th>Year of the count</th><th>Boats in the harbour</th></tr><tr><td>The year 1990</td><td>Forty boats came in</td></tr></table>
<p>{PARAGRAPHS[3]}</p></article></main>
<footer><p>© Larkmoor Courier. All rights reserved. <a href="/privacy">Privacy policy</a></p></footer></body></html>"""


def reading(markup: str | bytes, url: str | None = None, media_type: str | None = None) -> Reading:
    data = markup if isinstance(markup, bytes) else markup.encode()
    page_reading = read_html(data, ExtractHints(url=url, media_type=media_type))
    assert isinstance(page_reading, Reading), page_reading
    return page_reading


def test_c11_title_url_text_date_author_and_description_are_read():
    page_reading = reading(ARTICLE, "https://courier.example/lamp?ref=feed")
    assert page_reading.title == "The lamp of Larkmoor"
    assert page_reading.canonical_url == "https://courier.example/lamp"
    assert all(paragraph in page_reading.plain for paragraph in PARAGRAPHS)
    assert page_reading.published is not None
    assert page_reading.published.isoformat() == "2024-05-06T07:08:09+02:00"
    assert page_reading.authors == ("Ada Quill",)
    assert page_reading.description == "A lamp and its keeper."


def test_r70_publisher_language_keywords_and_image_are_read_with_their_origins():
    page_reading = reading(ARTICLE, "https://courier.example/lamp")
    assert (page_reading.publisher, page_reading.language, page_reading.keywords) == (
        "Larkmoor Courier",
        "en-GB",
        ("harbour", "lamp"),
    )
    assert page_reading.image == "https://courier.example/lamp.jpg"
    assert page_reading.modified is not None
    assert page_reading.modified.utcoffset() is not None
    assert page_reading.origins["published"] == "meta article:published_time"
    assert page_reading.origins["title"] == "h1"
    assert set(page_reading.origins) >= {"text", "authors", "publisher", "language", "canonical_url"}


def test_r65_menus_footers_scripts_and_styles_are_left_out():
    page_reading = reading(ARTICLE)
    for unwanted in ("Sport", "Privacy policy", "script text", "color: red"):
        assert unwanted not in page_reading.text
        assert unwanted not in page_reading.plain


def test_headings_lists_tables_quotes_and_code_keep_their_markup():
    lines = reading(ARTICLE).text.split("\n")
    assert "## Forty volumes" in lines
    assert any(line.startswith("> Nobody asked me") for line in lines)
    assert sum(line.startswith("- The ") for line in lines) == 2
    assert 'wind  = "north"' in lines
    assert "| The year 1990 | Forty boats came in |" in lines
    assert "| --- | --- |" in lines


def test_plain_text_has_no_markup():
    plain = reading(ARTICLE).plain
    assert "#" not in plain
    assert "```" not in plain
    assert "|" not in plain


def test_links_are_absolute_and_those_of_the_menu_are_left_out():
    page_reading = reading(ARTICLE, "https://courier.example/lamp")
    assert "https://courier.example/volumes" in page_reading.links
    assert "https://courier.example/sport" not in page_reading.links


def test_what_a_declared_article_has_around_it_is_not_looked_at_unless_it_is_all_there_is():
    blocks = reading(ARTICLE).candidates["blocks"]
    undeclared = reading(ARTICLE.replace('content="article"', 'content="website"'))
    assert undeclared.candidates["blocks"] > blocks
    inside = ARTICLE.replace("<main>", "<footer>").replace("</main>", "</footer>")
    assert all(paragraph in reading(inside).plain for paragraph in PARAGRAPHS)


@pytest.mark.parametrize(
    "surrounding",
    [
        "<aside><p>{}</p></aside>",
        '<ul class="main-menu"><li>{}</li></ul>',
        '<ul class="site-nav"><li>{}</li></ul>',
        '<ul id="menu-top"><li>{}</li></ul>',
        "<nav><aside><ul class=menu><li>{}</li></ul></aside></nav>",
    ],
)
@pytest.mark.parametrize("is_stated_in", ["meta", "linked data"])
def test_sidebars_and_lists_named_as_menus_are_not_looked_at_beside_an_article(surrounding, is_stated_in):
    page = ARTICLE
    if is_stated_in == "linked data":
        linked_data = '<script type="application/ld+json">{"@type": "NewsArticle"}</script></head>'
        page = page.replace('content="article"', 'content="website"').replace("</head>", linked_data)
    crowded = page.replace("<main>", surrounding.format("Seen by readers of other pages.") + "<main>")
    assert reading(crowded).candidates["blocks"] == reading(page).candidates["blocks"]


def test_confidence_and_candidates_say_how_the_text_was_found():
    page_reading = reading(ARTICLE.replace('content="article"', 'content="website"'))
    assert page_reading.confidence is not None
    assert 0.6 < page_reading.confidence <= 1
    assert page_reading.method == "html blocks"
    assert page_reading.candidates["chosen"] < page_reading.candidates["blocks"]


def test_reading_is_deterministic():
    assert reading(ARTICLE) == reading(ARTICLE)


def test_reading_the_rendered_text_again_loses_nothing():
    plain = reading(ARTICLE).plain
    second_text = reading(
        "<article><p>" + "</p><p>".join(plain.replace("<", "&lt;").split("\n")) + "</p></article>"
    ).plain
    assert second_text.split() == plain.split()


def test_text_is_in_normal_form_c():
    decomposed = unicodedata.normalize("NFD", ARTICLE.replace("storm", "stürm"))
    page_reading = reading(decomposed)
    assert "stürm" in page_reading.plain
    assert unicodedata.is_normalized("NFC", page_reading.text)


def test_a_paragraph_that_looks_like_markup_is_escaped():
    page = ARTICLE.replace(
        "<h2>Forty volumes</h2>", "<p># This is a paragraph that begins with a hash, and it stays one.</p>"
    )
    assert "\\# This is a paragraph" in reading(page).text


FRAGMENTS = ["<p>", "</p>", "<div class='a'>", "</div>", "<b>", "</a>", "<a href='x'>", "&amp;", "&#xD800;", "<!--", "-->",
             "<script>", "</script>", "<style>x", "</style>", "<table><tr><td>", "<pre>", "<li>", "some words of text, and more. ",
             "ééé", "\x00", "<h1>", "</h1>", "<![CDATA[", "<title>", "<time datetime='2020-01-02'>", '"', "'", ">", "<"]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=40))
def test_broken_markup_ends_as_text_or_as_a_reason(parts):
    page_reading = read_html("".join(parts).encode("utf-8", "surrogatepass"), ExtractHints())
    if isinstance(page_reading, Reading):
        assert page_reading.text.strip()
        page_reading.text.encode()
        assert unicodedata.is_normalized("NFC", page_reading.text)
    else:
        assert page_reading.reason


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_end_as_text_or_as_a_reason(data):
    page_reading = read_html(data, ExtractHints(url="https://site.example/"))
    assert isinstance(page_reading, Reading | Unreadable)


def test_the_base_of_the_page_is_used_for_its_links():
    page = ARTICLE.replace("<head>", '<head><base href="https://mirror.example/copy/">').replace(
        "/volumes", "volumes"
    )
    assert "https://mirror.example/copy/volumes" in reading(page, "https://courier.example/lamp").links


def test_a_second_opinion_is_recorded_with_its_agreement():
    assert 0.5 < reading(ARTICLE).candidates["agreement_with_densest_part"] <= 1


def test_comments_are_not_part_of_an_article():
    comment = "<li class='comment'><p class='comment-author'>reader {0}</p><p>I have read this with pleasure, and I must say that number {0} is the best of all.</p></li>"
    comments = (
        "<div id='comments' class='comments-area'><h3>Comments</h3><ol class='comment-list'>"
        + "".join(comment.format(number) for number in range(12))
    )
    page_reading = reading(ARTICLE.replace("</article>", f"</article>{comments}</ol></div>"))
    assert PARAGRAPHS[3] in page_reading.plain
    assert "read this with pleasure" not in page_reading.plain


def test_comments_below_a_text_are_left_out_wherever_a_section_says_so():
    comments = (
        "I do not buy it, since the same people said the same thing two years ago, and look where we are now."
    )
    comments = f"<div id='comments'><h3>2 responses</h3><ol class='commentlist'><li class='comment'><cite>quietlurker</cite> says:<p>{comments}</p></li></ol></div>"
    paragraphs = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS * 2)
    page = f"<html><body><div id='content'><h2>The lamp</h2><div class='entry-content'>{paragraphs}</div>{comments}</div></body></html>"
    page_reading = reading(page)
    assert PARAGRAPHS[3] in page_reading.plain
    assert comments not in page_reading.plain


def test_a_discussion_is_its_comments():
    comments = [
        f"Answer number {number} says that {paragraph}" for number, paragraph in enumerate(PARAGRAPHS * 3)
    ]
    items = "".join(f"<div class='comment'><p>{text}</p></div>" for text in comments)
    page = f"<html><body><main><h1>Who keeps the lamp?</h1><p>Who keeps it?</p><div id='comments'>{items}</div></main></body></html>"
    assert comments[5] in reading(page).plain


def test_ordered_lists_keep_their_numbers_and_nested_ones_their_place():
    items = [f"Step {word}: {PARAGRAPHS[0]}" for word in ("one", "two", "three")]
    inner = f"<ul><li>{PARAGRAPHS[1]}</li></ul>"
    markup = f"<article><p>{PARAGRAPHS[2]}</p><ol start='9'><li>{items[0]}</li><li>{items[1]}{inner}</li><li>{items[2]}</li></ol><p>{PARAGRAPHS[3]}</p></article>"
    lines = reading(markup).text.split("\n")
    assert [line.partition(" ")[0] for line in lines if "Step" in line] == ["9.", "10.", "11."]
    assert "    - " + PARAGRAPHS[1] in lines


ELEMENTS = st.recursive(
    st.sampled_from(PARAGRAPHS).map(lambda text: f"<p>{text}</p>"),
    lambda inner: st.tuples(st.sampled_from(["ol", "ul", "blockquote", "table", "h2", "pre"]), st.lists(inner, min_size=1, max_size=3)).map(
        lambda pair: _element(*pair)
    ),
    max_leaves=8,
)  # fmt: skip


def _element(name: str, inner: list[str]) -> str:
    if name in ("ol", "ul"):
        return f"<{name}>" + "".join(f"<li>{part}</li>" for part in inner) + f"</{name}>"
    if name == "table":
        return "<table><tr>" + "".join(f"<td>{part}</td>" for part in inner) + "</tr></table>"
    return f"<{name}>" + "".join(inner) + f"</{name}>"


@settings(max_examples=80, deadline=None)
@given(st.lists(ELEMENTS, min_size=1, max_size=4))
def test_reading_the_rendered_text_again_loses_no_word(elements):
    page_reading = read_html(("<article>" + "".join(elements) + "</article>").encode(), ExtractHints())
    if isinstance(page_reading, Reading):
        words = iter(strip_markdown(page_reading.text).split())
        assert all(word in words for word in page_reading.plain.split())


def test_blocks_apart_from_an_article_are_left_out():
    likely = np.array([0.5, 0.1, 0.1, 0.1, 0.9, 0.95, 0.1, 0.1, 0.1, 0.85], np.float32)
    words = np.array([10, 5, 5, 5, 80, 90, 5, 5, 5, 10], np.float32)
    choice = BlockChoice((0, 4, 5, 9), 0.9, 0.4)
    assert without_strays(choice, likely, words).blocks == (4, 5, 9)


def test_a_short_text_without_a_likely_block_is_not_chosen():
    texts = ["Sign in", "Basket", "Help"]
    short_lengths, long_lengths = np.array([20, 15, 10], np.float32), np.array([200, 150, 100], np.float32)
    likely = np.array([0.35, 0.3, 0.2], np.float32)
    assert choose_blocks(likely, short_lengths, texts).blocks == ()
    assert choose_blocks(likely, long_lengths, texts).blocks != ()


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be", "utf-16"])
@pytest.mark.parametrize(
    "media_type", ["text/html", "text/html; charset=utf-16", "text/html; charset=utf-8", None]
)
def test_a_page_in_utf_16_is_read_with_or_without_a_mark(charset: str, media_type: str | None):
    hints = ExtractHints(url="https://courier.example/lamp", media_type=media_type)
    for markup in (ARTICLE, f"\n\n{ARTICLE}"):
        reading = read_any(markup.encode(charset), hints)
        assert isinstance(reading, Reading)
        assert PARAGRAPHS[1] in reading.text
        assert "<" not in reading.text


ITEM = f"<item><title>Tide</title><link>http://x.example/1</link><description>{PARAGRAPHS[0]}</description></item>"
LISTINGS = {
    "an RSS feed": f'<?xml version="1.0"?><rss version="2.0"><channel><title>Wire</title>{ITEM * 4}</channel></rss>',
    "an Atom feed": f'<feed xmlns="http://www.w3.org/2005/Atom"><entry><summary>{PARAGRAPHS[1]}</summary></entry></feed>',
    "a sitemap": "<urlset><url><loc>http://x.example/1</loc></url></urlset>",
    "a list of feeds": '<opml version="2.0"><body><outline text="Wire"/></body></opml>',
    "a JSON feed": '{"version": "https://jsonfeed.org/version/1.1", "items": [{"content_text": "Tide"}]}',
}


@pytest.mark.parametrize(("kind", "text"), LISTINGS.items())
@pytest.mark.parametrize("media_type", ["text/html", "application/rss+xml", "text/plain", None])
def test_a_list_for_programs_is_not_an_article(kind: str, text: str, media_type: str | None):
    hints = ExtractHints(url="https://courier.example/feed", media_type=media_type)
    assert read_any(text.encode(), hints) == Unreadable("not_an_article", kind)
