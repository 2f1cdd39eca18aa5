"""Sees to it that one set of changes at a time is put into a workspace, whichever daemon does it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from typing import Final

from sulla.core.errors import Refused
from sulla.tools.shell.renames import FOLDER

WAIT_S: Final = 60
"""How long a set of changes waits for another that is put into the same workspace."""
_LOOK_S: Final = 0.05


@contextmanager
def locked(workspace: str) -> Iterator[None]:
    """Nothing is put into a workspace by anybody else meanwhile, another daemon included.

    Raises:
        Refused: somebody else does for too long, or it cannot be opened.
    """
    try:
        top = os.open(workspace, FOLDER)
    except OSError as error:
        raise Refused(f"the workspace {workspace} cannot be opened: {os.strerror(error.errno or 0)}") from error
    try:
        for _ in range(round(WAIT_S / _LOOK_S)):
            try:
                fcntl.flock(top, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                Event().wait(_LOOK_S)
        else:
            raise Refused(f"other commands have been putting their changes into the workspace for {WAIT_S} s")
        yield
    finally:
        os.close(top)  # whoever is killed lets go of it as well
