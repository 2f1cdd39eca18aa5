"""What the doctor says of how channels do."""

from __future__ import annotations

from sulla.channels.checks import judge_channels
from sulla.core.jsontypes import Json

SINCE = "2027-01-15T08:00:00.000Z"


def _row(channel: str, at: str | None = None, state: str = "well") -> Json:
    last: Json = at and {"at": at, "place": "5001", "called": "Ann", "why": "the bot was blocked"}
    return {"channel": channel, "state": state, "why": "", "last_given_up": last}


def test_a_message_that_was_given_up_lately_is_told_with_its_reason() -> None:
    old, fresh = _row("old", "2027-01-15T07:59:59.000Z"), _row("fresh", "2027-01-15T08:00:01.000Z")
    (found,) = judge_channels([_row("well"), old, fresh, {"channel": "of a version before", "state": "well"}], SINCE)
    assert found.result == "warning"
    assert found.found == (
        "fresh: a message for Ann (5001) was given up at 2027-01-15T08:00:01.000Z: the bot was blocked"
    )


def test_one_that_does_not_work_is_told() -> None:
    assert [one.found for one in judge_channels([_row("tg", state="refused")], SINCE)] == ["tg: "]
