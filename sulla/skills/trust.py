"""Which skills a person has allowed, word for word: a small file in the home, by digest."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from sulla.core.errors import Refused

MAX_TRUSTED: Final = 1_000
"""Skills that are remembered; whoever was trusted longest ago is asked about again first."""


class TrustedSkills:
    """What is trusted. Every look reads the file, because a command may have written to it.

    Args:
        path: the file; made at the first word of trust.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> dict[str, str]:
        """The digest that each skill was trusted with, by name. One that cannot be read trusts nobody.

        Raises:
            Refused: it is damaged, or not ours to read.
        """
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, RecursionError) as error:
            raise self._unusable("read", error) from error
        match kept:
            case {"skills": dict(skills)}:
                return {str(name): str(digest) for name, digest in skills.items()}
        raise self._unusable("read", ValueError("it says nothing of skills"))

    def trust(self, name: str, digest: str) -> None:
        """Remember that a person allowed a skill as it is.

        Raises:
            Refused: it cannot be written.
        """
        with self._changing() as skills:
            skills.pop(name, None)
            skills[name] = digest

    def forget(self, name: str) -> bool:
        """Take the trust back; whether there was any.

        Raises:
            Refused: it cannot be written.
        """
        with self._changing() as skills:
            return skills.pop(name, None) is not None

    @contextmanager
    def _changing(self) -> Iterator[dict[str, str]]:
        """Two processes that do this at once both get their way."""
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(self._path.with_suffix(".lock"), flags, 0o600)) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # held for one small write
                skills = self.read()
                yield skills
                draft = self._path.with_suffix(".new")
                with os.fdopen(os.open(draft, flags | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
                    json.dump({"skills": dict(list(skills.items())[-MAX_TRUSTED:])}, file, indent=1)
                    file.flush()
                    os.fsync(file.fileno())
                draft.replace(self._path)
        except OSError as error:
            raise self._unusable("written", error) from error

    def _unusable(self, what: str, error: Exception) -> Refused:
        said = error.strerror if isinstance(error, OSError) else error
        return Refused(f"{self._path} cannot be {what} ({said}): mend or remove it; until then skills are asked about")
