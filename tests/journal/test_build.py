"""What the settings make of the journal."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.core.redact import Redactor
from sulla.daemon import load_settings
from sulla.journal.build import journal_status, make_journal
from sulla.store.memory import MemoryStore
from sulla.testing.provider import ScriptedProvider
from sulla.testing.world import World
from sulla.threads import LogFollower


def _make(home: Path, **settings: str) -> LogFollower | None:
    environ = {f"SULLA_JOURNAL__{name.upper()}": value for name, value in settings.items()}
    store = MemoryStore(World(None, ScriptedProvider()).clock, str)  # type: ignore[arg-type]  # for its clock alone
    world = World(store, ScriptedProvider())
    return make_journal(load_settings(environ, {}, home), world.threads, store, world.clock, Redactor(), {})


def test_the_journal_lies_in_the_home_and_is_written_unless_it_is_switched_off(tmp_path: Path) -> None:
    journal = _make(tmp_path)
    status = journal_status(journal, tmp_path)
    assert (status["journal"], status["journal_folder"]) == ("behind", str(tmp_path / "journal"))
    assert journal_status(_make(tmp_path, enabled="false"), tmp_path) == {"journal": "off"}


def test_a_training_log_without_a_journal_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="so set both to true, or both to false"):
        _make(tmp_path, enabled="false", training="true")


@pytest.mark.parametrize(
    ("name", "value"), [("file_bytes", "1"), ("keep_files", "0"), ("training_outcomes", "done,perfect")]
)
def test_what_cannot_be_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"SULLA_JOURNAL__{name.upper()}: journal.{name}"):
        _make(tmp_path, **{name: value})
