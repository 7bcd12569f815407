"""One odd value in a payload costs that value, not the payload."""

import pytest

from headwater.text.json_payload import BadJson, decode_payload


@pytest.mark.parametrize(
    ("value", "decoded"),
    [
        (rb'"\ud800"', "\N{REPLACEMENT CHARACTER}"),
        (rb'"a\udfffb"', "a\N{REPLACEMENT CHARACTER}b"),
        (rb'"\ud83d\ude00 \ud800"', "\N{GRINNING FACE} \N{REPLACEMENT CHARACTER}"),
        (b"9" * 5_000, "9" * 5_000),
        (b"1e999", "1e999"),
    ],
)
def test_an_odd_value_does_not_cost_the_others(value: bytes, decoded: str):
    assert decode_payload(b'[{"id": 1}, {"id": %s}]' % value) == [{"id": 1}, {"id": decoded}]


def test_numbers_beside_an_odd_value_keep_their_type():
    numbers = [1234567890123456789, -123456789012345678, 10**40]
    assert decode_payload(rb'["\ud83d", %s]' % ", ".join(map(str, numbers)).encode())[1:] == numbers


@pytest.mark.parametrize("data", [b'{"a": ', b"[NaN]", b"[1,]", b"\xff", b'["\x01"]', b"[" * 100_000])
def test_what_is_not_json_is_refused(data: bytes):
    with pytest.raises(BadJson):
        decode_payload(data)


def test_a_payload_of_another_form_is_refused():
    with pytest.raises(BadJson):
        decode_payload(rb'["\ud800"]', dict[str, str])
