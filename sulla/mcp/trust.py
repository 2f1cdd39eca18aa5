"""What a server said of its tools when its owner took it in, so that it cannot say something else later unnoticed.

Whoever names a server in the settings trusts what it offers at that moment. A description is read by models, though,
and a server can change it at any time. So what was offered first is remembered by digest, and a tool that came or
changed since then is shown to no model until the owner says yes. One small file for each server:

```text
{"of": "…", "allowed": {"echo": "…"}, "waiting": [{"name": "send", "description": "…", "schema": {…}, …}]}
```
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Conflict, Refused
from sulla.core.jsontypes import Json
from sulla.mcp.catalog import McpCatalog, McpTool
from sulla.mcp.server import McpServer

DIGEST_CHARS: Final = 12
"""Of the digest of all that waits: it only has to tell what was read from what is there now."""

Stamp = tuple[int, int, int] | None
"""Another one whenever the file is."""


@dataclass(frozen=True, slots=True)
class TrustDecision:
    """Which of the tools that a server offers can be used, and which wait for the owner."""

    catalog: McpCatalog
    held: tuple[str, ...] = ()
    """The tools that wait for the owner."""
    stamp: Stamp = None
    """Of the file that was gone by."""


@dataclass(frozen=True, slots=True)
class TrustRecord:
    """What the owner has allowed one server to offer: the content of its file."""

    of: str
    """Which server it was: its program or address, and the tools that its owner wants of it."""
    allowed: Mapping[str, str] = field(default_factory=dict)
    """The digest of each tool as it was allowed, by the server's own names."""
    waiting: tuple[McpTool, ...] = ()
    """Tools as they are now, which nobody has allowed like that."""

    @property
    def digest(self) -> str:
        """Of all that waits: who says yes says to what."""
        return sha256("".join(tool.digest for tool in self.waiting).encode()).hexdigest()[:DIGEST_CHARS]

    def why(self, tool: McpTool) -> str:
        """What is the matter with a tool that waits."""
        return "changed" if tool.name in self.allowed else "new"


class TrustFiles:
    """Knows what their owner has allowed servers to offer: a small file for each. It lives as long as the daemon.

    Args:
        root: the folder; made when the first server was seen.
    """

    def __init__(self, root: Path) -> None:
        self._root = root

    async def judge(self, server: McpServer, offered: McpCatalog) -> TrustDecision:
        """Which tools can be used, and which wait for the owner; a file that cannot be read allows nothing."""
        return await asyncio.to_thread(self.judge_now, server, offered)

    def judge_now(self, server: McpServer, offered: McpCatalog) -> TrustDecision:
        """The same, where waiting for a disk is no harm."""
        try:
            with self._changing(server.name):
                return self._judge(server, offered)
        except Refused as error:
            return TrustDecision(McpCatalog((), (*offered.notes, error.message)), stamp=self.stamp(server.name))

    def stamp(self, server: str) -> Stamp:
        """Changes once the owner has allowed something; it costs one `stat` of the file."""
        try:
            found = self._file(server).stat()
        except OSError:
            return None  # whoever judges says what is wrong
        return found.st_ino, found.st_size, found.st_mtime_ns

    def read(self, server: str) -> TrustRecord | None:
        """What is known of a server; None if it was never seen.

        Raises:
            Refused: the file is damaged, or not ours to read.
        """
        try:
            return _read(json.loads(self._file(server).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._unusable(server, "read", error) from error

    def trust(self, server: str, digest: str = "") -> TrustRecord:
        """Allow what waits.

        Args:
            server: whose tools.
            digest: of what the owner has read; empty for whatever waits.

        Returns:
            What was known before, with what was allowed just now as what waits.

        Raises:
            Conflict: nothing waits, or something else does than what was read.
            Refused: the file cannot be read or written.
        """
        with self._changing(server):
            kept = self.read(server)
            if kept is None or not kept.waiting:
                raise Conflict(f"nothing of the MCP server {server!r} waits for you")
            if digest not in ("", kept.digest):
                raise Conflict(
                    f"the MCP server {server!r} offers something else by now ({kept.digest}, not {digest[:40]}): "
                    f"read it again with `sulla mcp show {server}`"
                )
            allowed = {**kept.allowed, **{tool.name: tool.digest for tool in kept.waiting}}
            self._write(server, replace(kept, allowed=allowed, waiting=()))
            return kept

    # -------------------------------------------------------------------------------------------------------- private

    def _judge(self, server: McpServer, offered: McpCatalog) -> TrustDecision:
        kept, of = self.read(server.name), _of(server)
        if kept is None or kept.of != of:
            # What its owner took in; a server that has nothing to offer yet has not been seen.
            if offered.tools:
                self._write(server.name, TrustRecord(of, {tool.name: tool.digest for tool in offered.tools}))
            return TrustDecision(offered, stamp=self.stamp(server.name))
        held = tuple(tool for tool in offered.tools if kept.allowed.get(tool.name) != tool.digest)
        if held != kept.waiting:
            self._write(server.name, replace(kept, waiting=held))
        usable = tuple(tool for tool in offered.tools if tool not in held)
        return TrustDecision(
            McpCatalog(usable, offered.notes), tuple(tool.name for tool in held), self.stamp(server.name)
        )

    def _file(self, server: str) -> Path:
        return self._root / f"{server}.json"

    @contextmanager
    def _changing(self, server: str) -> Iterator[None]:
        """The daemon and a command that do this at once both get their way."""
        try:
            self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
            handle = os.open(self._root / f"{server}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            with os.fdopen(handle) as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)  # held for one small write
                yield
        except OSError as error:
            raise self._unusable(server, "written", error) from error

    def _write(self, server: str, kept: TrustRecord) -> None:
        draft = self._file(server).with_suffix(".new")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(asdict(kept), file)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(self._file(server))

    def _unusable(self, server: str, what: str, error: Exception) -> Refused:
        said = error.strerror if isinstance(error, OSError) else "it is damaged"
        return Refused(
            f"{self._file(server)} cannot be {what} ({said}): mend it, or remove it to trust what the server offers "
            "then; until then none of its tools are used"
        )


def _of(server: McpServer) -> str:
    """Whose owner changes one of these has taken in another server."""
    text = json.dumps([server.command, server.args, server.url, server.tools])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _read(found: Json) -> TrustRecord:
    match found:
        case {"of": str(of), "allowed": dict(allowed), "waiting": list(waiting)}:
            return TrustRecord(
                of, {name: str(digest) for name, digest in allowed.items()}, tuple(map(_offered, waiting))
            )
    raise ValueError


def _offered(found: Json) -> McpTool:
    match found:
        case {
            "name": str(name),
            "description": str(description),
            "schema": dict(schema),
            "read_only": bool(read_only),
            "idempotent": bool(idempotent),
        }:
            return McpTool(name, description, schema, read_only, idempotent)
    raise ValueError
