from __future__ import annotations

import subprocess
import sys

from sulla.speech.late_detector import LateDetector, english_detector
from sulla.speech.turn_taking.detector import Reading, TurnDetector
from tests.speech.streams import ENGLISH


async def test_it_is_made_once_and_only_when_it_is_needed() -> None:
    made: list[TurnDetector] = []

    def make() -> TurnDetector:
        made.append(ENGLISH)
        return ENGLISH

    late = LateDetector(make)
    assert made == []
    await late.load()
    assert late.read("could you hold the") == ENGLISH.read("could you hold the")
    await late.load()
    assert made == [ENGLISH]


def test_what_is_read_before_it_was_loaded_is_read_all_the_same() -> None:
    assert (
        LateDetector(english_detector).read("hold the door")
        == ENGLISH.read("hold the door")
        != Reading(0.0, "no_words")
    )


def test_a_daemon_loads_no_english_before_somebody_speaks_who_needs_it() -> None:
    parts = "import sulla.speech.build, sulla.daemon.run"
    use = "from sulla.speech.late_detector import english_detector; english_detector()"
    for lines, loaded in ((parts, False), (f"{parts}; {use}", True)):
        code = f"{lines}; import sys; print('sulla.speech.english.vocabulary' in sys.modules)"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert run.stdout.strip() == str(loaded)
