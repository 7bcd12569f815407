"""One wrong byte or character costs that character, or that file; never a whole document or a whole host."""

import pytest
from tests.pure.test_extract_samples import make_zip, samples

from headwater.extract.field_maps import JsonFields
from headwater.extract.reader import read_any
from headwater.extract.sandbox.answers import decode_answer, encode_result, result_decoder
from headwater.extract.xml.reader import read_xml
from headwater.fetch.politeness.rights_reservations import TdmRule, read_tdmrep
from headwater.model.errors import Permanent
from headwater.model.outcomes import ExtractHints, Reading, Unreadable
from headwater.sources.feeds.feed import Feed, FeedEntry, ParsedFeed, pack_feed
from headwater.sources.feeds.parser import parse_untrusted_feed
from headwater.sources.sitemaps.parser import parse_untrusted_sitemap
from headwater.text.json_payload import MOST_VALUES, BadJson, decode_payload
from headwater_recipes.procedures.adapters import boe, datos

NONE = ExtractHints()
RULE = '[{"location": "/política", "tdm-reservation": 1, "tdm-policy": "https://north.example/política"}]'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "utf-16"])
def test_rights_reservations_are_read_in_every_encoding(encoding: str) -> None:
    assert read_tdmrep(RULE.encode(encoding)) == (
        TdmRule("/política", reserved=True, policy="https://north.example/política"),
    )


@pytest.mark.parametrize("body", [b"\xff\xfe\x00\x80" * 7, b"\x80abc", b"", b"[" * 100_000, b'{"a": "\xff'])
def test_a_damaged_file_of_reservations_reserves_nothing_and_stops_nothing(body: bytes) -> None:
    assert read_tdmrep(body) == ()


BROKEN = (b'{"a": "\xe9"}', b'{"a": "\xff\xfe"}', b"[" * 100_000, b"{", b"," * (MOST_VALUES + 1))


@pytest.mark.parametrize("body", BROKEN, ids=range(len(BROKEN)))
def test_every_damage_of_a_payload_is_one_kind_of_error(body: bytes) -> None:
    with pytest.raises(BadJson):
        decode_payload(body)
    assert isinstance(JsonFields({"text": "a"})(body, NONE), Unreadable)
    with pytest.raises(Permanent):
        boe._decoded(body)
    with pytest.raises(Permanent):
        datos._datasets(body)


def test_a_payload_may_have_a_byte_order_mark() -> None:
    assert decode_payload(b'\xef\xbb\xbf{"a": 1}') == {"a": 1}
    assert decode_payload(b"[1, 2]", list[int]) == [1, 2]


HALVES = "Harbour &#xD800; dues &#56320; rise &#0; by &#x1F600; four"
WHOLE = "Harbour \ufffd dues \ufffd rise \ufffd by \U0001f600 four"


def test_half_a_character_costs_that_character_in_xml() -> None:
    reading = read_xml(f"<?xml version='1.0'?><doc><p>{HALVES}</p><p>second</p></doc>".encode(), NONE)
    assert isinstance(reading, Reading)
    assert reading.text == f"{WHOLE}\n\nsecond"


def test_half_a_character_costs_that_character_in_office_files() -> None:
    word = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        f"<w:p><w:r><w:t>{HALVES}</w:t></w:r></w:p></w:body></w:document>"
    )
    reading = read_any(make_zip({"word/document.xml": word}), NONE)
    assert isinstance(reading, Reading)
    assert reading.text == WHOLE
    assert "odt" in samples()


def test_half_a_character_crosses_the_edge_of_the_sandbox() -> None:
    reading = Reading(text="a \ud800 b", attributes={"x\udfff": ["\ud800"]})
    kind, body = encode_result(reading)
    answer = decode_answer(kind + b"-" + body, result_decoder(read_xml))
    assert answer == Reading(text="a \ufffd b", attributes={"x\ufffd": ["\ufffd"]})
    feed = pack_feed(Feed(format="rss", entries=(FeedEntry(summary="a \ud800", content="a \ud800"),)))
    kind, body = encode_result(feed)
    parsed = decode_answer(kind + b"-" + body, result_decoder(parse_untrusted_feed))
    assert isinstance(parsed, ParsedFeed)
    assert parsed.unwrap().entries == (FeedEntry(summary="a \ufffd", content="a \ufffd"),)


@pytest.mark.parametrize(
    "encoding", ["no-such-encoding", "shift_jis", "utf-7", "idna", "hex", "undefined", "x" * 900]
)
def test_a_sitemap_in_an_unknown_encoding_is_read_as_far_as_it_goes(encoding: str) -> None:
    declaration = f'<?xml version="1.0" encoding="{encoding}"?>'
    sitemap = f"{declaration}<urlset><url><loc>http://north.example/dues</loc></url></urlset>"
    parsed = parse_untrusted_sitemap(sitemap.encode(), NONE)
    assert [entry.url for entry in parsed.entries] == ["http://north.example/dues"]
    assert parsed.reason == ""
    assert parsed.warnings[0][0] == "malformed"
    nonsense = parse_untrusted_sitemap(f"{declaration}<catalogue/>".encode(), NONE)
    assert nonsense.reason == "malformed"
