"""What can be wrong with a playbook. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from traceback import extract_tb
from typing import Final, Literal

from sulla.core.dataclass import dataclass


@dataclass(frozen=True, slots=True, order=True)
class PlaybookFault:
    """One thing that is wrong, and where."""

    line: int
    column: int
    """Both from 1, as editors count."""
    rule: str
    """A stable word, one of `RULES`."""
    message: str
    """What is wrong, what was expected, and the nearest name or what to do."""

    @property
    def severity(self) -> Literal["error", "warning"]:
        """A warning does not keep a playbook from being run."""
        return "warning" if self.rule in WARNINGS else "error"

    def told(self, file: str) -> str:
        """One line, as compilers write it: ``file:line:column: error: message [rule]``."""
        return f"{file}:{self.line}:{self.column}: {self.severity}: {self.message} [{self.rule}]"


def defect(error: Exception) -> PlaybookFault:
    """What is told of a text that the reader or the check could not deal with: no text of a person's may end more than
    itself.

    Args:
        error: what was raised.
    """
    frames = extract_tb(error.__traceback__)
    at = f" in {frames[-1].filename.rpartition('/')[2]}:{frames[-1].lineno}" if frames else ""
    said = f"{type(error).__name__}: {error}"[:_ERROR_CHARS]
    return PlaybookFault(
        1, 1, DEFECT, f"this file cannot be checked ({said}{at}): a defect of Sulla; please report it with the file"
    )


DEFECT: Final = "defect"
_ERROR_CHARS: Final = 200

RULES: Final[Mapping[str, str]] = {
    "unreadable": "A file is text in UTF-8, and no longer than a playbook may be.",
    "yaml": "The text is YAML 1.2: one document, keys and values, no anchors and no tags.",
    "unknown-key": "Each key is one of those in the tables above.",
    "missing-key": "A key that has to be there is.",
    "double-key": "A key stands once.",
    "value": "A value is what its key takes.",
    "name": "A name is made of letters, digits and `_`, and begins with no digit; a playbook's is made of small "
    "letters, digits, `-` and `_`.",
    "double-id": "A step's id is the only one in the file.",
    "kind": "A step does exactly one thing.",
    "size": "A playbook stays below its limits.",
    "unknown-step": "A step that is needed or named is there, and beside the one that needs it.",
    "unknown-route": "A way of a step is one that it has.",
    "unknown-tool": "A tool is known.",
    "unknown-agent": "An agent is known.",
    "unknown-playbook": "A playbook is known.",
    "unknown-event": "An event is one of those that there are.",
    "cycle": "No step waits for itself; what repeats stands in a loop.",
    "unreachable": "A step can be reached: what it needs does not exclude each other.",
    "merge": "A merge can fire.",
    "break": "A break stands in a loop.",
    "transfer": "A transfer stands neither in a loop nor in a branch, and nothing comes after it.",
    "expression": "An expression can be read, and uses what is offered.",
    "unknown-name": "A name in an expression is there.",
    "too-early": "A step that an expression names has had its turn before.",
    "failed-output": "Behind the failure of a step its error is named, and not its output or result: there is none.",
    "type": "A value is of the type that is wanted.",
    "never": "A comparison can be true.",
    "braces": "An expression begins with `${{`.",
    "schema": "A JSON Schema requires properties that are there, and refers to nothing elsewhere.",
    "argument": "The arguments of a tool, and the inputs of a playbook, are those that it takes.",
    "input": "An input's default and choices fit its type, and a trigger gives what is required.",
    "secret-unknown": "A secret is declared in `secrets`.",
    "budget": "A budget is enough for one reply of an agent.",
    "secret-short": "The secret that signs a webhook has at least 16 bytes.",
    "secret-place": "A secret stands in the arguments of tools alone, and alone in its expression.",
    "retry-once": "A tool that is declared `once` is not tried again by itself.",
    "schedule": "A schedule is one that some day fits.",
    "defect": "The check of the file comes to its end; where it does not, that is a defect of Sulla.",
    "secret-clear": "A key stands in no file: it is a secret.",
    "hidden": "All that a file says can be seen.",
    "unguarded": "What a step need not have come to, or an error that there need not be, is not looked into, unless "
    "the error, or a default, is looked at.",
    "upstream": "Who takes care of a step's failure looks at it, for a step fails also where one before it has.",
    "unchecked": "What a JSON Schema asks for is checked.",
    "remarks": "What is reckoned with, written or handed on is what a tool gave, and not its text for models.",
    "number": "A number in a loop's list or in `set` is shown as it is written.",
    "secret-unused": "A declared secret is used.",
    "not-set-up": "A tool has the settings that it needs in this home, and the home has each declared secret.",
    "refused": "An address that stands in the file is one that this home asks.",
    "asked": "A run that nobody watches waits for nobody: before such a call a person is asked.",
    "given-up": "Behind text from outside a command changes no files that programs run.",
    "side-by-side": "Commands side by side append to no one file.",
    "trigger-inputs": "A schedule and an event give what the playbook requires.",
}
"""What has to hold, by rule."""
WARNINGS: Final = frozenset(
    "secret-unused trigger-inputs not-set-up refused asked given-up side-by-side secret-clear hidden number remarks "
    "unguarded upstream unchecked".split()
)
