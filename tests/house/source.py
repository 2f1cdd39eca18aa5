"""Reading the repository as text and as syntax, for the tests of the house."""

from __future__ import annotations

import ast
import gc
import re
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_PURE = re.compile(r'"""(?:(?!""").)*\bPure\b', re.DOTALL)

Nodes = tuple[ast.AST, ...]
"""Those of one syntax tree, in the order of `ast.walk`."""

FORBIDDEN = frozenset(
    """
    asyncio concurrent threading multiprocessing subprocess signal select selectors
    time sched socket ssl http urllib os pathlib shutil tempfile glob io sqlite3 random secrets uuid logging
    pkgutil anthropic ollama openai httpx httpx2 aiohttp anyio fastapi starlette uvicorn websockets psycopg
    psycopg_pool redis hiredis pygls lsprotocol rich opentelemetry prometheus_client structlog
    """.split()
)
"""What a pure module imports nowhere: no loop, clock, network, disk or chance, and no library that brings them."""


@cache
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def contracts() -> dict[str, dict[str, Any]]:
    """The import contracts by id."""
    return {contract["id"]: contract for contract in project()["tool"]["importlinter"]["contracts"]}


def packages() -> list[str]:
    """The names of the packages in sulla/."""
    return sorted(path.name for path in (ROOT / "sulla").iterdir() if any(path.rglob("*.py")))


def python_files(*folders: str) -> list[Path]:
    """Every Python file below the folders."""
    return [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]


def seamed_files() -> list[Path]:
    """What takes time, chance and tasks from seams: the product, and the simulation, which is the same each time
    only because of that. Its own tests are tests like any other.
    """
    simulation = [path for path in python_files("tests/simulation") if not path.name.startswith("test_")]
    return [*python_files("sulla"), *simulation]


@cache
def says_pure(path: Path) -> bool:
    """Whether a module's docstring says `Pure`, or that of a package which it lies in: then all below it is."""
    doors = [folder / "__init__.py" for folder in path.parents if folder.is_relative_to(ROOT / "sulla")]
    return any(_PURE.match(file.read_text()) is not None for file in (path, *doors) if file.is_file())


def module_name(path: Path) -> str:
    """``sulla/graph/walk.py`` to ``sulla.graph.walk``; a package's door to the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def syntax(path: Path) -> ast.Module:
    """The syntax tree of a file of ours. That of a file of `sulla/` is kept, of which many tests ask for each."""
    product = ROOT / "sulla"
    return _trees(product)[path] if path.is_relative_to(product) else ast.parse(path.read_text(), str(path))


def nodes(path: Path) -> Nodes:
    """Everything in the syntax tree of a file of ours; to find it anew takes as long as to parse it."""
    product = ROOT / "sulla"
    return _nodes(product)[path] if path.is_relative_to(product) else parsed(path.read_text())


def parsed(text: str) -> Nodes:
    """Everything in the syntax tree of a text."""
    return tuple(ast.walk(ast.parse(text)))


@cache
def _trees(folder: Path) -> dict[Path, ast.Module]:
    """Those of all files below a folder. They stay, so nobody looks for garbage in them: that takes longer than to make
    them, and a second or two of every later test that has garbage looked for.
    """
    with _staying():
        return {path: ast.parse(path.read_text(), str(path)) for path in python_files(str(folder))}


@cache
def _nodes(folder: Path) -> dict[Path, Nodes]:
    trees = _trees(folder)
    with _staying():
        return {path: tuple(ast.walk(tree)) for path, tree in trees.items()}


@contextmanager
def _staying() -> Iterator[None]:
    """What is made meanwhile is not looked through for garbage, now or later."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def imported(found: Nodes) -> Iterator[str]:
    """Every module and name that is imported anywhere in a file, dotted."""
    for node in found:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def used(found: Nodes) -> Iterator[tuple[str, ast.AST]]:
    """Every dotted name that stands for something imported, however it was renamed, and where it stands."""
    meaning: dict[str, str] = {}
    for node in found:
        if isinstance(node, ast.Import):
            for alias in node.names:
                top = alias.name.split(".")[0]
                meaning[alias.asname or top] = alias.name if alias.asname else top
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            meaning |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in found:
        dotted: list[str] = []
        inner: ast.AST = node
        while isinstance(inner, ast.Attribute):
            dotted.insert(0, inner.attr)
            inner = inner.value
        if isinstance(inner, ast.Name) and inner.id in meaning and isinstance(inner.ctx, ast.Load):
            yield ".".join((meaning[inner.id], *dotted)), node


def awaits(found: Nodes) -> bool:
    """Whether anything waits. A promise (an ``async def`` without a body) does not."""
    return any(
        isinstance(node, ast.Await | ast.AsyncFor | ast.AsyncWith)
        or (isinstance(node, ast.comprehension) and node.is_async)
        for node in found
    )


def touched(found: Nodes) -> set[str]:
    """What keeps a file from being pure: what it imports, also in functions and for types, and that it waits."""
    return {name.split(".")[0] for name in imported(found)} & FORBIDDEN | ({"await"} if awaits(found) else set())
