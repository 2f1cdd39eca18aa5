"""A daemon asked for everything that `sulla doctor` looks at."""

from __future__ import annotations

import json
from pathlib import Path

from sulla.terminal.client import open_client
from sulla.terminal.place import door
from tests.daemon.running import Place


async def test_it_says_what_the_command_says(tmp_path: Path) -> None:
    place = Place(tmp_path / "home", SULLA_MODEL="offline")
    with place.up():
        place.home.chmod(0o755)
        async with open_client(door(place.home)) as owner:
            told = await owner.call("system.check", everything=True)
            assert "checks" not in await owner.call("system.check")
        shown = json.loads(place.run("doctor", "--json")[1])
    rows = [(row["check"], row["result"]) for row in told["checks"]]
    assert rows == [(row["check"], row["result"]) for row in shown["checks"]]
    assert ("home", "warning") in rows
    (home,) = (row for row in told["checks"] if row["check"] == "home")
    assert home == next(row for row in shown["checks"] if row["check"] == "home")
    assert home["remedy"].startswith("chmod 700")
