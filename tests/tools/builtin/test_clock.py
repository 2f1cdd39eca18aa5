from __future__ import annotations

from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.words import ours
from sulla.testing.clock import ManualClock
from sulla.tools import zones
from sulla.tools.base import Done
from sulla.tools.builtin import clock as module
from sulla.tools.builtin.clock import clock_tools
from sulla.tools.registry import Toolbox
from tests.tools.contexts import context_in, use

SUMMER = ManualClock(1_783_000_000.0)  # 2026-07-02 13:46:40 UTC


@pytest.mark.parametrize(
    ("zone", "said"),
    [
        ("UTC", "Thursday 2026-07-02 13:46:40 UTC+00:00 (UTC)"),
        ("utc", "Thursday 2026-07-02 13:46:40 UTC+00:00 (utc)"),
        ("Europe/Berlin", "Thursday 2026-07-02 15:46:40 UTC+02:00 (Europe/Berlin)"),
        ("Asia/Kolkata", "Thursday 2026-07-02 19:16:40 UTC+05:30 (Asia/Kolkata)"),
        ("Pacific/Auckland", "Friday 2026-07-03 01:46:40 UTC+12:00 (Pacific/Auckland)"),
        ("America/St_Johns", "Thursday 2026-07-02 11:16:40 UTC-02:30 (America/St_Johns)"),
    ],
)
async def test_it_tells_the_time_of_a_zone_by_the_clock_it_is_given(tmp_path: Path, zone: str, said: str) -> None:
    result = await use("get_time_date", tmp_path, SUMMER, timezone=zone)
    assert result.words == ours(said)


async def test_winter_time_is_told_from_summer_time(tmp_path: Path) -> None:
    winter = ManualClock(1_768_000_000.0)
    result = await use("get_time_date", tmp_path, winter, timezone="Europe/Berlin")
    assert "UTC+01:00" in result.text


async def test_the_owners_zone_is_the_default(tmp_path: Path) -> None:
    tool = Toolbox(clock_tools("Asia/Tokyo")).get("get_time_date")
    assert tool is not None
    assert "Asia/Tokyo" in str(tool.schema)
    result = await tool.run({}, context_in(tmp_path, SUMMER))
    assert isinstance(result, Done)
    assert result.words == ours("Thursday 2026-07-02 22:46:40 UTC+09:00 (Asia/Tokyo)")
    assert result.data == {"at": "2026-07-02T22:46:40+09:00", "weekday": "Thursday", "zone": "Asia/Tokyo"}


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("berlin", "Europe/Berlin"),
        ("Europe/Berln", "Europe/Berlin"),
        ("europe/berlin", "Europe/Berlin"),
        ("New York", "America/New_York"),
        ("US/Tokyo", "Asia/Tokyo"),
        ("Europe", "Europe/"),
        ("zone.tab", "Europe/Berlin"),
        ("../../etc/passwd", None),
        ("/etc/passwd", None),
        ("", None),
        ("x" * 100_000, None),
        ("a\0b", None),
    ],
)
async def test_a_wrong_zone_names_the_nearest(tmp_path: Path, wrong: str, meant: str | None) -> None:
    result = await use("get_time_date", tmp_path, SUMMER, timezone=wrong)
    assert result.is_error
    assert result.text.startswith("there is no time zone")
    assert (meant or "Europe/Berlin") in result.text
    assert len(result.text) < 400


async def test_without_a_time_zone_database_utc_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> set[str]:
        return set()

    def missing(name: str) -> ZoneInfo:
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr(zones, "_known", none)
    monkeypatch.setattr(module, "ZoneInfo", missing)
    assert not (await use("get_time_date", tmp_path, SUMMER, timezone="UTC")).is_error
    result = await use("get_time_date", tmp_path, SUMMER, timezone="Europe/Berlin")
    assert result == Done(
        ours("this machine has no time zone database; only 'UTC' can be used"), is_error=True, refused=True
    )


def test_a_wrong_default_is_refused_when_it_is_made() -> None:
    with pytest.raises(InvalidInput, match="'Europe/Berln'"):
        clock_tools("Europe/Berln")
