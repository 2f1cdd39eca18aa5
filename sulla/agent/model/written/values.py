"""Whether a text is a call of a tool, from its first character to its last. Pure.

Models were taught to write calls in JSON and in Python, so values of both are read, and nothing is run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any, Final, Literal

from sulla.core.pattern import late_pattern

MOST_DEEP: Final = 32
"""Brackets within one another."""
MARKERS: Final = ("<|python_tag|>", "[TOOL_CALLS]")
"""What stands before a call: Llama and Mistral were taught to begin one so, and nothing else begins so."""
FUNCTION: Final = ("<function=", ">", "</function>")
"""What stands around a call that names its tool in a tag: Llama was taught that too."""
BEFORE: Final = frozenset({"functions", "tools", "default_api"})
"""What stands before a tool's name, with a point between them."""
ARGS: Final = "[ARGS]"
"""What newer models of Mistral write between a tool's name and the braces."""
NAME_KEYS: Final = ("name", "tool", "tool_name", "function", "function_name")
ARGUMENT_KEYS: Final = ("arguments", "parameters", "args", "input", "tool_input")
OTHER_KEYS: Final = ("type", "id", "tool_calls")

Certainty = Literal["sure", "bare"]
"""`bare`: a name with empty parentheses, which people write too when they speak of a function."""

_BLANKS: Final = late_pattern(r"\s*")
_WORD: Final = late_pattern(r"[A-Za-z_][\w-]*")
_STRING: Final = late_pattern(r"\"((?:[^\"\\\n]|\\[^\n])*)\"|'((?:[^'\\\n]|\\[^\n])*)'")
_NUMBER: Final = late_pattern(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_LITERALS: Final = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


def certainty(text: str, names: Collection[str]) -> Certainty | None:
    """How surely a text is a call, or a list of calls; None if it is none.

    Args:
        text: the text, without blanks around it.
        names: of the tools; after a marker any name will do.
    """
    marker = next((one for one in MARKERS if text.startswith(one)), "")
    reader = _Reader(text, len(marker), None if marker else names)
    try:
        found = reader.one()
        reader.blanks()
    except _NoCall:
        return None
    return found if reader.at == len(text) else None


class _NoCall(Exception):
    """Ends the reading of a text that is no call."""


class _Reader:
    """Reads one text from its beginning to its end.

    Args:
        text: the text.
        at: where it begins.
        names: of the tools; None for any.
    """

    def __init__(self, text: str, at: int, names: Collection[str] | None) -> None:
        self.at = at
        self._text = text
        self._names = names
        self._deep = 0

    def blanks(self) -> None:
        """Pass white space."""
        self.at = self._found(_BLANKS).end()

    def one(self) -> Certainty:
        """A call, or a list of calls."""
        self.blanks()
        if self._takes("["):
            self._listed("]", self.one)
            return "sure"
        if self._text.startswith("{", self.at):
            self._check(self._is_call(self._value()))
            return "sure"
        if self._takes(FUNCTION[0]):
            self._check(self._is_known(self._word()) and self._takes(FUNCTION[1]))
            self._check(isinstance(self._value(), dict))
            self.blanks()
            self._check(self._takes(FUNCTION[2]))
            return "sure"
        return self._named()

    def _named(self) -> Certainty:
        """A call that begins with its tool's name."""
        word = self._word()
        if word == "print" and word not in (self._names or ()) and self._follows("("):
            found = self.one()
            self.blanks()
            self._check(self._takes(")"))
            return found
        while word in BEFORE and self._takes("."):
            word = self._word()
        self._check(self._is_known(word))
        if self._names is None and (self._takes(ARGS) or self._follows("{", stay=True)):
            self._check(isinstance(self._value(), dict))
            return "sure"
        if self._takes("."):
            self._check(self._word() == "call")
        self._check(self._follows("("))
        if self._follows(")"):
            return "bare"
        if self._follows("{", stay=True):
            self._check(isinstance(self._value(), dict) and self._follows(")"))
        else:
            self._listed(")", self._argument)
        return "sure"

    def _argument(self) -> None:
        self.blanks()
        self._word()
        self._check(self._follows("="))
        self._value()

    def _value(self) -> object:
        self.blanks()
        if (string := _STRING.match(self._text, self.at)) is not None:
            self.at = string.end()
            return string[1] if string[1] is not None else string[2]
        if (number := _NUMBER.match(self._text, self.at)) is not None:
            self.at = number.end()
            return number[0]
        if self._takes("["):
            return self._listed("]", self._value)
        if self._takes("{"):
            return dict(self._listed("}", self._pair))
        word = self._word()
        self._check(word in _LITERALS)
        return _LITERALS[word]

    def _pair(self) -> tuple[str, Any]:
        self.blanks()
        key = self._found(_STRING)
        self.at = key.end()
        self._check(self._follows(":"))
        return key[1] if key[1] is not None else key[2], self._value()

    def _listed(self, closing: str, read: Callable[[], Any]) -> list[Any]:
        """What stands between two brackets, of which the first was passed; a comma may stand before the last."""
        self._deep += 1
        self._check(self._deep <= MOST_DEEP)
        found = []
        while not self._follows(closing):
            found.append(read())
            if not self._follows(","):
                self._check(self._follows(closing))
                break
        self._deep -= 1
        return found

    def _is_call(self, value: object) -> bool:
        """Whether an object says which tool is called, and with what."""
        if not isinstance(value, dict):
            return False
        if isinstance(inner := value.get("function"), dict):
            return self._is_call(inner)
        if isinstance(several := value.get("tool_calls"), list):
            return bool(several) and all(map(self._is_call, several))
        name = next((value[key] for key in NAME_KEYS if key in value), None)
        given = next((value[key] for key in ARGUMENT_KEYS if key in value), None)
        has = isinstance(given, dict) or (isinstance(given, str) and given.lstrip().startswith("{"))
        return has and isinstance(name, str) and self._is_known(name.rpartition(".")[2])

    def _is_known(self, name: str) -> bool:
        return self._names is None or name in self._names

    def _word(self) -> str:
        found = self._found(_WORD)
        self.at = found.end()
        return found[0]

    def _found(self, pattern: re.Pattern[str]) -> re.Match[str]:
        found = pattern.match(self._text, self.at)
        if found is None:
            raise _NoCall
        return found

    def _follows(self, what: str, *, stay: bool = False) -> bool:
        """Whether it stands behind white space, which is passed then, and it too."""
        at = self._found(_BLANKS).end()
        if not self._text.startswith(what, at):
            return False
        self.at = at if stay else at + len(what)
        return True

    def _takes(self, what: str) -> bool:
        if not self._text.startswith(what, self.at):
            return False
        self.at += len(what)
        return True

    def _check(self, holds: bool) -> None:
        if not holds:
            raise _NoCall
