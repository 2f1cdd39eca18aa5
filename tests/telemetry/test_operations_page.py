"""docs/operations.md explains every figure, with its labels, and every trouble."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

from sulla.daemon.crew import look_after_crew

from sulla.core.redact import Redactor
from sulla.daemon.agents import Team
from sulla.daemon.health import Health, look_after
from sulla.daemon.instruments import Door, Instruments, console
from sulla.daemon.standstill import obey
from sulla.speech.build import look_after_speech
from sulla.telemetry import StallWatch, Stream, new_tally
from sulla.testing.clock import ManualClock
from sulla.work import Inspection, Switch
from tests.house.source import ROOT

PAGE = (ROOT / "docs" / "operations.md").read_text()


def _explained() -> dict[str, tuple[str, ...]]:
    rows = re.findall(r"^\| `(sulla_\w+)` \|([^|]*)\|", PAGE, re.MULTILINE)
    return {name: tuple(re.findall(r"`(\w+)`", labels)) for name, labels in rows}


def _measured() -> dict[str, tuple[str, ...]]:
    clock, tally = ManualClock(), new_tally()
    stall = StallWatch(clock, lambda late_s: None)
    parts = Instruments(tally, Stream(clock, []), stall, Health(clock, Redactor()), Door(tally), lambda: None)
    reading = console(parts, lambda: Inspection((), (), ()), None).metrics_of.read()
    return {
        **{f"{gauge.name}_total" if gauge.rises else gauge.name: gauge.labels for gauge in reading.gauges},
        **{f"{counter.name}_total": counter.labels for counter, _ in reading.counts},
        **{histogram.name: histogram.labels for histogram, _ in reading.spreads},
    }


def test_every_figure_is_explained_and_no_other_one() -> None:
    assert _explained() == _measured()


def test_the_rules_speak_of_figures_that_there_are() -> None:
    named = {re.sub(r"_bucket$", "", name) for name in re.findall(r"\b(sulla_[a-z_]+)\b", PAGE.partition("groups:")[2])}
    assert named <= set(_measured()) | {"sulla_turn_first_text_seconds"}
    assert len(named) >= 5


def test_every_trouble_is_explained() -> None:
    health = Health(ManualClock(), Redactor())
    anything = cast(Any, None)
    look_after(health, anything, anything, anything, anything, anything)
    look_after_crew(health, Team(()), anything, anything)
    look_after_speech(health, cast(Any, SimpleNamespace(trouble=None)))
    obey(Switch(anything, ManualClock()), anything, anything, health)
    known = {what: blocks for what, _, blocks in health._looks} | {"log": False, "loop_stalled": False}
    rows = re.findall(r"^\| `(\w+)` \| (yes|no) \|", PAGE, re.MULTILINE)
    assert {what: blocks == "yes" for what, blocks in rows} == known
