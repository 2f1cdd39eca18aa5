"""`sulla chat`."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterator

from sulla.core.errors import Refused
from sulla.host.system import SystemClock
from sulla.terminal.attend import run_turn
from sulla.terminal.chat.lines import LineNote, LineTalk
from sulla.terminal.exits import Exit
from sulla.terminal.given import thread_of
from sulla.terminal.keyboard import MessageReader
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import hint, told
from sulla.terminal.turn import Asking, fault_in


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    which = command.add_mutually_exclusive_group()
    which.add_argument("--thread", metavar="ID", help="go on in this thread instead of a new one")
    which.add_argument(
        "--last", "--continue", action="store_true", dest="last", help="go on in the thread that was talked in last"
    )
    command.add_argument("--agent", metavar="ID", help="ask this agent instead of the thread's own")
    command.add_argument("--json", action="store_true", help="print every event as a line of JSON, and no prompt")
    command.add_argument(
        "--voice-sim", metavar="FILE", help="play recorded speech instead, and the answer as if spoken"
    )
    command.add_argument("--speed", type=_speed, metavar="N", help="play it so many times as fast (with --voice-sim)")


def run(given: argparse.Namespace) -> Exit:
    """Talk until end of input. A script, whose lines are piped in, learns how the last one ended."""
    if given.voice_sim is not None:
        from sulla.speech.cli.simulation import simulate

        return simulate(given)
    if given.speed is not None:
        given.wrong("--speed goes with --voice-sim FILE")
    home, clock = home_of(given), SystemClock()
    door(home)  # fail before the first prompt, not after it
    thread_id = thread_of(given, home)
    by_hand = sys.stdin.isatty() and not given.json
    if by_hand and sys.stdout.isatty():
        from sulla.terminal.chat.talk import Talk

        with asyncio.Runner() as talking:
            return talking.run(Talk(home, clock, given.agent or "").run(thread_id or ""))
    if by_hand:
        tell("Ctrl-C stops an answer; Ctrl-D, or Ctrl-C at the prompt, leaves.")
    ended, talk = Exit.OK, LineTalk(thread_id, given.agent)
    with asyncio.Runner() as runner:
        for line in _lines(_reading(runner, by_hand=by_hand), by_hand=by_hand):
            said = talk.take(line)
            if isinstance(said, LineNote) or (fault := fault_in(said.text)):
                note = said if isinstance(said, LineNote) else LineNote(f"not sent: {fault}", wrong=True)
                ended = Exit.USAGE if note.wrong else ended
                tell(hint(note.text), end="\n" if note.text else "")
                if talk.over:
                    break
                continue
            asking = Asking(home, talk.thread_id, said, clock, as_json=given.json, by_hand=by_hand)
            asking.seen = talk.seen
            ended = _answer(asking, clock, runner)
            talk.thread_id, talk.seen = asking.thread_id, asking.seen
            if asking.waits.asked or (not by_hand and ended in (Exit.CANCELLED, Exit.INTERRUPTED)):
                break  # what is asked was left open, and whatever is said next would wait behind it
    if not by_hand:
        return ended
    tell(hint(f"\n`sulla chat --thread {talk.thread_id}` goes on here.") if talk.thread_id else "")
    return Exit.OK


def _answer(asking: Asking, clock: SystemClock, runner: asyncio.Runner) -> Exit:
    try:
        return run_turn(asking, clock, runner)
    except Refused as error:
        tell(f"refused: {told(error.message)}")
        return Exit.REFUSED


def _reading(runner: asyncio.Runner, *, by_hand: bool) -> Callable[[], str]:
    """How a line is read: by the line editor where there is a terminal that can show it."""
    if by_hand and sys.stderr.isatty():
        reader = MessageReader()
        return lambda: runner.run(reader.read("you> "))
    return lambda: input("you> " if by_hand else "")


def _lines(read: Callable[[], str], *, by_hand: bool) -> Iterator[str]:
    """What is said, without what is empty, until the end of input or, at the prompt, Ctrl-C."""
    while True:
        try:
            text = read()
        except EOFError:
            return
        except KeyboardInterrupt:
            if by_hand:
                return
            raise
        if text.strip():
            yield text


def _speed(word: str) -> float:
    try:
        found = float(word)
    except ValueError:
        found = 0.0
    if not 0.1 <= found <= 100:
        raise argparse.ArgumentTypeError(f"expected a number from 0.1 to 100, found {word!r}")
    return found
