"""What a store has last refused to keep: who looks after it finds out without writing anything. Pure."""

from __future__ import annotations

from types import TracebackType

from sulla.core.errors import StoreUnavailable


class Refusals:
    """Remembers that a write was refused by a store that answers. It lives as long as the store.

    A block within it is a write: ``with refusals: ...``.
    """

    def __init__(self) -> None:
        self._said = ""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, StoreUnavailable) and error.refused:
            self._said = error.message

    def take(self) -> str:
        """Why a write was refused since this was asked last, in the store's words; empty if none was."""
        said, self._said = self._said, ""
        return said
