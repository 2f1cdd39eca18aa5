"""Which addresses a request to the web may go to. Pure.

Written out, because what the standard library calls private differs from one version to the next. The networks are
those of IANA's special-purpose registries (RFC 6890 and what came after it).
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network

_SPECIAL = tuple(
    (ip_network(network), about)
    for network, about in {
        "0.0.0.0/8": "an address of no network",
        "10.0.0.0/8": "an address of a private network",
        "100.64.0.0/10": "an address of a provider's inner network",
        "127.0.0.0/8": "this machine itself",
        "169.254.0.0/16": "a link-local address",
        "172.16.0.0/12": "an address of a private network",
        "192.0.0.0/24": "an address for protocols",
        "192.0.2.0/24": "an address for documentation",
        "192.88.99.0/24": "a 6to4 relay",
        "192.168.0.0/16": "an address of a private network",
        "198.18.0.0/15": "an address for benchmarks",
        "198.51.100.0/24": "an address for documentation",
        "203.0.113.0/24": "an address for documentation",
        "224.0.0.0/4": "a multicast address",
        "240.0.0.0/4": "a reserved address",
        "::/128": "an address of no network",
        "::1/128": "this machine itself",
        "2001::/23": "an address for protocols such as Teredo",
        "2001:db8::/32": "an address for documentation",
        "2002::/16": "a 6to4 address",
        "3fff::/20": "an address for documentation",
        "fc00::/7": "an address of a private network",
        "fe80::/10": "a link-local address",
        "fec0::/10": "an address of a private network",
        "ff00::/8": "a multicast address",
    }.items()
)

_OWN = frozenset(
    ip_network(network)
    for network in (
        *("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
        *("::1/128", "fc00::/7"),
    )
)
"""What an owner's own network is made of."""

_METADATA = frozenset(
    ip_address(address)
    for address in (
        *("169.254.169.254", "169.254.170.2", "168.63.129.16", "100.100.100.200", "192.0.0.192"),
        *("fd00:ec2::254", "fd20:ce::254"),
    )
)
"""Where clouds give credentials to whoever asks (AWS, Google, Azure, Alibaba, Oracle); some of them look ordinary."""

_PUBLIC_V6 = IPv6Network("2000::/3")
"""All that was ever given out."""
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


NO_ADDRESS = "no address"
"""What is told of what is none, such as a name."""


def refusal(address: str, *, own_network: bool = False) -> str | None:
    """Why nothing may be asked of an address.

    Args:
        address: in digits, as a resolver gives it.
        own_network: whether the owner allows private addresses here. Link-local, multicast, reserved and metadata
            addresses stay refused.

    Returns:
        What the address is, in words; None for one that may be asked.
    """
    if "%" in address:  # a zone, which only link-local addresses have
        return "a link-local address"
    try:
        parsed = ip_address(address)
    except ValueError:
        return NO_ADDRESS
    if isinstance(parsed, IPv6Address):
        return _v6(parsed, own_network)
    return _listed(parsed, own_network)


def _v6(address: IPv6Address, own_network: bool) -> str | None:
    """Also what is an IPv4 address in another form: the request would go there."""
    if address in _MAPPED or address in _NAT64:
        return _listed(IPv4Address(int(address) & 0xFFFF_FFFF), own_network)
    found = _listed(address, own_network)
    if found is not None or (own_network and any(address in network for network in _OWN)):
        return found
    if address not in _PUBLIC_V6:
        return "an address that nobody was given"
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP:
        return "an ISATAP address"
    return None


def _listed(address: IPv4Address | IPv6Address, own_network: bool) -> str | None:
    if address in _METADATA:
        return "a cloud's metadata service"
    for network, about in _SPECIAL:
        if address in network and not (own_network and network in _OWN):
            return about
    return None
