"""URLs of the web, read strictly: what is sent, and where to, is built anew from what was read here."""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from urllib.parse import SplitResult, quote, urljoin, urlsplit

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.pattern import late_pattern

MAX_URL = 4096
"""Characters of a URL."""
MAX_HOST = 253
"""Characters of a name (RFC 1035)."""
PORTS = frozenset({80, 443, 8080, 8443})
"""Where web servers listen. Others speak something else, and could be made to do what a request happens to spell."""

_DEFAULT_PORT = {"http": 80, "https": 443}
_LABEL = late_pattern(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = late_pattern(r"\d+|0x[0-9a-f]*")
"""A last label that makes the whole name an address in digits (WHATWG URL §3.5)."""
_PATH = "/%:@!$&'()*+,;=~-._"
_UNSEEN = late_pattern(r"[\x00-\x20\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2060-\u2064\ufeff\\]")


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a URL that a request is made with."""

    scheme: str
    host: str
    """A name in lower case, or an address without brackets."""
    port: int
    path: str
    """With the query."""

    @property
    def authority(self) -> str:
        """As the Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORT[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The whole."""
        return f"{self.scheme}://{self.authority}{self.path}"

    def same_site(self, other: Target) -> bool:
        """Whether another target is the same name, a leading ``www.`` aside."""
        return self.host.removeprefix("www.") == other.host.removeprefix("www.")


@dataclass(frozen=True, slots=True)
class OwnHosts:
    """Hosts on the owner's own network that may be asked.

    Args:
        hosts: names or addresses, each with its port, or None for the usual ones.
    """

    hosts: frozenset[tuple[str, int | None]] = frozenset()

    def allow(self, target: Target) -> bool:
        """Whether `target` is one of them."""
        if (target.host, target.port) in self.hosts:
            return True
        return (target.host, None) in self.hosts and target.port in PORTS


def parse_url(text: str) -> Target:
    """Read a URL.

    Args:
        text: as somebody wrote it; what lies behind a ``#`` is dropped.

    Raises:
        InvalidInput: it is none, or none that may be asked for: another scheme, a password, a host in disguise.
    """
    text = text.strip(" \t\r\n")
    if len(text) > MAX_URL:
        raise InvalidInput(f"the URL has {len(text)} characters; at most {MAX_URL} are taken")
    if _UNSEEN.search(text):
        raise InvalidInput(
            "the URL has a space, a backslash or an invisible character in it; write it without, or as %20"
        )
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise InvalidInput(f"not a URL: {error}") from None
    if parts.scheme not in _DEFAULT_PORT:
        said = f"this one begins with {parts.scheme[:20]!r}" if parts.scheme else "this one has no scheme"
        raise InvalidInput(f"only http:// and https:// URLs can be fetched; {said}")
    if "@" in parts.netloc:
        raise InvalidInput("the URL has a user name or a password in it; those are never sent, so leave them out")
    host = read_host(parts.hostname or "", bracketed=parts.netloc.startswith("["))
    return Target(parts.scheme, host, _DEFAULT_PORT[parts.scheme] if port is None else port, _path(parts))


def join_url(base: Target, location: str) -> Target:
    """Where a redirect leads.

    Raises:
        InvalidInput: as `parse_url`.
    """
    location = location.strip(" \t")
    if _UNSEEN.search(location):  # before it is joined, which would drop some of them
        raise InvalidInput("the URL has a space, a backslash or an invisible character in it")
    try:
        return parse_url(urljoin(base.url, location))
    except ValueError as error:
        raise InvalidInput(f"not a URL: {error}") from None


def read_host(host: str, *, bracketed: bool = False) -> str:
    """A host in its one spelling.

    Args:
        host: a name, or an address.
        bracketed: whether it stood in brackets, as an IPv6 address does.

    Raises:
        InvalidInput: it is neither, or an address in a disguise such as ``0x7f.1``.
    """
    if bracketed:
        try:
            if "%" not in host:
                return str(IPv6Address(host))
            raise AddressValueError
        except AddressValueError:
            raise InvalidInput(f"{host[:100]!r} is not an IPv6 address without a zone") from None
    try:
        name = host.removesuffix(".").encode("idna").decode("ascii").lower()
    except UnicodeError:
        raise InvalidInput(f"{host[:100]!r} is not a host name") from None
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return str(IPv4Address(name))
        except AddressValueError:
            raise InvalidInput(
                f"{host[:100]!r} is an address in a spelling of its own; write it as 192.0.2.1"
            ) from None
    if len(name) > MAX_HOST or not all(_LABEL.fullmatch(label) for label in labels):
        raise InvalidInput(f"{host[:100]!r} is not a host name" if host else "the URL names no host")
    return name


def read_own_hosts(entries: Iterable[str]) -> OwnHosts:
    """Read the owner's list.

    Args:
        entries: ``host`` or ``host:port`` each; an IPv6 address in brackets.

    Raises:
        InvalidInput: an entry is neither.
    """
    found: set[tuple[str, int | None]] = set()
    for entry in entries:
        try:
            parts = urlsplit(f"//{entry}")
            port = parts.port
            if parts.path or parts.query or parts.fragment or "@" in parts.netloc:
                raise InvalidInput("it is more than a host")
            found.add((read_host(parts.hostname or "", bracketed=entry.startswith("[")), port))
        except (ValueError, InvalidInput) as error:
            raise InvalidInput(f"{entry!r}: expected a host or host:port such as 'nas.lan:8080'; {error}") from None
    return OwnHosts(frozenset(found))


def _path(parts: SplitResult) -> str:
    path = quote(parts.path or "/", safe=_PATH)
    return f"{path}?{quote(parts.query, safe=_PATH + '?')}" if parts.query else path
