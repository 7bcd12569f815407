"""Scripts, markup and mojibake: what the whole pipeline shares."""

import gzip
import io
import lzma
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.text.dates import parse_day, parse_timestamp
from headwater.text.decompression import READ_ERRORS, open_decompressed
from headwater.text.markup import has_html_tag, strip_tags, text_of_markup
from headwater.text.mojibake import fix_mojibake, fix_windows_characters
from headwater.text.scripts import is_unspaced


@pytest.mark.parametrize("character", ["港", "カ", "ｶ", "ค", "ກ", "မ", "ၐ", "ខ", "々"])
def test_letters_of_scripts_without_spaces_are_recognised(character):
    assert is_unspaced(character)


@pytest.mark.parametrize("character", ["a", "я", "한", "。", "「", "，", "๕", " "])
def test_spaced_scripts_digits_and_punctuation_are_not_unspaced_letters(character):
    assert not is_unspaced(character)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>Ferry <b>de</b>lays</p>", " Ferry delays "),
        ("one<br/>two<td>three</td>", "one two three "),
        ("a<script>alert('x < y')</script>b<style>p{}</style>", "ab"),
        ("a<!-- note -->b", "ab"),
        ("profit < loss > debt", "profit < loss > debt"),
        ("Brindle <BRF.X> rises", "Brindle <BRF.X> rises"),
    ],
)
def test_tags_are_stripped_by_name_and_other_angle_brackets_stay(markup, text):
    assert strip_tags(markup) == text


def test_the_text_of_markup_is_one_line_without_references():
    assert text_of_markup("<article>Fish &amp; chips<br>\n<em>to</em>day</article>") == "Fish & chips today"


@given(st.text(alphabet="<>/ab p!-&;", max_size=60))
def test_text_has_no_html_tag_after_they_were_stripped_until_none_is_left(text):
    while has_html_tag(text):
        shorter = strip_tags(text)
        assert len(shorter) < len(text)
        text = shorter
    assert strip_tags(text) == text


def test_mojibake_is_repaired_in_the_lines_that_have_it():
    assert fix_mojibake("EspaÃ±a\nlisto\ncafé") == ("España\nlisto\ncafé", 1)
    assert fix_windows_characters("it\x92s 5 \x80") == "it’s 5 €"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-11-13T10:00:00+02:00", datetime(2026, 11, 13, 8, tzinfo=UTC)),
        ("2026-11-13T08:00:00.123456789Z", datetime(2026, 11, 13, 8, 0, 0, 123456, UTC)),
        ("20261113", datetime(2026, 11, 13, tzinfo=UTC)),
        ("0001-01-01T00:00:00+05:00", None),
        ("yesterday", None),
        ("", None),
        (1763020800, None),
    ],
)
def test_a_timestamp_is_in_utc_or_none(value, expected):
    assert parse_timestamp(value) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-13", date(2026, 11, 13)),
        ("20261113", date(2026, 11, 13)),
        ("2026-11-13T08:00", None),
        ("2026-W46-5", None),
        ("2026-02-30", None),
        (" 20261113", None),
    ],
)
def test_a_day_is_written_in_one_of_two_ways(text, expected):
    assert parse_day(text) == expected


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress])
def test_a_file_is_decompressed_by_its_first_bytes(compress):
    stream = io.BufferedReader(io.BytesIO(compress(b"one\ntwo\n")))
    assert open_decompressed(stream).readlines() == [b"one\n", b"two\n"]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress])
def test_a_truncated_file_raises_a_read_error(compress):
    stream = io.BufferedReader(io.BytesIO(compress(b"one\n" * 1000)[:-12]))
    with pytest.raises(READ_ERRORS):
        open_decompressed(stream).read()
