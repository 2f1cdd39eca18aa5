"""Commands inside the test's own process: quick, because everything is imported already."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass

import pytest

from sulla.cli.main import main


@dataclass(slots=True)
class Typed:
    """What came of a command."""

    code: int
    out: str
    err: str


def typed(capsys: pytest.CaptureFixture[str], *words: str, given: bytes = b"") -> Typed:
    """Run a command.

    Args:
        capsys: catches what it prints.
        words: the command line.
        given: its standard input.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        try:
            code = main(list(words))
        except SystemExit as end:
            code = int(end.code or 0)
    said = capsys.readouterr()
    return Typed(code, said.out, said.err)
