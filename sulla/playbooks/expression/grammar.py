"""Reads an expression with Jinja's own grammar, and takes of it only what ends. Pure.

The library is used to split and to parse; nothing is compiled or run by it. It is loaded at first use, because a home
without playbooks never needs it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, cast

from sulla.core.errors import InvalidInput
from sulla.playbooks.expression.filters import FILTERS, TESTS
from sulla.playbooks.expression.tree import (
    Apply,
    Binary,
    Compare,
    Concat,
    Conditional,
    Const,
    Field,
    Is,
    Items,
    Logic,
    Name,
    Not,
    Pairs,
    Sign,
    SliceOf,
    Tree,
)
from sulla.tools.nearest import did_you_mean

if TYPE_CHECKING:
    from jinja2 import Environment

MAX_EXPRESSION_CHARS: Final = 1_000
MAX_DEPTH: Final = 40
"""Levels of an expression's tree; a chain of additions has one for each."""
MAX_INT: Final = 2**63


@lru_cache(maxsize=4096)
def parse(source: str) -> Tree:
    """Read what stands between ``${{`` and ``}}``.

    Args:
        source: the expression.

    Raises:
        InvalidInput: it is none, or uses something that is not offered; the message says what.
    """
    plain_path = _PATH.fullmatch(source)
    if plain_path is not None and plain_path[1] not in _KEYWORDS:
        return _path(plain_path[1], plain_path[2])
    return _parse(source)


_PATH: Final = re.compile(r"\s*([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)\s*", re.ASCII)
"""Most expressions are nothing else, and Jinja takes twenty times as long for one."""
_KEYWORDS: Final = frozenset("true false none null True False None not and or in is if else".split())


def _path(first: str, rest: str) -> Tree:
    found: Tree = Name(first)
    for word in rest.split(".")[1:]:
        found = Field(found, Const(word))
    if rest.count(".") > MAX_DEPTH:
        raise InvalidInput(f"it is nested deeper than {MAX_DEPTH} levels")
    return found


def _parse(source: str) -> Tree:
    from jinja2 import TemplateSyntaxError
    from jinja2.parser import Parser

    if not source.strip():
        raise InvalidInput("there is nothing between ${{ and }}")
    if len(source) > MAX_EXPRESSION_CHARS:
        raise InvalidInput(f"it has {len(source)} characters; {MAX_EXPRESSION_CHARS} are allowed")
    try:
        # Jinja takes each end of a line for a plain one, also within quotes; as an escape it stays what it is.
        kept = _TEXT.sub(lambda text: text[0].replace("\r", "\\r"), source) if "\r" in source else source
        parser = Parser(_environment(), kept, state="variable")
        found = parser.parse_expression()
        rest = parser.stream.current
    except TemplateSyntaxError as error:
        raise InvalidInput(_said(error.message or "it cannot be read", source)) from None
    except RecursionError:
        raise InvalidInput(f"it is nested deeper than {MAX_DEPTH} levels") from None
    if rest.type != "eof":
        raise InvalidInput(_loops(source) or _rest(rest.value))
    return _take(found, 0)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    return ImmutableSandboxedEnvironment(undefined=StrictUndefined)


_TEXT: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_QUOTED: Final = re.compile(r"'[^']*'|\"[^\"]*\"")
_WORDS: Final = {"&": "and", "|": "or", "!": "not", "?": "a if b else c"}
"""What other languages write as signs."""


_LOOPS: Final = re.compile(r"\bfor\s+\w+(\s*,\s*\w+)*\s+in\b|\blambda\b")


def _loops(source: str) -> str:
    """What is written in the place of Python's loops in a line, where there is one; empty where there is none."""
    if not _LOOPS.search(_QUOTED.sub("", source)):
        return ""
    return (
        "there is no `for` and no `lambda` in an expression: write `list | map('id')`, `list | select('age', '>', 17)` "
        "or `list | each('int')`; for more, a `loop` step"
    )


def _said(message: str, source: str) -> str:
    if told := _loops(source):
        return told
    if message.startswith("unexpected 'end of"):
        return "a value is missing at its end"
    for sign, word in _WORDS.items():
        if message.startswith(f"unexpected char {sign!r}"):
            return f"{sign!r} is no operator here; write {word!r}"
    return message.rstrip(".").replace("end of print statement", "the end").replace("end of template", "the end")


def _rest(word: str) -> str:
    if word == "=":
        return "a single '=' compares nothing; write '=='"
    return f"nothing was expected behind the value, found {word!r}; text stands in quotes, values are joined by '~'"


_OPERATORS: Final = {
    "eq": "==", "ne": "!=", "lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "not in"
}  # fmt: skip
_BINARY: Final = {"Add": "+", "Sub": "-", "Mul": "*", "Div": "/", "FloorDiv": "//", "Mod": "%"}
_NOT_OFFERED: Final = {
    "Call": "functions are not called here; write `value | filter`, such as `steps.a.output | upper`",
    "Pow": "powers are not offered",
    "Slice": "a slice belongs behind a list or a text",
}

