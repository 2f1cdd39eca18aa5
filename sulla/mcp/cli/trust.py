"""`sulla mcp show` and `sulla mcp trust`. No daemon has to run; one that does sees the yes at once."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Final

from sulla.core.errors import NotFound
from sulla.mcp.build import servers_of, trust_of
from sulla.mcp.trust import TrustFiles, TrustRecord
from sulla.terminal.exits import Exit
from sulla.terminal.place import settings_of
from sulla.terminal.program import program
from sulla.terminal.table import harmless, one_line
from sulla.tools.nearest import did_you_mean


def _show(given: argparse.Namespace) -> Exit:
    kept = _book(given).read(given.name) or TrustRecord("")
    if given.json:
        print(json.dumps(_row(given.name, kept)))
        return Exit.OK
    for line in _words(kept):
        print(line)
    if kept.waiting:
        print(f"\nallow this, and nothing that comes later:  {program()} mcp trust {given.name} {kept.digest}")
    else:
        names = ", ".join(one_line(name) for name in sorted(kept.allowed))
        print(f"{given.name}: {f'nothing waits; allowed as they are: {names}' if kept.of else 'it was never seen'}")
    return Exit.OK


def _trust(given: argparse.Namespace) -> Exit:
    kept = _book(given).trust(given.name, given.digest or "")
    if given.json:
        print(json.dumps({**_row(given.name, kept), "trusted": True}))
        return Exit.OK
    for line in _words(kept):
        print(line)
    print(f"\n{given.name}: allowed as they are now: {', '.join(one_line(tool.name) for tool in kept.waiting)}")
    return Exit.OK


def _book(given: argparse.Namespace) -> TrustFiles:
    settings = settings_of(given)
    known = [server.name for server in servers_of(settings)]
    if given.name not in known:
        raise NotFound(
            f"there is no MCP server {given.name[:100]!r} in the settings.{did_you_mean(given.name, known)} "
            f"Known: {', '.join(known) or 'none'}"
        )
    return trust_of(settings)


def _row(name: str, kept: TrustRecord) -> dict[str, object]:
    waiting = [{**asdict(tool), "why": kept.why(tool)} for tool in kept.waiting]
    return {"name": name, "allowed": sorted(kept.allowed), "waiting": waiting, "digest": kept.digest}


def _words(kept: TrustRecord) -> Iterator[str]:
    """What a model would read of each tool that waits."""
    for tool in kept.waiting:
        yield f"{one_line(tool.name)}  ({kept.why(tool)})"
        yield from (f"  {line}" for line in harmless(tool.description).splitlines())
        yield f"  {one_line(json.dumps(tool.schema, ensure_ascii=False))}"


DOES: Final[dict[str, Callable[[argparse.Namespace], Exit]]] = {"show": _show, "trust": _trust}
"""What each command does."""
