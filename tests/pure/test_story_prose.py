"""What a summary may quote: prose without headings, bylines, datelines, captions and links to other articles."""

import pytest

from headwater.stories.extractive_summary import SummarySource, summarise
from headwater.stories.story_prose import story_prose

ARTICLE = """# Tanker seized in the strait

By Mara Venn and Tom Adler

![A tanker](https://example.org/a.jpg)
Photo: Port authority

KELMAR, 3 March (Agency) — The coast guard of Tarn **seized** the tanker [Halcyon Dawn](https://example.org/h) on Monday.

## Background
Its owner said that the crew of 23 was unharmed.

Read also: Why the strait matters

- The ship carried 90,000 tonnes of oil.
"""


def test_g13_headings_bylines_datelines_captions_and_links_are_left_out():
    assert [line for line in story_prose(ARTICLE).splitlines() if line] == [
        "The coast guard of Tarn seized the tanker Halcyon Dawn on Monday.",
        "Its owner said that the crew of 23 was unharmed.",
        "The ship carried 90,000 tonnes of oil.",
    ]


@pytest.mark.parametrize("start", ["(Oriel)", "(Oriel) -- ", "(Oriel Wire) - ", "TARN, 3 March (Oriel) - "])
def test_g13_the_name_of_an_agency_before_the_first_word_is_left_out(start: str):
    assert story_prose(f"{start}Ships waited.") == "Ships waited."


@pytest.mark.parametrize(
    "line",
    [
        "By then the ships had left.",
        "Photographs of the port were shown in court.",
        "The long-term plan - a new harbour - failed.",
        "Related companies paid the fine.",
        "(It) felt good at the time.",
        "En Valdora, el tribunal repetirá el recuento.",
        "Tarn's navy, founded in 1900 (its ships are old) is small.",
    ],
)
def test_prose_that_looks_like_boilerplate_stays(line: str):
    assert story_prose(line) == line


def test_a_sentence_over_several_lines_stays_whole():
    text = "The wider channel was called overdue\nby the pilots and\nPhoto: the harbour master."
    assert story_prose(text) == text


def test_a_text_of_headings_alone_is_quoted_without_marks():
    assert story_prose("# Ferry late") == "Ferry late"
    assert story_prose("") == ""


def test_g13_no_summary_begins_with_a_mark():
    claims = summarise([SummarySource("a", ARTICLE), SummarySource("b", ARTICLE)], count=3)
    assert claims
    assert not any(claim.text.startswith(("#", "By ", "Photo", "KELMAR", "Read", "-")) for claim in claims)
