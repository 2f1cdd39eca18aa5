"""What is said of a time zone that there is not."""

from __future__ import annotations

import pytest

from sulla.tools.zones import no_zone


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("Berlin", "Europe/Berlin"),
        ("tokyo", "Asia/Tokyo"),
        ("new york", "America/New_York"),
        ("Europe/Brlin", "Europe/Berlin"),
    ],
)
def test_a_city_is_said_to_be_in_its_zone(name: str, meant: str) -> None:
    assert no_zone(name).message.startswith(f"there is no time zone {name!r}. The nearest: {meant}")


def test_what_is_like_none_is_told_how_one_is_written() -> None:
    assert no_zone("\u2603").message == "there is no time zone '\u2603'. Use an IANA name such as 'Europe/Berlin'."
