import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.fetch.guard.addresses import (
    AllowList,
    host_refusal,
    literal_address,
    non_public_reason,
    refused_address,
)

NOT_PUBLIC = [
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "127.0.0.1",
    "127.255.255.254",
    "168.63.129.16",
    "169.254.169.254",
    "169.254.170.2",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:8.8.8.8",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::808:808",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:10::1",
    "2001:db8::1",
    "2002:7f00:1::1",
    "2002:808:808::1",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%eth0",
    "fec0::1",
    "ff02::1",
    "4000::1",
]
PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "93.184.215.14",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700::1111",
    "2a00:1450::1",
]


@pytest.mark.parametrize("address", NOT_PUBLIC)
def test_g24_an_address_that_is_not_public_is_refused_with_a_reason(address):
    assert non_public_reason(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_has_no_reason_for_refusal(address):
    assert non_public_reason(address) is None


def test_text_that_is_not_an_address_is_refused():
    assert non_public_reason("localhost") == "not an address"


@given(st.ip_addresses(v=4))
def test_nothing_the_standard_library_calls_private_is_public(address):
    if address.is_private or address.is_loopback or address.is_link_local or address.is_multicast:
        assert non_public_reason(str(address))


@given(st.ip_addresses(v=4))
def test_every_ipv6_form_that_carries_an_ipv4_address_is_refused(address):
    number = int(address)
    for carrier in (0xFFFF << 32, 0x64FF9B << 96, 0):
        assert non_public_reason(str(ipaddress.IPv6Address(carrier | number)))
    assert non_public_reason(str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))))


@pytest.mark.parametrize(
    ("spelling", "address"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("127.1", "127.0.0.1"),
        ("127.0.1", "127.0.0.1"),
        ("2130706433", "127.0.0.1"),
        ("0x7f000001", "127.0.0.1"),
        ("0x7f.0.0.1", "127.0.0.1"),
        ("0177.0.0.01", "127.0.0.1"),
        ("017700000001", "127.0.0.1"),
        ("127.0.0.1.", "127.0.0.1"),
        ("0x7F.1", "127.0.0.1"),
        ("0", "0.0.0.0"),
        ("0x", "0.0.0.0"),
        ("[::1]", "::1"),
        ("0:0:0:0:0:0:0:1", "::1"),
    ],
)
def test_g24_an_address_is_recognised_in_every_spelling(spelling, address):
    assert literal_address(spelling) == address


@pytest.mark.parametrize("name", ["ledgerlane.example", "1.example", "a-1", "x1", "0xg.example"])
def test_a_name_is_not_an_address(name):
    assert literal_address(name) is None


@pytest.mark.parametrize(
    "text", ["1.2.3.4.5", "256.1.1.1", "name.123", "4294967296", "1.2.3.256", "08.1.1.1", "[::g]"]
)
def test_an_invalid_address_that_is_not_a_name_is_refused(text):
    with pytest.raises(ValueError):
        literal_address(text)
    assert host_refusal(text) == "not an address"


@given(st.ip_addresses(v=4), st.sampled_from(["decimal", "hex", "octal", "short"]))
def test_odd_spellings_stand_for_the_same_address_and_are_refused(address, form):
    number = int(address)
    spelled = {
        "decimal": str(number),
        "hex": hex(number),
        "octal": f"0{number:o}",
        "short": f"{number >> 24}.{number & 0xFFFFFF}",
    }[form]
    assert literal_address(spelled) == str(address)
    assert host_refusal(spelled)


def test_a_public_address_in_its_usual_spelling_may_be_requested():
    assert host_refusal("8.8.8.8") is None
    assert host_refusal("[2606:4700::1111]") is None


def test_an_answer_with_one_private_address_is_refused():
    assert refused_address(["93.184.215.14", "10.0.0.1"], 80, AllowList()) == ("10.0.0.1", "private")
    assert refused_address(["93.184.215.14"], 80, AllowList()) is None


def test_the_allow_list_names_ports_too():
    allow = AllowList.of([("127.0.0.0/8", 8123), ("host.example", 0), ("::1", 0)])
    assert refused_address(["127.0.0.1"], 8123, allow) is None
    assert refused_address(["127.0.0.1"], 8124, allow)
    assert refused_address(["::1"], 99, allow) is None
    assert allow.has_host("HOST.example", 1)
    assert allow.has_host("127.0.0.9", 8123)
    assert not allow.has_host("other.example", 8123)
