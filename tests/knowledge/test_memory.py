"""Ten megabytes of files (in the gate: two) are read in bounded memory, also when they change."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.source import ROOT
from tests.knowledge.shelves import put

WORDS, FILE_BYTES = 20_000, 501_000
MIB = 1024 * 1024

PROGRAM = """
import asyncio, json, resource, sys
from pathlib import Path
from tests.knowledge.shelves import put, shelf_of

def most_bytes():
    # What Linux says of a process by getrusage is never less than what the one had that began it.
    if sys.platform == "linux":
        lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return int(lines["VmHWM"].split()[0]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

async def main(home, changed):
    shelf, before = shelf_of(home), most_bytes()
    sections = (await shelf.read()).sections
    read = most_bytes()
    for number in range(3):
        put(home, f"{number}.md", changed)
        await shelf.read()
    print(json.dumps([sections, read - before, most_bytes() - read]))

asyncio.run(main(Path(sys.argv[1]), sys.stdin.read()))
"""


def text_of(seed: int) -> str:
    """Words as often as in a language: few of them stand everywhere, most hardly anywhere."""
    draw = random.Random(seed)
    lines, length = list[str](), 0
    while length < FILE_BYTES:
        words = " ".join(f"w{int(draw.paretovariate(0.6)) % WORDS}" for _ in range(90))
        lines.append(f"## Heading {len(lines)}\n\n{words}\n\n")
        length += len(lines[-1])
    return "".join(lines)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("files", "least_sections", "read_mib", "more_mib"),
    [(4, 3_000, 25, 15), pytest.param(20, 15_000, 60, 30, marks=pytest.mark.faults)],
)
def test_megabytes_are_read_in_bounded_memory(
    tmp_path: Path, files: int, least_sections: int, read_mib: int, more_mib: int
) -> None:
    size = sum(put(tmp_path, f"{number}.md", text_of(number)).stat().st_size for number in range(files))
    assert size > files * 500_000
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    run = subprocess.run(command, cwd=ROOT, input=text_of(99), capture_output=True, text=True, check=True)
    sections, read, more = json.loads(run.stdout)
    assert sections > least_sections
    assert 0 < read < read_mib * MIB
    assert more < more_mib * MIB
