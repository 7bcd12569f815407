from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.extract.html.metadata.date_labels import is_label, says_published
from headwater.extract.html.metadata.jsonld import parse_linked_data
from headwater.extract.html.metadata.page_metadata import without_site
from headwater.extract.html.reader import read_html
from headwater.model.outcomes import ExtractHints, Reading
from headwater.text.written_dates import date_in_path, parse_page_date

TEXT = " ".join(
    ["The keeper of the lamp wrote down the wind, the tide and the names of those who came to visit."] * 12
)


def page(head: str = "", top: str = "<h1>The lamp</h1>", bottom: str = "") -> Reading:
    markup = f"<html><head>{head}</head><body><article>{top}<p>{TEXT}</p><p>{TEXT}</p>{bottom}</article></body></html>"
    reading = read_html(markup.encode(), ExtractHints(url="https://courier.example/lamp"))
    assert isinstance(reading, Reading), reading
    return reading


def linked_data_element(text: str) -> str:
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    "label", ["PUBLISHED", "Publicado", "VERÖFFENTLICHT", "YAYINLANMA", "yayınlanma", "Yayin tarihi"]
)
def test_a_label_of_the_date_is_one_in_capitals_too(label: str):
    assert is_label(label)
    assert says_published(f"{label}: 3.02.2026")


def test_linked_data_comes_before_open_graph_and_meta():
    reading = page(
        linked_data_element(
            '{"@type": "NewsArticle", "datePublished": "2023-01-02T03:04:05Z", "author": {"name": "Ada Quill"}}'
        )
        + '<meta property="article:published_time" content="2020-01-01"><meta name="author" content="Someone Else">'
    )
    assert reading.published == datetime(2023, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert reading.authors == ("Ada Quill",)
    assert reading.origins["published"] == "json-ld NewsArticle.datePublished"


def test_authors_are_found_by_reference_in_a_graph():
    reading = page(
        linked_data_element(
            '{"@graph": [{"@type": "Article", "author": {"@id": "#ada"}}, {"@type": "Person", "@id": "#ada", "name": "Ada Quill"}]}'
        )
    )
    assert reading.authors == ("Ada Quill",)


def test_linked_data_that_is_not_json_still_yields_its_date():
    reading = page(
        linked_data_element('{"@type": "Article", "datePublished": "2023-01-02", "text": "a "quote" inside"}')
    )
    assert reading.published == datetime(2023, 1, 2, tzinfo=UTC)
    assert reading.attributes["published_precision"] == "day"


def test_microdata_and_time_elements_are_evidence():
    reading = page(
        top='<h1>The lamp</h1><time itemprop="datePublished" datetime="2022-02-03T10:00:00+01:00">3 Feb</time>'
    )
    assert reading.published is not None
    assert reading.published.isoformat() == "2022-02-03T10:00:00+01:00"
    assert reading.origins["published"] == "itemprop datepublished"


def test_a_date_line_by_the_headline_is_evidence_of_last_resort():
    reading = page(top="<h1>The lamp</h1><p>By Ada Quill</p><p>12. März 2021</p>")
    assert reading.published == datetime(2021, 3, 12, tzinfo=UTC)
    assert reading.origins["published"] == "line by the headline"
    assert reading.authors == ("Ada Quill",)


@pytest.mark.parametrize(
    "head",
    [
        "",
        linked_data_element('{"@type": "WebPage", "datePublished": "2019-01-01"}'),
        '<meta property="article:modified_time" content="2020-01-01">',
        linked_data_element('{"@type": "Product", "name": "Lamp"}')
        + '<meta property="article:published_time" content="2019-01-01">',
    ],
)
def test_no_date_is_invented(head):
    reading = page(
        head,
        bottom="<p>In 1899, on 3 May 1899 to be exact, the tower burned; it was rebuilt by 4 June 1901.</p>",
    )
    assert reading.published is None
    assert "published" not in reading.origins


def test_the_headline_wins_where_the_head_confirms_it():
    assert page("<title>The lamp - Courier</title>").title == "The lamp"
    assert (
        page("<title>A lamp at sea | Courier</title>", top="<h1>COURIER ONLINE SHOP</h1>").title
        == "A lamp at sea"
    )


def test_the_name_of_the_site_is_stripped():
    assert without_site("The lamp of Larkmoor | Courier", "Courier") == "The lamp of Larkmoor"
    assert without_site("Courier » The lamp", "") == "The lamp"
    assert without_site("Well-known lamps", "") == "Well-known lamps"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-05-06T07:08:09+02:00", "2024-05-06T07:08:09+02:00"),
        ("2024-05-06T07:08:09.123Z", "2024-05-06T07:08:09+00:00"),
        ("2024-05-06 07:08", "2024-05-06T07:08:00+00:00"),
        ("20240506", "2024-05-06T00:00:00+00:00"),
        ("May 6, 2024", "2024-05-06T00:00:00+00:00"),
        ("Posted on 6th May 2024", "2024-05-06T00:00:00+00:00"),
        ("6 de mayo de 2024", "2024-05-06T00:00:00+00:00"),
        ("6. Mai 2024", "2024-05-06T00:00:00+00:00"),
        ("le 1er août 2023", "2023-08-01T00:00:00+00:00"),
        ("06.05.2024", "2024-05-06T00:00:00+00:00"),
        ("25/12/2024", "2024-12-25T00:00:00+00:00"),
        ("2024年5月6日", "2024-05-06T00:00:00+00:00"),
        ("Mon, 06 May 2024 07:08:09 GMT", "2024-05-06T07:08:09+00:00"),
    ],
)
def test_dates_are_parsed_as_pages_write_them(text, expected):
    date = parse_page_date(text)
    assert date is not None
    assert date.isoformat() == expected


