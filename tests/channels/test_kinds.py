"""A kind of channel that an installed package brings by its entry point, as docs/channels.md says."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr

from sulla.channels.kinds import KINDS, kinds
from sulla.channels.opened import kind_of, making
from sulla.channels.settings import AccountSettings
from sulla.core.errors import SettingsError
from sulla.testing.clock import ManualClock

BROUGHT = """
from pydantic import BaseModel, ConfigDict
from sulla.channels.kinds import ChannelKind

class Options(BaseModel):
    model_config = ConfigDict(extra="forbid")
    room: str = "hall"

class Pigeons:
    def __init__(self, wanted):
        self.wanted = wanted

def make(wanted):
    return Pigeons(wanted)

KIND = ChannelKind("{name}", "Pigeons", "{module}:make", "{module}:Options", {{"ring": "the number of the ring"}})
LISTED = ChannelKind("{name}", "Pigeons", "{module}:make", "{module}:Options", ("ring",))
"""


def installed(folder: Path, module: str, name: str = "pigeons", what: str = "KIND") -> Path:
    """A package as an installer leaves it."""
    (folder / f"{module}.py").write_text(BROUGHT.format(name=name, module=module))
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[sulla.channels]\n{name} = {module}:{what}\n")
    return folder


def test_it_is_one_of_the_kinds_and_made_of_what_the_settings_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(installed(tmp_path, "pigeons_apart"))
    known = kinds()
    assert set(known) == {"pigeons", *(one.name for one in KINDS)}
    assert "pigeons" not in kinds(installed=False)
    said = AccountSettings(name="loft", kind="pigeons", options={"room": "roof"}, secrets={"ring": SecretStr("7")})
    wanted = vars(making(said, kind_of(said, known), ManualClock())())["wanted"]
    assert (wanted.name, wanted.options.room, dict(wanted.secrets)) == ("loft", "roof", {"ring": "7"})
    with pytest.raises(SettingsError, match="the number of the ring"):
        making(AccountSettings(name="loft", kind="pigeons"), known["pigeons"], ManualClock())
    with pytest.raises(SettingsError, match=r"options\.colour"):
        making(said.model_copy(update={"options": {"colour": "grey"}}), known["pigeons"], ManualClock())


def test_what_is_no_kind_or_one_twice_is_refused_with_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, (name, what, said) in enumerate(
        (
            ("pigeons", "make", "is no ChannelKind but function"),
            ("pigeons", "GONE", "cannot be loaded"),
            ("pigeons", "LISTED", "are mappings"),
            ("telegram", "KIND", "two kinds of channels named 'telegram'"),
        )
    ):
        folder = tmp_path / str(number)
        folder.mkdir()
        with monkeypatch.context() as patch:
            patch.syspath_prepend(installed(folder, f"wrong_pigeons_{number}", name, what))
            with pytest.raises(SettingsError, match=said):
                kinds()
