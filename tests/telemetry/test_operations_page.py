"""docs/operations.md explains every figure, with its labels, and every trouble."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sulla.daemon.build import System, build
from sulla.daemon.instruments import console
from sulla.daemon.models.choice import Choice
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.models.catalog import OFFLINE, ModelName
from sulla.testing.clock import ManualClock
from tests.house.source import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()


@pytest.fixture
def system(tmp_path: Path) -> System:
    """A daemon that is built and not started."""
    place = Place(ManualClock(), str, "home:boot", float)
    notify = "[[notify.channels]]\nname = 'desk'\naddress = 'json://127.0.0.1'\n"
    channels = "[[channels.accounts]]\nname = 'tg'\nkind = 'telegram'\nsecrets = { token = '1:a' }\n"
    (tmp_path / "sulla.toml").write_text(notify + channels)
    return build(load_settings({"SULLA_STORE": "memory:"}, {}, tmp_path), Choice(ModelName(OFFLINE), ""), place)


def _explained() -> dict[str, tuple[str, ...]]:
    rows = re.findall(r"^\| `(sulla_\w+)` \|([^|]*)\|", PAGE, re.MULTILINE)
    return {name: tuple(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


def _measured(system: System) -> dict[str, tuple[str, ...]]:
    reading = console(system.core.instruments, system.work.inspect, None, system.built).metrics_of.read()
    return {
        **{f"{gauge.name}_total" if gauge.rises else gauge.name: gauge.labels for gauge in reading.gauges},
        **{f"{counter.name}_total": counter.labels for counter, _ in reading.counts},
        **{histogram.name: histogram.labels for histogram, _ in reading.spreads},
    }


def test_every_figure_is_explained_and_no_other_one(system: System) -> None:
    assert _explained() == _measured(system)


def test_every_trouble_is_explained(system: System) -> None:
    known = {what: blocks for what, _, blocks in system.host.health._looks} | {"log": False}
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \|", PAGE, re.MULTILINE)
    assert {what: blocks == "yes" for what, blocks in rows} == known
