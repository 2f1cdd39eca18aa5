"""One completion wrapper: what it says, and while it comes. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sulla.core.dataclass import dataclass

Status = Literal["done", "blocked", "continue"]

_STATUS: dict[str, Status] = {"AGENT_DONE": "done", "AGENT_BLOCKED": "blocked", "AGENT_CONTINUE": "continue"}


@dataclass(frozen=True, slots=True)
class Wrapper:
    """What an agent said about how far it is. A field that it left out or left empty is None."""

    status: Status
    status_report: str | None = None
    """For `continue`: what is done and what comes next."""
    response: str | None = None
    """For `done`: what was achieved."""
    blocker_reason: str | None = None
    """For `blocked`: what stops it."""
    unblock_requirements: str | None = None
    """For `blocked`: what it needs."""

    @property
    def words(self) -> str:
        """What people see of it if the reply says nothing else."""
        match self.status:
            case "done":
                return self.response or "Done."
            case "continue":
                return self.status_report or "Continuing."
            case "blocked":
                said = [part for part in (self.blocker_reason, self.unblock_requirements) if part is not None]
                return "\n\n".join(said) or "Blocked."

    @property
    def written(self) -> str:
        """It as a model writes it."""
        tag = f"AGENT_{self.status.upper()}"
        fields = {
            "STATUS_REPORT": self.status_report,
            "BLOCKER_REASON": self.blocker_reason,
            "UNBLOCK_REQUIREMENTS": self.unblock_requirements,
        }
        told = "".join(f"<{name}>{text}</{name}>" for name, text in fields.items() if text is not None)
        return f"<{tag}>{self.response or ''}{told}</{tag}>"


class OpenWrapper:
    """A wrapper, or a call that is written down, whose closing tag has not come yet.

    Args:
        name: the tag's.
        is_shown: whether its content is shown as it comes.
    """

    __slots__ = ("_parts", "is_shown", "name")

    def __init__(self, name: str, *, is_shown: bool = False) -> None:
        self.name = name
        self.is_shown = is_shown
        """Whether its content is shown as it comes."""
        self._parts: list[tuple[str | None, list[str]]] = [(None, [])]

    def add(self, piece: str) -> None:
        """More content.

        Args:
            piece: of any length.
        """
        self._parts[-1][1].append(piece)

    def turn(self, field: str | None) -> None:
        """A field's tag: what follows belongs to it, or to none.

        Args:
            field: its name; None for none.
        """
        self._parts.append((field, []))

    def text(self) -> str:
        """All content, without tags."""
        return _joined(pieces for _, pieces in self._parts)

    def wrapper(self) -> Wrapper:
        """What it says, now that it is complete. A field that was not closed reaches to the wrapper's end."""

        def field(name: str | None) -> str | None:
            return _joined(pieces for of, pieces in self._parts if of == name) or None

        status = _STATUS[self.name]
        match status:
            case "done":
                return Wrapper(status, response=field("KEY_RESULT") or self.text() or None)
            case "continue":
                report = field("STATUS_REPORT") or field("STATUS_MESSAGE") or self.text() or None
                return Wrapper(status, status_report=report)
            case "blocked":
                reason, needs = field("BLOCKER_REASON") or field(None), field("UNBLOCK_REQUIREMENTS")
                return Wrapper(status, blocker_reason=reason, unblock_requirements=needs)


def _joined(parts: Iterable[list[str]]) -> str:
    texts = ("".join(pieces) for pieces in parts)
    return "\n".join(text for text in texts if text.strip()).strip()
