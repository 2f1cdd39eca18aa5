"""`sulla ask`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace

from sulla.core.errors import TooLarge
from sulla.core.jsontypes import JsonObject
from sulla.host.system import SystemClock
from sulla.terminal.attend import run_turn
from sulla.terminal.exits import Exit
from sulla.terminal.given import piped_text, thread_of
from sulla.terminal.output import tell
from sulla.terminal.place import home_of
from sulla.terminal.questions import somebody_is_there
from sulla.terminal.turn import Asking, Said, fault_in, too_long


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("text", nargs="*", metavar="TEXT", help="the question; - stands for what is piped in")
    which = command.add_mutually_exclusive_group()
    which.add_argument("--thread", metavar="ID", help="go on in this thread instead of a new one")
    which.add_argument(
        "--last", "--continue", action="store_true", dest="last",
        help="go on in the thread that was talked in last; without TEXT, print its last answer again",
    )  # fmt: skip
    command.add_argument("--agent", metavar="ID", help="ask this agent instead of the thread's own")
    command.add_argument(
        "--mode", metavar="MODE", help="walk the turn by a flow: simple, multi (step by step) or fibre (with helpers)"
    )
    command.add_argument("--flow", metavar="NAME", help="walk it by this flow of the home")
    for flag, text in (
        ("--deep-thinking", "have the request thought through first"),
        ("--plan", "have a plan made first"),
        ("--suggest", "have it suggested what might be asked next"),
    ):
        command.add_argument(flag, action="store_true", help=f"{text} (with --mode, or a flow that looks at it)")
    command.add_argument("--json", action="store_true", help="print every event as a line of JSON")


def run(given: argparse.Namespace) -> Exit:
    """Ask and print."""
    home, clock = home_of(given), SystemClock()
    thread_id = thread_of(given, home)
    said = _said(given)
    if thread_id is not None and not said.text and not said.quoted and given.last:
        from sulla.terminal.again import print_last_answer

        return asyncio.run(print_last_answer(home, thread_id, as_json=given.json))
    if fault := fault_in(said.text) or (fault_in(said.quoted) if said.quoted else ""):
        if not fault_in(" ".join(given.text) or "-") and (said.text or said.quoted).strip():
            tell(f"sulla: standard input: {fault}")  # how the command is used was not what was wrong
            return Exit.USAGE
        given.wrong(fault)
    if why := too_long(said.text) or too_long(said.quoted):
        raise TooLarge(why)
    by_hand = somebody_is_there()
    display = None
    if sys.stdout.isatty() and not given.json:
        from sulla.terminal.chat.live import LiveDisplay

        display = LiveDisplay(clock, questions=not by_hand)
    asking = Asking(home, thread_id, said, clock, as_json=given.json, by_hand=by_hand, display=display)
    with asyncio.Runner() as runner:
        return run_turn(asking, clock, runner)


def _said(given: argparse.Namespace) -> Said:
    """The question, with what is piped in: in the place of a `-`, else passed on as somebody else's."""
    words: list[str] = given.text
    if "-" in words:
        piped = sys.stdin.read()
        at = words.index("-")
        parts = [" ".join(words[:at]), piped, " ".join(word for word in words[at + 1 :] if word != "-")]
        text = "\n\n".join(part for part in parts if part) if len(words) > 1 else piped
        return Said(text, agent=given.agent, flow=_flow(given))
    piped = piped_text(given)
    said = Said(" ".join(words), piped, given.agent) if words else Said(piped, agent=given.agent)
    return replace(said, flow=_flow(given))


def _flow(given: argparse.Namespace) -> JsonObject | None:
    """By which flow the turn is to be walked; None for as its agent says."""
    said: JsonObject = {
        "agent_mode": given.mode,
        "flow": given.flow,
        "deep_thinking": given.deep_thinking or None,
        "plan": given.plan or None,
        "more_suggest": given.suggest or None,
    }
    return {key: value for key, value in said.items() if value is not None} or None