@pytest.mark.parametrize(
    "text", ["", "05/06/2024", "soon", "2024", "99.99.2024", "May 32, 2024", "1066-01-01", "9999-99-99"]
)
def test_ambiguous_and_impossible_dates_are_not_read(text):
    assert parse_page_date(text) is None


@given(st.datetimes(datetime(1990, 1, 2), datetime(2099, 1, 1), timezones=st.just(UTC)))
def test_an_iso_date_is_read_as_it_was_written(moment):
    moment = moment.replace(microsecond=0)
    assert parse_page_date(moment.isoformat()) == moment


@given(st.text(max_size=60))
def test_parsing_a_date_never_fails(text):
    date = parse_page_date(text)
    assert date is None or date.utcoffset() is not None


def test_a_date_in_the_url_needs_year_month_and_day():
    assert date_in_path("/2024/05/06/the-lamp") == datetime(2024, 5, 6, tzinfo=UTC)
    assert date_in_path("/2024/05/the-lamp") is None


@given(st.text(max_size=80))
def test_linked_data_never_fails(text):
    assert isinstance(parse_linked_data(text), list)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 listopada 2023", "2023-11-12"),
        ("2024. május 6.", "2024-05-06"),
        ("12 मार्च 2024", "2024-03-12"),
        ("6 مايو 2024", "2024-05-06"),
        ("6 tháng 5, 2024", "2024-05-06"),
        ("2025. 3. 4. 10:20", "2025-03-04"),
        ("6-May-2024", "2024-05-06"),
        ("HarboursDECEMBER 22, 2022Updated", "2022-12-22"),
        ("Ada Quill•Oct 20, 2025", "2025-10-20"),
        ("11-29-2024", "2024-11-29"),
    ],
)
def test_dates_of_many_languages_and_dates_run_together_with_words_are_parsed(text, expected):
    date = parse_page_date(text)
    assert date is not None
    assert date.date().isoformat() == expected


def test_the_order_of_day_and_month_follows_the_page():
    line = "<h1>The lamp</h1><p>05/06/2024</p>"
    assert page(top=line).published is None
    assert page(top=line + "<p>Seen by 25/12/2023</p>").published == datetime(2024, 6, 5, tzinfo=UTC)
    in_words = '<time datetime="2024-05-06">May 6, 2024</time>'
    assert page(top=line, bottom=in_words).published == datetime(2024, 5, 6, tzinfo=UTC)


@pytest.mark.parametrize(
    ("language", "expected"), [("de", "2024-06-05"), ("en-GB", "2024-06-05"), ("en-US", "2024-05-06")]
)
def test_the_order_of_day_and_month_follows_the_language(language, expected):
    markup = f'<html lang="{language}"><body><h1>The lamp</h1><p>05/06/2024</p><p>{TEXT}</p><p>{TEXT}</p></body></html>'
    reading = read_html(markup.encode(), ExtractHints(url="https://courier.example/lamp"))
    assert isinstance(reading, Reading)
    assert reading.published is not None
    assert reading.published.date().isoformat() == expected


@pytest.mark.parametrize(
    "top",
    [
        "<h1>The lamp</h1><p>Harbours</p><p>May 6, 2024 (last modified June 7, 2025)</p>",
        "<h1>The lamp</h1><p>Updated June 7, 2025</p><p>Published: May 6, 2024</p>",
        "<h1>The lamp</h1><h4>Publicado</h4><p>6 de mayo de 2024</p><h4>Actualizado</h4><p>7 de junio de 2025</p>",
        "<h1>Search</h1><h1>The lamp</h1><p>May 6, 2024</p>",
        "<h1>The lamp</h1><p>Founded: April 1, 1999</p><p>May 6, 2024</p>",
        (
            '<h1>The lamp</h1><p><time datetime="2024-05-06">yesterday</time></p>'
            '<time class="card__date" datetime="2020-01-01">1 January 2020</time>'
        ),
    ],
)
def test_a_line_by_the_headline_counts_as_what_it_says(top):
    reading = page("<title>The lamp</title>", top=top)
    assert reading.published is not None
    assert reading.published.date().isoformat() == "2024-05-06"


def test_the_date_of_the_first_publication_elsewhere_counts():
    reading = page(
        top="<h1>The lamp</h1><p>7 June 2025</p>",
        bottom="<p>This story was originally published on 6 May 2024 and has been corrected since.</p>",
    )
    assert reading.published == datetime(2024, 5, 6, tzinfo=UTC)


def test_names_of_meta_elements_may_be_written_in_any_way():
    for name in ("published-date", "x_Published.Date", "DC.date.issued", "article:published_time"):
        assert page(f'<meta name="{name}" content="2024-05-06">').published == datetime(
            2024, 5, 6, tzinfo=UTC
        )


def test_a_front_page_has_no_date():
    markup = f'<meta property="article:published_time" content="2024-05-06"><h1>Courier</h1><p>{TEXT}</p>'
    reading = read_html(markup.encode(), ExtractHints(url="https://courier.example/"))
    assert isinstance(reading, Reading)
    assert reading.published is None


def test_a_month_in_the_url_may_be_a_word():
    assert date_in_path("/news/2024/may/06/the-lamp") == datetime(2024, 5, 6, tzinfo=UTC)
    assert date_in_path("/news/2024/part/06/the-lamp") is None
