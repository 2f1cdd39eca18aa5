"""What a capability of a package cannot be is refused by name at the start; what fails in it ends nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contributing.test_walk import Sulla, made
from tests.contributing.walk import installed
from tests.kits.in_turn import in_turn

pytestmark = in_turn(3)


def changed(tmp_path: Path, file: str, old: str, new: str) -> Sulla:
    """With the package of the walk, in which one text was changed."""
    site = tmp_path / "site"
    site.mkdir()
    path = installed(site) / "counted_apart" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return made(tmp_path, site)


UP = "up --port 0"
STATE = '"counted_apart.state:COUNTS"'


@pytest.mark.parametrize(
    ("file", "old", "new", "words", "said"),
    [
        ("rpc.py", '"counter.add"', '"thread.list"', UP, "both have the method 'thread.list'"),
        ("rpc.py", "/threads/{thread_id}/counts", "/threads", UP, "both have the REST path 'POST /threads'"),
        ("rpc.py", 'Methods(\n    "counter"', 'Methods(\n    "skills"', UP, "the group of methods 'skills'"),
        ("state.py", '"COUNTED"', '"THREAD_CREATED"', UP, "THREAD_CREATED has an owner already"),
        ("metrics.py", "sulla_counter_counted", "sulla_turns", UP, "two figures are called 'sulla_turns'"),
        ("checks.py", 'Check("counter"', 'Check("store"', "doctor", "both have the check 'store'"),
        ("checks.py", 'CHECKS = (Check("counter", counter),)', "CHECKS = (7,)", "doctor", "holds 7, expected a Check"),
        ("capability.py", '{"count"', '{"ask"', "--help", "both have the command 'ask'"),
        (
            "capability.py",
            '("counted_apart.state:COUNTS",)',
            '"counted_apart.state:COUNTS"',
            "--help",
            "expected a tuple",
        ),
        (
            "capability.py",
            "CAPABILITY = ",
            "1 / 0\nCAPABILITY = ",
            "--help",
            "package 'counted-apart' cannot be loaded",
        ),
        ("settings.py", "step: Count = 1", "step: Count", UP, "of the capability 'counter' has no default for 'step'"),
        (
            "build.py",
            "counts = Counts(host)",
            "raise RuntimeError('boom')",
            UP,
            "'counter' cannot be built: RuntimeError",
        ),
    ],
)
def test_it_is_refused_and_the_error_says_whose_it_is(
    file: str, old: str, new: str, words: str, said: str, tmp_path: Path
) -> None:
    code, told = changed(tmp_path, file, old, new).tried(*words.split())
    assert (code, said in told, "Traceback" in told) == (7, True, False), told


_FAILING = """
    async def status() -> JsonObject:
        raise RuntimeError("no idea")

    def trouble() -> str:
        raise RuntimeError("no idea either")

    return Built(status=status, troubles={"counter": trouble}, """


def test_who_cannot_say_how_it_is_keeps_nobody_from_talking(tmp_path: Path) -> None:
    sulla = changed(tmp_path, "build.py", "    return Built(", _FAILING)
    build = tmp_path / "site" / "counted_apart" / "build.py"
    text = build.read_text().replace(
        "from counted_apart.rpc", "from sulla.core.jsontypes import JsonObject\nfrom counted_apart.rpc"
    )
    build.write_text(text)
    with sulla.up():
        assert "offline" in sulla.run("ask", "hello")
        status = sulla.run("status", "--json")
    assert "failed: RuntimeError: no idea" in status
    assert "it cannot be said what is wrong: RuntimeError: no idea either" in status
