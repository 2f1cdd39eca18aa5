"""What stands in a playbook's text that nobody should find there: keys in clear text, characters that nobody sees, and
numbers that are meant as text. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final
from unicodedata import name

from sulla.definitions.yaml_text import YamlList, YamlNode, YamlScalar
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.read_sketch import StepAt

_KEY: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"sk-(?:ant-|proj-|live-)?[A-Za-z0-9_-]{20,}"  # Anthropic, OpenAI
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}"  # Stripe
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|xox[abprs]-[A-Za-z0-9-]{10,}"  # Slack
    r"|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{35}"  # AWS, Google
    r"|whsec_[A-Za-z0-9+/=]{20,}|sulla_[A-Za-z0-9_-]{43}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----"
    r")"
)
"""Forms that the keys of services have and nothing else has."""
_SHOWN_CHARS: Final = 6
_HIDDEN: Final = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]")
"""They change how a line looks, or hide what it says; those that scripts and emoji need are not among them."""
_MOST_TOLD: Final = 20


def clear_texts(text: str) -> Iterator[PlaybookFault]:
    """Keys that stand in a file which is copied, shown and kept.

    Args:
        text: the file.
    """
    for found in list(_KEY.finditer(text))[:_MOST_TOLD]:
        said = (
            f"what stands here looks like a key ({found[0][:_SHOWN_CHARS]}…), for everybody who reads the file to see"
        )
        yield _at(
            text, found.start(), "secret-clear", f"{said}: keep it as a secret, and write ${{{{ secrets.<name> }}}}"
        )


def hidden_characters(text: str) -> Iterator[PlaybookFault]:
    """Characters that nobody sees: a person agrees to another text than the one that is done.

    Args:
        text: the file.
    """
    for found in list(_HIDDEN.finditer(text, 1 if text.startswith("\ufeff") else 0))[:_MOST_TOLD]:
        code = f"U+{ord(found[0]):04X}"
        said = f"a character that nobody sees stands here: {code} {name(found[0], '').lower()}".rstrip()
        yield _at(text, found.start(), "hidden", f"{said}; take it out, or write it as an escape in quotes")


def lost_digits(steps: Iterable[StepAt]) -> Iterator[PlaybookFault]:
    """Numbers in lists of loops and in `set` that are not written as they are shown, such as the version 3.10.

    Args:
        steps: of a file.
    """
    for step in steps:
        for key in ("loop", "set"):
            for node in _scalars(step.keys[key][1]) if key in step.keys else ():
                value, written = node.value, node.text.strip()
                if isinstance(value, bool) or not isinstance(value, int | float) or str(value) == written:
                    continue
                said = f"{written} is the number {value} here: to keep it as it is written, put it in quotes"
                yield PlaybookFault(node.place.line, node.place.column, "number", said)


def _scalars(node: YamlNode) -> Iterator[YamlScalar]:
    if isinstance(node, YamlScalar):
        yield node
        return
    inner = node.items if isinstance(node, YamlList) else [value for key, value in node.items if key.text != "steps"]
    for one in inner:
        yield from _scalars(one)


def _at(text: str, offset: int, rule: str, message: str) -> PlaybookFault:
    return PlaybookFault(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), rule, message)
