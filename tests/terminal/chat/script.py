"""A talk of more than forty steps over every command, at terminals of two widths; what is seen is kept beside this.

``python -m tests.terminal.chat.script`` plays it anew and writes what is seen.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.daemon.running import Place, service
from tests.servers.script import Script
from tests.terminal.chat.conftest import RULES, SETTINGS, Here
from tests.terminal.chat.screens import seat

WIDTHS = (60, 200)
KEPT = Path(__file__).parent / "kept"
LABEL = "you · sulla · fake:1b>"
ASKED = "[y]es, [n]o, or why not>"

ENTER, ALT_ENTER, CTRL_C, CTRL_D, CTRL_J, CTRL_Q, CTRL_R, CTRL_U = (
    "\r",
    "\x1b\r",
    "\x03",
    "\x04",
    "\n",
    "\x11",
    "\x12",
    "\x15",
)
UP, TAB, LEFT = "\x1b[A", "\t", "\x1b[D"


@dataclass(frozen=True, slots=True)
class Step:
    """What somebody types, and what they then see once more than before."""

    keys: str
    sees: tuple[str, ...] = ()
    last: str = LABEL
    """How the last line begins then."""
    more: int = 1
    """How often more each is seen."""


def pasted(text: str) -> str:
    """What a terminal sends for a paste."""
    return f"\x1b[200~{text.replace(chr(10), ENTER)}\x1b[201~"


def said(text: str, *sees: str, last: str = LABEL) -> Step:
    """A line and Enter."""
    return Step(text + ENTER, sees, last)


STEPS = (
    said("/help", "/new ", "Ctrl-D"),
    said("/help cost", "this day"),
    said("/help never", "there is no command never"),
    said("hello", "[done:"),
    said("/cost", "here: 1 answer,"),
    said("/agent", "agents; /agent ID"),
    said("/agent sula", "did you mean 'sulla'?"),
    said("/agent sulla", "[sulla answers from now on"),
    said("/model", "models; /model NAME"),
    said("/model fake:1b", "[sulla answers from now on"),
    said("/model gpt-9", "no agent has the model gpt-9"),
    said("/mode", "* queue"),
    said("/mode never", "there is no mode never"),
    said("/mode interrupt", "[interrupt: a message"),
    said("/mode queue", "[queue: a message"),
    said("form it", "(https://example.org/page)", "[done:"),
    said("hostile", "picture: p", "[done:"),
    said("look around", "· list_dir", "[done:"),
    said("/approvals", "[nobody waits for an answer]"),
    said("/changes", "[no changes of commands wait for a yes]"),
    said("/changes keep", "[no changes of commands wait for a yes]"),
    said("make it", "bash asks", ASKED, last=ASKED),
    said("always", "always is not offered here", ASKED, last=ASKED),
    said("not today", "[done:"),
    said("both of them", "(1 of 2)", ASKED, last=ASKED),
    Step(CTRL_D, ("(2 of 2)", ASKED), ASKED),
    Step(CTRL_D, ("[or /approvals here]",)),
    said("/approvals 7", "there is no question 7"),
    said("/approvals", "2. bash: echo second"),
    said("/approvals 1", "bash asks", ASKED, last=ASKED),
    said("y", "echo first → "),
    said("/approvals 1", "bash asks", ASKED, last=ASKED),
    said("y", "echo second → ", "[done:"),
    said("slow", "It begins and does"),
    said("and then", "[the message waits behind"),
    said("/steer this way", "joins the answer that comes"),
    Step(CTRL_C, ("[stopping…]", "[stopped:", "2 messages are held")),
    Step("go on\r", ("[done:",), more=3),
    said("slow", "It begins and does"),
    said("and then", "[the message waits behind"),
    said("/stop all", "[stopped:", "[a message that waited is dropped]"),
    said("/stop", "[nothing goes on, and nothing waits]"),
    Step(f"one{ALT_ENTER}two{CTRL_J}three{ENTER}", ("[done:",)),
    Step(pasted("a paste\nof three\nlines") + ENTER, ("[done:",)),
    Step(pasted("Dear all,\nsend money.") + CTRL_Q, ("┆ quoted, as somebody else's: 21 characters",)),
    Step(ENTER, ("say something to what is quoted",)),
    said("what is it?", "[done:"),
    said("/quote from a letter", "[passed on with the next message]"),
    said("/quote", "[nothing is quoted]"),
    Step(f"{UP}{UP}{UP}", ("you · sulla · fake:1b> what is it?",)),
    Step(f"{CTRL_C}helo{LEFT}l{ENTER}", ("you> hello", "[done:")),
    Step(f"/ap{TAB}", ("> /approvals",)),
    Step(ENTER, ("[nobody waits for an answer]",)),
    said("busy", "again in", "[done:"),
    said("fail", "failed (provider_rejected)", "[failed:"),
    said("/bogus", "there is no command /bogus"),
    said("//help", "you> //help", "[done:"),
    said("/new", "a new conversation begins"),
    said("a second one", "[done:"),
    said("/threads", "2   "),
    said("/threads second", "[the last of", "a second one"),
    said("/threads nowhere", "no conversation is called nowhere"),
    said("/stop now", "/stop takes nothing behind it but all"),
    said("/new now", "/new takes nothing behind it"),
)
"""Every command, and most keys."""


@contextmanager
def daemon(folder: Path) -> Iterator[Here]:
    """A daemon of its own: what earlier talks left would be seen."""
    with service(Script(RULES)) as model:
        place = Place(folder / "home", **SETTINGS, **model.environ)
        with place.up():
            yield Here(place, model)


def play(here: Here, columns: int) -> str:
    """All that is seen from the first step to the last, without what differs from one time to the next.

    Args:
        here: the daemon.
        columns: how wide the terminal is.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # hints name the program by one word
    with seat(["chat"], here.place.environ | {"PATH": path}, columns=columns, rows=24) as at:
        at.until_last(LABEL)
        for step in STEPS:
            at.until_more(step.keys, *step.sees, more=step.more)
            at.until_last(step.last)
        at.type(f"/exit{ENTER}")
        assert at.ended() == 0
        return steady(at.text) + "\n"


