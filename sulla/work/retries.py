"""When a log whose job failed is looked at again: later and later. Pure: no await, no clock."""

from __future__ import annotations

from typing import Final

from sulla.core.dataclass import dataclass

WAITS_S: Final = (1.0, 5.0, 30.0, 300.0)
"""After the first failure in a row, the second and so on; the last one for all that follow."""


@dataclass(slots=True)
class _Failure:
    count: int
    until_s: float


class Retries:
    """The logs of one worker whose last job raised. It lives as long as its worker."""

    def __init__(self) -> None:
        self._failing: dict[str, _Failure] = {}

    def failed(self, key: str, now_s: float) -> float:
        """A job of a log has raised.

        Args:
            key: the log.
            now_s: by `Clock.elapsed`.

        Returns:
            In how many seconds it is to be tried again.
        """
        failure = self._failing.setdefault(key, _Failure(0, 0.0))
        wait_s = WAITS_S[min(failure.count, len(WAITS_S) - 1)]
        failure.count, failure.until_s = failure.count + 1, now_s + wait_s
        return wait_s

    def succeeded(self, key: str) -> None:
        """A job of a log has ended without."""
        self._failing.pop(key, None)

    def may_try(self, key: str, now_s: float) -> bool:
        """Whether a log may be looked at again unasked: its last job did not raise, or long enough ago."""
        failure = self._failing.get(key)
        return failure is None or failure.until_s <= now_s

    @property
    def failing(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self._failing)
