"""What the files of deploy/ set is what can be set: an unknown name would stop the start."""

from __future__ import annotations

import re

from sulla.daemon.settings.config import settings_model
from sulla.daemon.settings.sources import SHORT_NAMES, variable
from sulla.host.home import HOME
from sulla.host.section import Section
from tests.house.source import ROOT

NOT_SET = {"SULLA_NAME"}
"""Read by compose itself."""


def _known() -> set[str]:
    sections = {name: field.annotation for name, field in settings_model().model_fields.items()}
    return {
        variable(section, key)
        for section, kind in sections.items()
        if isinstance(kind, type) and issubclass(kind, Section)
        for key in kind.model_fields
    }


def test_every_variable_that_is_set_is_a_setting() -> None:
    files = [path for path in (ROOT / "deploy").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    set_ = {name for path in files for name in re.findall(r"\bSULLA_[A-Z_]+\b", path.read_text())}
    assert "SULLA_GATEWAY__HOST" in set_
    assert set_ - _known() - SHORT_NAMES.keys() - {HOME} - NOT_SET == set()