_JINJA: Final = {"format": " A number with two decimals is `number | fixed(2)`; texts are joined by `~`."}
"""What stands here for filters of Jinja whose names are like those of others."""

# The library's nodes say nothing of their fields' types.
_Node = Any


def _take(node: _Node, depth: int) -> Tree:
    """The tree of what is offered."""
    kind = type(node).__name__
    if depth > MAX_DEPTH:
        raise InvalidInput(f"it is nested deeper than {MAX_DEPTH} levels; split it into steps")
    if kind in _BINARY:
        return Binary(_BINARY[kind], _take(node.left, depth + 1), _take(node.right, depth + 1))
    if kind not in _TAKERS:
        raise InvalidInput(_NOT_OFFERED.get(kind, f"{kind.lower()} is not offered"))
    return _TAKERS[kind](node, depth + 1)


def _const(node: _Node, depth: int) -> Tree:
    value = node.value
    # Compared, not converted: a whole number of hundreds of digits fits into no float, and no comparison holds for NaN.
    if isinstance(value, int | float) and not abs(value) <= MAX_INT:
        raise InvalidInput("a number in it is too big")
    if isinstance(value, str) and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InvalidInput("a text in it holds half of a character (\\ud800 to \\udfff), which can be kept nowhere")
    return Const(value)


def _field(node: _Node, depth: int) -> Tree:
    if type(node).__name__ == "Getattr":
        return Field(_take(node.node, depth), Const(node.attr))
    if type(node.arg).__name__ == "Slice":
        ends = [None if end is None else _take(end, depth) for end in (node.arg.start, node.arg.stop, node.arg.step)]
        return SliceOf(_take(node.node, depth), *ends)
    return Field(_take(node.node, depth), _take(node.arg, depth))


def _compare(node: _Node, depth: int) -> Tree:
    others = tuple((_OPERATORS[other.op], _take(other.expr, depth)) for other in node.ops)
    return Compare(_take(node.expr, depth), others)


def _logic(node: _Node, depth: int) -> Tree:
    how = cast("Literal['and', 'or']", type(node).__name__.lower())
    return Logic(how, _take(node.left, depth), _take(node.right, depth))


def _choose(node: _Node, depth: int) -> Tree:
    no = None if node.expr2 is None else _take(node.expr2, depth)
    return Conditional(_take(node.test, depth), _take(node.expr1, depth), no)


def _apply(node: _Node, depth: int) -> Tree:
    if node.name not in FILTERS:
        meant = _JINJA.get(node.name) or did_you_mean(node.name, FILTERS) or f" Known: {', '.join(FILTERS)}."
        raise InvalidInput(f"there is no filter {node.name!r}.{meant}")
    if node.dyn_args is not None or node.dyn_kwargs is not None or node.node is None:
        raise InvalidInput("arguments are written out; * and ** are not offered")
    args = tuple(_take(arg, depth) for arg in node.args)
    named = tuple((pair.key, _take(pair.value, depth)) for pair in node.kwargs)
    known = FILTERS[node.name].takes
    for name, _ in named:
        if name not in known[len(args) :]:
            raise InvalidInput(f"the filter {node.name!r} takes {_list(known)}, not {name!r}")
    given = {*known[: len(args)], *(name for name, _ in named)}
    if len(args) > len(known) or not set(known[: FILTERS[node.name].needs]) <= given:
        raise InvalidInput(f"the filter {node.name!r} takes {_list(known)}; it got {len(args) + len(named)} values")
    return Apply(node.name, _take(node.node, depth), args, named)


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "no values"


def _is(node: _Node, depth: int) -> Tree:
    if node.name not in TESTS:
        meant = did_you_mean(node.name, TESTS) or f" Known: {', '.join(TESTS)}."
        raise InvalidInput(f"there is no test 'is {node.name}'.{meant}")
    if node.args or node.kwargs or node.dyn_args is not None or node.dyn_kwargs is not None:
        raise InvalidInput(f"'is {node.name}' takes no values")
    return Is(node.name, _take(node.node, depth))


_TAKERS: Final[dict[str, Callable[[_Node, int], Tree]]] = {
    "Const": _const,
    "TemplateData": _const,
    "Name": lambda node, _: Const(None) if node.name == "null" else Name(node.name),
    "Getattr": _field,
    "Getitem": _field,
    "Compare": _compare,
    "And": _logic,
    "Or": _logic,
    "Not": lambda node, depth: Not(_take(node.node, depth)),
    "Neg": lambda node, depth: Sign("-", _take(node.node, depth)),
    "Pos": lambda node, depth: Sign("+", _take(node.node, depth)),
    "Concat": lambda node, depth: Concat(tuple(_take(part, depth) for part in node.nodes)),
    "CondExpr": _choose,
    "List": lambda node, depth: Items(tuple(_take(item, depth) for item in node.items)),
    "Tuple": lambda node, depth: Items(tuple(_take(item, depth) for item in node.items)),
    "Dict": lambda node, depth: Pairs(tuple((_take(pair.key, depth), _take(pair.value, depth)) for pair in node.items)),
    "Filter": _apply,
    "Test": _is,
}
