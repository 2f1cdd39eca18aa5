"""`sulla flow lsp` says what it lacks."""

from __future__ import annotations

import argparse
import sys

import pytest

from sulla.core.errors import NotAvailable
from sulla.playbooks.cli.edit import serve


def test_without_the_library_it_says_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sulla.playbooks.editor.server", raising=False)
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    with pytest.raises(NotAvailable, match=r"pip install 'sulla-agent\[lsp\]'"):
        serve(argparse.Namespace())
