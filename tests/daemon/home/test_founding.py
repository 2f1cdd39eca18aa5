"""Making a home: what is missing is made, what is there stays."""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.daemon.home.founding import Founded, found_home

Found = Callable[..., Founded]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home that does not exist yet."""
    return tmp_path / "below" / "home"


@pytest.fixture
def found(home: Path) -> Found:
    def found(settings: str | None, *, replace: bool = False) -> Founded:
        return found_home(home, settings, home / "workspace", lambda: "secret", replace=replace)

    return found


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _names(home: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in home.iterdir() if path.is_file()}


def test_everything_is_made_and_for_the_owner_alone(home: Path, found: Found) -> None:
    founded = found("[gateway]\n")
    assert {path.name for path in founded.made} == {
        "token", "sulla.toml", "sulla.schema.json", "workspace", "reader", "planner", "workflows",
    }  # fmt: skip
    assert (founded.kept, founded.backup) == ((), None)
    assert _mode(home) == 0o700
    assert {_mode(home / name) for name in ("token", "sulla.toml", "sulla.schema.json")} == {0o600}
    assert (home / "sulla.toml").read_text() == "[gateway]\n"
    assert (home / "token").read_text() == "secret\n"
    assert (home / "workspace").is_dir()


def test_a_second_time_changes_nothing(home: Path, found: Found) -> None:
    found("[gateway]\n")
    before = _names(home)
    again = found(None)
    assert again.made == ()
    assert {path.name for path in again.kept} == {"token", "sulla.toml", "sulla.schema.json", "workspace"}
    assert _names(home) == before


def test_the_example_is_made_once_and_never_brought_back(home: Path, found: Found) -> None:
    found("[gateway]\n")
    example = home / "agents" / "reader"
    assert sorted(path.name for path in example.iterdir()) == ["agent.toml", "directives.md", "soul.md"]
    shutil.rmtree(example)
    assert found(None).made == ()
    assert not example.exists()


def test_the_playbooks_are_brought_once_with_their_tests_and_never_brought_back(home: Path, found: Found) -> None:
    found("[gateway]\n")
    playbook = home / "workflows" / "lead-triage.yaml"
    assert playbook.is_file()
    assert playbook.with_name("lead-triage.test.yaml").is_file()
    assert (_mode(playbook.parent), _mode(playbook)) == (0o700, 0o600)
    playbook.unlink()
    assert found(None).made == ()
    assert not playbook.exists()


def test_only_what_is_missing_is_made(home: Path, found: Found) -> None:
    home.mkdir(parents=True)
    (home / "token").write_text("mine\n")
    (home / "workspace").mkdir()
    made = {path.name for path in found("").made}
    assert made == {"sulla.toml", "sulla.schema.json", "reader", "planner", "workflows"}
    assert (home / "token").read_text() == "mine\n"


def test_settings_that_came_in_between_are_not_written_over(home: Path, found: Found) -> None:
    home.mkdir(parents=True)
    (home / "sulla.toml").write_text("# somebody else's\n")
    assert home / "sulla.toml" in found("[gateway]\n").kept
    assert (home / "sulla.toml").read_text() == "# somebody else's\n"


def test_replaced_settings_are_kept_under_the_first_free_number(home: Path, found: Found) -> None:
    found("first\n")
    backups = [found(text, replace=True).backup for text in ("second\n", "third\n")]
    assert backups == [home / "sulla.toml.1", home / "sulla.toml.2"]
    texts = [(home / name).read_text() for name in ("sulla.toml", "sulla.toml.1", "sulla.toml.2")]
    assert texts == ["third\n", "first\n", "second\n"]
    assert _mode(home / "sulla.toml.1") == 0o600


def test_replacing_what_is_not_there_makes_it(home: Path, found: Found) -> None:
    founded = found("new\n", replace=True)
    assert founded.backup is None
    assert (home / "sulla.toml").read_text() == "new\n"


def test_a_schema_of_another_version_is_brought_up_to_date(home: Path, found: Found) -> None:
    found("")
    fresh = (home / "sulla.schema.json").read_text()
    (home / "sulla.schema.json").write_text("{}")
    assert found(None).made == (home / "sulla.schema.json",)
    assert (home / "sulla.schema.json").read_text() == fresh


def test_nothing_is_left_lying_about(home: Path, found: Found) -> None:
    found("first\n")
    found("second\n", replace=True)
    assert set(_names(home)) == {"token", "sulla.toml", "sulla.toml.1", "sulla.schema.json"}


def test_what_cannot_be_made_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "in the way").write_text("")
    with pytest.raises(SettingsError, match=rf"{home / 'in the way' / 'x'} cannot be made: Not a directory"):
        found_home(home, "", home / "in the way" / "x", lambda: "secret")
