"""Expressions of playbooks: ``${{ }}`` within a text, or for a whole value. Pure.

The grammar is Jinja's; the values are JSON's; names that are not there are mistakes (strict undefined). There is
nothing to break out of and nothing that does not end, see `expression_tree`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import OPENS, Template
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.expression.values import CostMeter, check_text, text_of, thawed
from sulla.playbooks.expression.walk import work_out

_TOKENS: Final = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|\{|\}\}|\}", re.DOTALL)
_SHOWN_CHARS: Final = 120


@dataclass(frozen=True, slots=True)
class ExpressionSpot:
    """An expression within a text."""

    source: str
    """What stands between ``${{`` and ``}}``."""
    start: int
    end: int
    """Where it stands, from its ``${{`` to behind its ``}}``, in code points of the text."""

    def __str__(self) -> str:
        said = " ".join(self.source.split())
        return f"${{{{ {said if len(said) <= _SHOWN_CHARS else said[: _SHOWN_CHARS - 1] + '…'} }}}}"


@lru_cache(maxsize=1024)
def split(text: str) -> tuple[str | ExpressionSpot, ...]:
    """A text and the expressions in it, as they follow each other.

    Raises:
        InvalidInput: one is never closed.
    """
    found: list[str | ExpressionSpot] = []
    at = 0
    while (start := text.find(OPENS, at)) >= 0:
        end = _close(text, start + len(OPENS))
        if start > at:
            found.append(text[at:start])
        found.append(ExpressionSpot(text[start + len(OPENS) : end - 2], start, end))
        at = end
    if at < len(text) or not found:
        found.append(text[at:])
    return tuple(found)


def _close(text: str, at: int) -> int:
    """Behind the ``}}`` that belongs to it, past those in quotes and those of objects."""
    depth = 0
    while (token := _TOKENS.search(text, at)) is not None:
        word, at = token[0], token.end()
        if word == "{":
            depth += 1
        elif word == "}}" and not depth:
            return at
        elif word in ("}", "}}") and depth:
            depth -= 1
            at = token.start() + 1
    raise InvalidInput("an expression begins with '${{' and never ends; expected '}}'")


def whole(text: str) -> ExpressionSpot | None:
    """The expression that a text is, with nothing around it; None if it is more or less than one.

    Raises:
        InvalidInput: an expression in it is never closed.
    """
    parts = split(text)
    return parts[0] if len(parts) == 1 and isinstance(parts[0], ExpressionSpot) else None


def evaluate(template: Template, scope: Mapping[str, object]) -> Json:
    """What a template comes to.

    Args:
        template: text with expressions in it, or a single one.
        scope: what ``inputs``, ``steps``, ``loop``, … stand for: JSON, or mappings of it.

    Returns:
        The value of a single expression with its type; else a text, in which null is nothing, and lists and objects are
        JSON.

    Raises:
        InvalidInput: an expression cannot be read or has no value; the message begins with the expression.
        TooLarge: it makes something too big, or takes too much work.
    """
    meter = CostMeter()
    single = whole(template.source)
    try:
        if single is not None:
            return thawed(_value(single, scope, meter))
        parts = split(template.source)
        texts = [part if isinstance(part, str) else text_of(_value(part, scope, meter), meter) for part in parts]
    except RecursionError:
        raise InvalidInput("a value in it is nested too deep") from None
    check_text(sum(map(len, texts)))
    return "".join(texts)


def _value(spot: ExpressionSpot, scope: Mapping[str, object], meter: CostMeter) -> Json:
    try:
        return work_out(parse(spot.source), scope, meter)
    except InvalidInput as error:
        raise type(error)(f"in {spot}: {error.message}") from None
