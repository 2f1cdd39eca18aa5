from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import psutil
import pytest

from sulla.core.errors import Refused
from sulla.host.system import SystemClock
from sulla.testing.clock import ManualClock
from sulla.tools.builtin import markdown as module
from sulla.tools.builtin.converter import MAX_OUT_BYTES
from sulla.tools.builtin.markdown import TIME_S, html_to_markdown

BASE = "https://example.org/a/"


def converter(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str) -> None:
    script = tmp_path / "converter.py"
    script.write_text(code)
    monkeypatch.setattr(module, "CONVERTER", script)


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]


async def test_html_becomes_markdown() -> None:
    assert await html_to_markdown("<h1>x</h1><a href='b'>y</a>", BASE, SystemClock()) == (
        "# x\n\n[y](https://example.org/a/b)\n"
    )


async def test_the_daemon_itself_never_loads_the_parser() -> None:
    await html_to_markdown("<p>x</p>", BASE, SystemClock())
    program = "import sys, sulla.daemon.build; print('html_to_markdown' in sys.modules)"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert out.strip() == b"False"


async def test_a_parser_that_never_ends_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    converter(monkeypatch, tmp_path, "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: pass\n")
    before = set(children())
    clock = ManualClock()
    making = asyncio.ensure_future(html_to_markdown("<p>x</p>", BASE, clock))
    while not clock.sleepers:
        await asyncio.sleep(0)
    await clock.advance(TIME_S)
    with pytest.raises(Refused, match="could not be made readable within 15 s"):
        await making
    psutil.wait_procs(set(children()) - before, timeout=30)
    assert set(children()) == before


@pytest.mark.parametrize("code", ["import os\nos.abort()\n", "raise SystemExit(3)\n", "import no_such_library\n"])
async def test_a_parser_that_falls_over_is_an_error_and_no_more(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: str
) -> None:
    converter(monkeypatch, tmp_path, code)
    with pytest.raises(Refused, match="the converter ended with status"):
        await html_to_markdown("<p>x</p>" * 100_000, BASE, SystemClock())


async def test_links_that_grow_do_not_fill_the_memory() -> None:
    base = f"https://example.org/{'a' * 4000}/"
    text = await html_to_markdown("<a href='b'>y</a> " * 60_000, base, SystemClock())
    assert len(text.encode()) <= MAX_OUT_BYTES
    assert len(text) > MAX_OUT_BYTES // 2
