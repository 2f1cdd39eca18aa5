"""Whose clocks count: what the settings say, else the system, else UTC."""

from __future__ import annotations

from pathlib import Path

import pytest

from sulla.core.errors import SettingsError
from sulla.host.zone import HomeZone, home_zone


@pytest.fixture
def system(tmp_path: Path) -> Path:
    (tmp_path / "etc").mkdir()
    return tmp_path


def test_the_settings_come_before_the_environment_and_that_before_the_files(system: Path) -> None:
    (system / "etc" / "timezone").write_text("Asia/Tokyo\n")
    assert home_zone("", {}, system) == HomeZone("Asia/Tokyo", "/etc/timezone")
    (system / "etc" / "localtime").symlink_to("/usr/share/zoneinfo/Europe/Berlin")
    assert home_zone("", {}, system) == HomeZone("Europe/Berlin", "/etc/localtime")
    assert home_zone("", {"TZ": ":America/New_York"}, system) == HomeZone("America/New_York", "TZ")
    assert home_zone("Europe/Rome", {"TZ": "Asia/Tokyo"}, system) == HomeZone("Europe/Rome", "daemon.zone")


def test_what_names_no_zone_is_passed_over(system: Path) -> None:
    (system / "etc" / "localtime").write_bytes(b"TZif2 a copy of the zone's file")
    (system / "etc" / "timezone").write_text("../../etc/passwd")
    assert home_zone("", {"TZ": "CET-1CEST,M3.5.0,M10.5.0/3"}, system) == HomeZone("UTC", "")
    assert home_zone("", {}, system / "nowhere") == HomeZone("UTC", "")


def test_utc_has_one_name(system: Path) -> None:
    (system / "etc" / "localtime").symlink_to("../usr/share/zoneinfo/Etc/UTC")
    assert home_zone("", {}, system) == HomeZone("UTC", "/etc/localtime")
    assert home_zone("utc", {}, system).name == "UTC"


def test_a_wrong_setting_is_refused_and_not_passed_over(system: Path) -> None:
    with pytest.raises(
        SettingsError, match=r"daemon\.zone: there is no time zone 'Berlin'\. The nearest: Europe/Berlin"
    ):
        home_zone("Berlin", {"TZ": "Asia/Tokyo"}, system)
