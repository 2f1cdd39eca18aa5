"""How this program is called from where a person stands: what hints print has to work when it is typed."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path
from typing import Final

from sulla.core.pattern import late_pattern

NAME: Final = "sulla"


@cache
def program() -> str:
    """What to type for Sulla, in the current folder and with the current `PATH`: ``sulla`` where that is this very
    installation, else the path of its script, e.g. ``.venv/bin/sulla``.
    """
    script = Path(sys.executable).parent / NAME
    found = shutil.which(NAME)
    if found is not None and (not script.exists() or script.samefile(found)):
        return NAME
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m {NAME}"
    here = Path.cwd()
    return shlex.quote(str(script.relative_to(here) if script.is_relative_to(here) else script))


_COMMANDS = {
    "thread.create": "ask",
    "thread.list": "thread list",
    "notice.list": "notices list",
    "approval.list": "approvals list",
    "workflow.status": "flow show",
    "workflow.start": "flow run",
}
"""The commands that do what a daemon's message to all its clients calls by the method's name."""


_FIELD: Final = late_pattern(r"\bparams\.([a-z][a-z_]*)")
"""How a daemon calls a parameter to its clients."""
_CALLED: Final = late_pattern(rf"(`|^ {{3}}){NAME} ", re.MULTILINE)


def hint(text: str) -> str:
    """A text with the commands in it as they can be typed here.

    Args:
        text: has each of them as ```sulla …```, or behind three blanks on a line of its own.
    """
    return text if program() == NAME else _CALLED.sub(lambda found: f"{found[1]}{program()} ", text)


def told(message: str) -> str:
    """A daemon's message in words of the command line: methods by the commands that do it, parameters by name."""
    for method, command in _COMMANDS.items():
        message = message.replace(method, f"`{NAME} {command}`")
    return hint(_FIELD.sub(lambda found: found[1].replace("_", " "), message))
