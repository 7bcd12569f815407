"""Keys made of content: stable for ever, and no two lists share one by their spelling."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.model.keys import capture_key, delivery_key, document_key, group_key, key, lead_key, source_key

parts = st.lists(st.text(st.characters(), max_size=8), max_size=5)


def test_keys_are_the_same_in_every_version():
    """Rows are found by these for ever: whoever changes this test orphans every stored document."""
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
def test_different_lists_have_different_keys(one: list[str], other: list[str]):
    assert (key(*one) == key(*other)) is (one == other)


@given(st.text(max_size=6), st.text(max_size=6))
def test_where_one_part_ends_matters(left: str, right: str):
    assert key(left, right) != key(left + right)
    assert key(left, right) != key(left, right, "")


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_a_key_is_24_hexadecimal_digits(some: list[str]):
    made = key(*some)
    assert len(made) == 24
    assert set(made) <= set("0123456789abcdef")


def test_kinds_of_records_do_not_share_keys():
    made = [lead_key("r", "s", "x"), document_key("r", "x"), capture_key("r", "x"), group_key("r", "x")]
    assert len({*made, delivery_key("r", "s", "x"), source_key("r", "s", "x", "")}) == 6


def test_a_source_is_known_by_its_address_or_else_by_its_name():
    assert source_key("r", "feed", "https://a.example", "one") == source_key(
        "r", "feed", "https://a.example", "two"
    )
    assert source_key("r", "seeds", "", "one") != source_key("r", "seeds", "", "two")
