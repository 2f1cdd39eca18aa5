"""The console's bench: it runs to its end, and nothing that it promises is left out."""

from __future__ import annotations

import pytest
import yaml

from bench.console import Sizes, barred, playbook, run
from bench.frame import Frame
from tests.console.pages.opened import needs_console

SMALL = Sizes(messages=20, steps=12, beats=4, warm=1, tries=1, turns_of_the_wheel=3, streams_s=1)


@needs_console
@pytest.mark.faults
def test_every_figure_of_the_console_is_there_at_the_end() -> None:
    rows = {row.name: row for row in run(Frame(rounds=1), SMALL)}
    assert [name for name, row in rows.items() if row.bar is not None] == [
        "first view, over the wire",
        "first view, until its heading",
        "a conversation of 51 events opens",
        "longest task while it is scrolled",
        "a graph of 12 steps is there",
        "longest task while a note is typed in its text",
        "longest task while a step is typed in its text",
        "4 streams of 50 tokens a second",
        "4 beats, growth of the heap",
    ]
    assert rows["turns that the page has shown"].value == 5
    assert rows["first view, over the wire"].value > 1
    assert rows["4 streams of 50 tokens a second"].value > 0


def test_a_figure_above_its_bar_is_told_as_missed() -> None:
    assert (barred("opens", 1000.0, "ms", 1000.0).ok, barred("opens", 1000.5, "ms", 1000.0).ok) == (True, False)


def test_the_long_playbook_has_as_many_steps_as_it_is_measured_for() -> None:
    steps = yaml.safe_load(playbook(30))["steps"]
    assert [step["id"] for step in steps] == [f"step_{number}" for number in range(30)]
    assert [step["needs"] for step in steps if "needs" in step] == [
        ["step_8", "step_4"],
        ["step_18", "step_14"],
        ["step_28", "step_24"],
    ]
