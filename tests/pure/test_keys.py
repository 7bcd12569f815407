"""Keys made of content never change, and different lists have different keys."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.keys import capture_key, delivery_key, document_key, group_key, key, lead_key, source_key

parts = st.lists(st.text(st.characters(), max_size=8), max_size=5)


def test_keys_are_the_same_in_every_version():
    """Stored rows are found by these keys: a change of this test orphans every stored document."""
    assert key() == "b8e1dda3ac0aa3820ad2990b"
    assert key("a", "b") == "db05ab0720009c9c25013b1b"
    assert key("ümlaut", "\ud800") == "75fd704bb2b3cb7986017883"
    assert source_key("crypto", "feed", "https://wire.example/feed", "Wire") == "a289a6b07cc28ed2999b3c46"
    assert lead_key("crypto", "s", "guid-1") == "404b365a90898a510b489295"
    assert document_key("crypto", "https://wire.example/a") == "2d8a04d8403d71bb207c7efb"
    assert capture_key("lead", "00" * 32) == "025eda8e6a95936b366c0137"
    assert group_key("crypto", "2026-11-13") == "153bb440a246e858abee16bc"
    assert delivery_key("crypto", "articles", "doc") == "ce093fa5d22f6589f36398c9"


@given(parts, parts)
def test_different_lists_have_different_keys(first: list[str], second: list[str]):
    assert (key(*first) == key(*second)) is (first == second)


@given(st.text(max_size=6), st.text(max_size=6))
def test_the_boundary_between_two_parts_matters(left: str, right: str):
    assert key(left, right) != key(left + right)
    assert key(left, right) != key(left, right, "")


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_key_is_24_hexadecimal_digits(values: list[str]):
    digits = key(*values)
    assert len(digits) == 24
    assert set(digits) <= set("0123456789abcdef")


def test_kinds_of_records_do_not_share_keys():
    keys = [lead_key("r", "s", "x"), document_key("r", "x"), capture_key("r", "x"), group_key("r", "x")]
    assert len({*keys, delivery_key("r", "s", "x"), source_key("r", "s", "x", "")}) == 6


def test_a_source_is_identified_by_its_url_or_else_by_its_name():
    assert source_key("r", "feed", "https://a.example", "one") == source_key(
        "r", "feed", "https://a.example", "two"
    )
    assert source_key("r", "seeds", "", "one") != source_key("r", "seeds", "", "two")
