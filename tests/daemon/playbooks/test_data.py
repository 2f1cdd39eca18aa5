"""Data of a workspace goes through five steps of a real daemon byte for byte, or the run fails and says why."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sulla.terminal.exits import Exit
from tests.daemon.running import Daemon, Place

THROUGH = """
name: through
inputs: {path: string}
outputs: {bytes: "${{ steps.last.result.bytes }}"}
steps:
  - {id: read, tool: read_file, with: {path: "${{ inputs.path }}"}}
  - {id: hold, set: {text: "${{ steps.read.result.text }}"}}
  - {id: write, tool: write_file, with: {path: "to/${{ inputs.path }}", content: "${{ steps.hold.output.text }}"}}
  - {id: again, tool: read_file, with: {path: "to/${{ inputs.path }}"}}
  - {id: last, tool: write_file, with: {path: "end/${{ inputs.path }}", content: "${{ steps.again.result.text }}"}}
"""
WIDE = b"".join(b"%d;%s\r\n" % (number, b'Gr\xc3\xbc\xc3\x9fe,"x"' * 4) for number in range(900))
SMALL = {"wide.csv": WIDE, "rows.csv": b"".join(b"%d,row\n" % number for number in range(3_000))}
"""What once lost rows without a word: lines that are wide, and more than a thousand of them."""
LARGE = {
    "megabyte.csv": b"".join(b"%d,%s\n" % (number, b"c" * 90) for number in range(11_000)),
    "ten_thousand.csv": b"".join(b"%d,row %d\n" % (number, number) for number in range(10_000)),
    "nested.json": json.dumps([{"a": [number, {"b": [None, "\u2028\u0001é"]}]} for number in range(20_000)]).encode(),
    "marked.txt": b"\xef\xbb\xbf\tend without a line break\r",
    "most.txt": b"\xc3\xa9" * 1_900_000,
}
REFUSED = {
    "picture.png": (bytes(range(256)) * 40, "is a binary file"),
    "latin.txt": (b"Gr\xfc\xdfe\n" * 10, "is not text in UTF-8"),
    "huge.csv": (b"0123456789\n" * 500_000, "go on with first_line="),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    made = Place(tmp_path_factory.mktemp("data") / "home", SULLA_MODEL="offline", SULLA_MEMORY__ENABLED="false")
    folder = made.home / "workflows"
    folder.mkdir(parents=True)
    (folder / "through.yaml").write_text(THROUGH)
    workspace(made).mkdir()
    return made


@pytest.fixture(scope="module")
def daemon(place: Place) -> Iterator[Daemon]:
    with place.up() as running:
        yield running


def workspace(place: Place) -> Path:
    return place.home / "workspace"


def went_through(place: Place, name: str, raw: bytes) -> None:
    (workspace(place) / name).write_bytes(raw)
    code, out, err = place.run("flow", "run", "through", "--input", f"path={name}")
    assert code == Exit.OK, err
    assert json.loads(out) == {"bytes": len(raw)}
    assert (workspace(place) / "end" / name).read_bytes() == raw


@pytest.mark.parametrize("name", SMALL)
def test_no_row_is_lost(place: Place, daemon: Daemon, name: str) -> None:
    went_through(place, name, SMALL[name])


def test_what_cannot_be_given_whole_fails_the_run(place: Place, daemon: Daemon) -> None:
    for name, (raw, said) in REFUSED.items():
        (workspace(place) / name).write_bytes(raw)
        code, _, err = place.run("flow", "run", "through", "--input", f"path={name}")
        assert (code, said in err) == (Exit.FAILED, True), err
        assert not (workspace(place) / "to" / name).exists()


@pytest.mark.faults
@pytest.mark.parametrize("name", LARGE)
def test_large_data_goes_through_whole(place: Place, daemon: Daemon, name: str) -> None:
    went_through(place, name, LARGE[name])
