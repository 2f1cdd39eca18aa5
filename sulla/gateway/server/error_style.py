"""How each family of paths is told whose token it is, and says what went wrong. Pure.

Whoever refuses a request before anybody has read it (the perimeter, the gatekeeper) looks up here how to say so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sulla.core.dataclass import dataclass
from sulla.core.errors import Unauthorized
from sulla.gateway.problems import Problem
from sulla.gateway.server.auth import bearer

Headers = Iterable[tuple[bytes, bytes]]
"""With lower-case names, as ASGI has them."""
_AUTHORIZATION = "authorization"


@dataclass(frozen=True, slots=True)
class ErrorStyle:
    """The manner of one family.

    Args:
        body: what an error looks like.
        key_header: a header beside ``Authorization`` that may hold the token as it is; empty for none.
        own_door: whether whoever opens a WebSocket here is asked for nothing, because what keeps it asks by itself.
    """

    body: Callable[[Problem], bytes] = Problem.body
    key_header: str = ""
    own_door: bool = False

    def token(self, headers: Headers) -> str | None:
        """The token that a request brings; None if it brings none.

        Raises:
            Unauthorized: it is of another form, or there are several.
        """
        said = [(name.decode("latin-1"), value.decode("latin-1").strip()) for name, value in headers]
        found = [value for name, value in said if name == _AUTHORIZATION]
        keys = [value for name, value in said if self.key_header and name == self.key_header]
        for name, values in (("Authorization", found), (self.key_header, keys)):
            if len(values) > 1:
                raise Unauthorized(f"got {len(values)} {name} headers, expected one")
        if found and keys and bearer(found[0]) != keys[0]:
            raise Unauthorized(f"the headers Authorization and {self.key_header} hold different tokens: send one")
        if found:
            return bearer(found[0])
        return keys[0] if keys else None


PLAIN = ErrorStyle()
"""That of everything that is no dialect."""


class ErrorStyles:
    """Looks up the manner of a path.

    Args:
        by_prefix: a path, and all below it, and what gives its manner; the longest that fits counts.
    """

    def __init__(self, by_prefix: Iterable[tuple[str, Callable[[], ErrorStyle]]] = ()) -> None:
        self._by_prefix = sorted(by_prefix, key=lambda pair: -len(pair[0]))

    def of(self, path: str) -> ErrorStyle:
        """The manner of what is found under `path`."""
        for prefix, manner in self._by_prefix:
            if path == prefix or path.startswith(prefix.rstrip("/") + "/"):
                return manner()
        return PLAIN