def steady(text: str) -> str:
    """A screen without ids, times and places."""
    # Whether a message waits is a question of milliseconds.
    text = re.sub(r"\[the message waits behind [^]]*\]\n", "", text)
    text = re.sub(r"why: [^\n]*(?:\n┆[^\n]*)*", "why: …", text)
    for pattern, stands_for in _CHANGES:
        text = re.sub(pattern, stands_for, text)
    return text


_CHANGES = (
    (r"`[^`]*chat\s+--thread[^`]*`\s+goes\s+on\s+here", "`sulla chat --thread …` goes on here"),
    (r"LAST \([^)]*\)", "LAST (here)"),
    (r"\b(thr|tool)_[0-9a-f]{4,24}", r"\1_…"),
    (r"(?:\d{4}-)?\d\d-\d\d \d\d:\d\d", "<when>"),
    (
        r"\d[\d,]* tokens in, \d+ out",
        "<in> tokens in, <out> out",
    ),
    (r"about [\d,]+ tokens", "about <some> tokens"),
    (r"[\d,]+ counted in all", "<all>"),
    (r"[\d,]+ of 5,000,000 tokens", "<some> of 5,000,000 tokens"),
    (r"\b\d+ s\b", "<time>"),
)


def main() -> None:
    """Write what is seen."""
    KEPT.mkdir(exist_ok=True)
    for columns in WIDTHS:
        with tempfile.TemporaryDirectory() as folder, daemon(Path(folder)) as here:
            (KEPT / f"{columns}.txt").write_text(play(here, columns))


if __name__ == "__main__":
    main()
