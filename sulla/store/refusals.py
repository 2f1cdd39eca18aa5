"""What a store has last refused or failed to do: who looks after it finds out without asking anything. Pure."""

from __future__ import annotations

from types import TracebackType

from sulla.core.errors import StoreUnavailable


class Refusals:
    """Remembers which writes a store that answers refused, and which calls failed. It lives as long as the store.

    A block within it is a call: ``with refusals: ...``.
    """

    def __init__(self) -> None:
        self._said = ""
        self._failed = ""

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if isinstance(error, StoreUnavailable):
            if error.refused:
                self._said = error.message
            else:
                self._failed = error.message

    def take(self) -> str:
        """Why a write was refused since this was asked last, in the store's words; empty if none was."""
        said, self._said = self._said, ""
        return said

    def take_failed(self) -> str:
        """Why a call failed otherwise since this was asked last, in the store's words; empty if none did."""
        failed, self._failed = self._failed, ""
        return failed
