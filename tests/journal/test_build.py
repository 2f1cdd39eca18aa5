"""What the settings make of the journal."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.core.jsontypes import JsonObject
from sulla.daemon.core import offline_core
from sulla.daemon.settings.config import load_settings
from sulla.host.host import Built
from sulla.journal.build import build
from sulla.testing.clock import ManualClock
from sulla.threads.log.records import ThreadCreated
from tests.journal.desk import until


def _make(home: Path, **settings: str) -> Built:
    environ = {f"SULLA_JOURNAL__{name.upper()}": value for name, value in settings.items()}
    return build(offline_core(load_settings(environ, {}, home), ManualClock()).host)


async def _status(built: Built) -> JsonObject:
    assert built.status is not None
    return await built.status()


async def test_the_journal_lies_in_the_home_and_is_written_unless_it_is_switched_off(tmp_path: Path) -> None:
    status = await _status(_make(tmp_path))
    assert (status["journal"], status["journal_folder"]) == ("behind", str(tmp_path / "journal"))
    assert await _status(_make(tmp_path, enabled="false")) == {"journal": "off"}


async def test_a_journal_that_cannot_be_written_is_a_trouble_until_it_can(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text("in the way")
    clock = ManualClock()
    host = offline_core(load_settings({}, {}, tmp_path), clock).host
    built = build(host)
    follower, trouble = built.followers["journal"], built.troubles["journal"]
    await host.store.open()
    await host.threads.create(ThreadCreated("sulla"))
    assert trouble() == ""
    following = asyncio.create_task(follower.run())
    await until(lambda: trouble() != "", clock)
    assert trouble().startswith("the journal cannot be written: ")
    (tmp_path / "journal").unlink()
    await until(lambda: trouble() == "", clock)
    await follower.stop(1.0)
    await following
    await host.store.close()


def test_a_training_log_without_a_journal_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="so set both to true, or both to false"):
        _make(tmp_path, enabled="false", training="true")


@pytest.mark.parametrize(
    ("name", "value"), [("file_bytes", "1"), ("keep_files", "0"), ("training_outcomes", "done,perfect")]
)
def test_what_cannot_be_is_refused(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(SettingsError, match=f"SULLA_JOURNAL__{name.upper()}: journal.{name}"):
        _make(tmp_path, **{name: value})
