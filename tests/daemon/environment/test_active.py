"""People see who is at work, in a real process, also after it was killed in the middle of that."""

from __future__ import annotations

import json
import signal
from pathlib import Path

from tests.daemon.running import Place, service
from tests.servers.script import Reply, Rule, Script

WHOLE = "What comes first, and what comes later. <AGENT_DONE>said</AGENT_DONE>"
SCRIPT = Script([Rule(Reply(WHOLE, hold="half", hold_after=1))])


def at_work(place: Place) -> list[str]:
    """What `sulla status` says of it."""
    return [line.strip() for line in place.run("status")[1].splitlines() if "at work" in line]


def test_status_says_who_is_at_work_and_forgets_who_is_dead(tmp_path: Path) -> None:
    with service(SCRIPT) as model:
        place = Place(tmp_path / "home", **model.environ)
        with place.up() as daemon:
            assert at_work(place) == []
            with place.begin("ask", "a question") as asking:
                asking.until("What")
                (line,) = at_work(place)
                assert line.startswith("at work: sulla in thr_")
                daemon.ended(signal.SIGKILL)
                with place.up():
                    model.release("half")
                    asking.until("later")
                    assert asking.ended() == 0
                    assert at_work(place) == []
                    assert json.loads(place.run("status", "--json")[1])["active"] == []
