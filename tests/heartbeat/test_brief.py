from __future__ import annotations

from datetime import UTC, datetime

from sulla.core.words import NO_WORDS, ours
from sulla.heartbeat.beats import BeatState
from sulla.heartbeat.brief import CycleContext, PeopleContext, briefing

NOW = datetime(2027, 1, 15, 8, 0, tzinfo=UTC)


def told(around: PeopleContext) -> dict[str, str]:
    """The sections of a briefing, by their titles."""
    said = briefing(BeatState(), CycleContext(NOW, "UTC", NO_WORDS, around=around)).text
    return dict(part.split("\n", 1) for part in said.removeprefix("## ").split("\n\n## ") if "\n" in part)


def test_who_is_about_and_what_they_have_not_answered_is_told() -> None:
    found = told(
        PeopleContext(
            ours("- Your owner was last active 3 min ago, on desktop; there now (desktop)"),
            (ours("first"), ours("second")),
        )
    )
    assert found["People"] == "- Your owner was last active 3 min ago, on desktop; there now (desktop)"
    assert found["Asked and not answered"] == "- first\n- second"
    assert "Do not ask again what was asked already and not answered" in found["Rules"]


def test_where_nothing_is_known_or_open_nothing_is_said() -> None:
    assert not {"People", "Asked and not answered"} & told(PeopleContext()).keys()


def test_playbooks_that_may_be_started_are_told_and_nothing_where_there_are_none() -> None:
    said = briefing(
        BeatState(), CycleContext(NOW, "UTC", NO_WORDS, playbooks=ours("- rounds: Looks after the plants."))
    ).text
    assert "\n\n## Playbooks\nStart one with run_playbook" in said
    assert "\n- rounds: Looks after the plants.\n\n" in said
    assert "## Playbooks" not in briefing(BeatState(), CycleContext(NOW, "UTC", NO_WORDS)).text
