"""How work in progress is told to end."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.errors import Aborted


def _nobody() -> None:
    """Nobody waits for news."""


class Control:
    """Two ways to end a run: *abort* (now) and *drain* (at the next step border, to be carried on later).

    The first abort wins; its reason never changes. Callbacks run once, in the order in which they were added, and must
    not raise.

    Args:
        guard: raises if whoever runs the run may start nothing more, e.g. because its lease ran out while the process
            stood still.
    """

    __slots__ = ("_callbacks", "_draining", "_guard", "_on_drain", "_on_wake", "_reason", "signalled")

    signalled: bool
    """Whether it was told anything yet. Set here alone; a loop of short steps looks at this before it asks what."""

    def __init__(self, guard: Callable[[], None] | None = None) -> None:
        self._guard = guard
        self.signalled = False
        self._reason: str | None = None
        self._draining = False
        self._callbacks: list[Callable[[], object]] = []
        self._on_drain: list[Callable[[], object]] = []
        self._on_wake: Callable[[], object] = _nobody

    @property
    def aborted(self) -> str | None:
        """Why the run was aborted, or None."""
        return self._reason

    @property
    def draining(self) -> bool:
        """Whether the run should stop at the next step border."""
        return self._draining

    def abort(self, reason: str) -> None:
        """Ask the run to end now.

        Args:
            reason: a stable word that lands in the outcome, e.g. ``stopped``, ``interrupted``, ``barged_in``.
        """
        if self._reason is not None:
            return
        self.signalled = True
        self._reason = reason
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def drain(self) -> None:
        """Ask the run to stop at the next step border; its progress stays recorded."""
        self.signalled = True
        self._draining = True
        callbacks, self._on_drain = self._on_drain, []
        for callback in callbacks:
            callback()

    def on_abort(self, callback: Callable[[], object]) -> None:
        """Have `callback` called on abort, or at once if that has happened."""
        if self._reason is None:
            self._callbacks.append(callback)
        else:
            callback()

    def on_drain(self, callback: Callable[[], object]) -> None:
        """Have `callback` called when it is asked to drain, or at once if that has happened."""
        if self._draining:
            callback()
        else:
            self._on_drain.append(callback)

    def wake(self) -> None:
        """Say that there are new inputs: a node that waits while it works looks at them."""
        self._on_wake()

    def on_wake(self, callback: Callable[[], object]) -> None:
        """Have `callback` called at each `wake` from now on, in the place of any other."""
        self._on_wake = callback

    def check(self) -> None:
        """Raise if nothing more may be started; called right before each node, model call and tool call.

        Raises:
            Aborted: with the reason of the first abort.
        """
        if self._reason is not None:
            raise Aborted(self._reason)
        if self._guard is not None:
            self._guard()
