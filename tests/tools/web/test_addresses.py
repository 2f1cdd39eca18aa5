from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sulla.tools.web.addresses import refusal

PUBLIC = ["1.1.1.1", "93.184.215.14", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.0.1.1"]
PUBLIC_V6 = ["2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "2620:fe::fe", "::ffff:1.1.1.1", "64:ff9b::101:101"]


@pytest.mark.parametrize("address", PUBLIC + PUBLIC_V6)
def test_what_is_public_may_be_asked(address: str) -> None:
    assert refusal(address) is None
    assert refusal(address, own_network=True) is None


OWN = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12:3456::1"],
    "CGNAT": ["100.64.0.1", "100.127.255.255"],
    "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:a00:1"],
    "NAT64": ["64:ff9b::7f00:1", "64:ff9b::192.168.0.1"],
}


@pytest.mark.parametrize("address", [address for some in OWN.values() for address in some])
def test_the_own_network_is_refused_unless_its_owner_allows_it(address: str) -> None:
    assert refusal(address) is not None
    assert refusal(address, own_network=True) is None


NEVER = {
    "no network": ["0.0.0.0", "0.1.2.3", "::"],
    "link-local": ["169.254.1.1", "fe80::1", "fe80::1%eth0", "febf::1", "::ffff:169.254.0.1"],
    "site-local": ["fec0::1"],
    "multicast": ["224.0.0.1", "239.255.255.250", "ff02::1", "::ffff:224.0.0.1"],
    "broadcast and reserved": ["255.255.255.255", "240.0.0.1"],
    "AWS": ["169.254.169.254", "169.254.170.2", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe"],
    "Google": ["fd20:ce::254"],
    "Azure": ["168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110"],
    "Alibaba": ["100.100.100.200"],
    "Oracle": ["192.0.0.192"],
    "documentation": ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1"],
    "benchmarks": ["198.18.0.1", "198.19.255.255", "2001:2::1"],
    "6to4": ["2002:7f00:1::1", "2002:a9fe:a9fe::", "192.88.99.1"],
    "Teredo": ["2001:0:7f00:1::"],
    "NAT64 of somebody's own": ["64:ff9b:1::7f00:1"],
    "IPv4-compatible": ["::7f00:1", "::a9fe:a9fe"],
    "ISATAP": ["2606:4700::5efe:7f00:1", "2606:4700::200:5efe:7f00:1"],
    "never given out": ["4000::1", "5f00::1", "100::1"],
    "no address": ["", "example.org", "127.1", "0x7f000001", "2130706433", "1.2.3", "::1::", "1.1.1.1 "],
}


@pytest.mark.parametrize("address", [address for some in NEVER.values() for address in some])
def test_what_is_special_is_refused_whatever_the_owner_allows(address: str) -> None:
    assert refusal(address) is not None
    assert refusal(address, own_network=True) is not None


@given(st.integers(0, 2**32 - 1))
def test_an_ipv4_address_is_judged_the_same_in_each_of_its_forms(number: int) -> None:
    plain = refusal(str(IPv4Address(number)))
    assert refusal(f"::ffff:{IPv4Address(number)}") == plain
    assert refusal(str(IPv6Address((0x0064_FF9B << 96) | number))) == plain
    assert refusal(str(IPv6Address((0x2002 << 112) | (number << 80) | 1))) is not None


@given(st.ip_addresses())
def test_nothing_that_the_standard_library_calls_special_is_let_through(address: IPv4Address | IPv6Address) -> None:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    inner = mapped or address
    special = inner.is_private or inner.is_loopback or inner.is_link_local or inner.is_multicast
    assert refusal(str(address)) is not None or not special


def test_a_refusal_says_what_the_address_is() -> None:
    assert refusal("169.254.169.254") == "a cloud's metadata service"
    assert refusal("127.0.0.1") == "this machine itself"
    assert refusal("10.1.2.3") == "an address of a private network"
