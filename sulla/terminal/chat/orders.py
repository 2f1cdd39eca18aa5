"""The commands of a talk, all of which begin with a stroke: what they are, how they are read and completed. Pure."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Final, Literal

from sulla.core.dataclass import dataclass

Kind = Literal["thread", "model", "agent", "mode", "question", "changes", "command", "stop", ""]
"""What an argument names; empty for words of a person's own."""

Mode = Literal["queue", "steer", "interrupt"]
MODES: Final[tuple[Mode, ...]] = ("queue", "steer", "interrupt")
"""What a message does to a turn that is going on (docs/inside/protocol.md, `turn.send`)."""

DECISIONS: Final = ("keep", "drop")
"""What is decided on changes of commands."""

MODE_MEANS: Final[dict[Mode, str]] = {
    "queue": "waits for its own turn",
    "steer": "joins the turn that is going on, at its next tool call",
    "interrupt": "ends the turn that is going on, and comes behind what waits already",
}


@dataclass(frozen=True, slots=True)
class OrderForm:
    """One command, as a row of the table."""

    name: str
    argument: str
    """How its argument is called in the help; empty if it takes none."""
    names: Kind
    """What the argument is completed from."""
    needed: bool
    """Whether it does nothing without its argument."""
    help: str


ORDERS: Final = (
    OrderForm("new", "", "", False, "begin a new conversation"),
    OrderForm("threads", "[ID or WORDS]", "thread", False, "list conversations, or go on in one"),
    OrderForm("model", "[NAME]", "model", False, "the models there are, or have the agent answer whose model it is"),
    OrderForm("agent", "[ID]", "agent", False, "list agents, or have another one answer from now on"),
    OrderForm("mode", "[queue|steer|interrupt]", "mode", False, "what a message does to an answer that comes"),
    OrderForm("stop", "[all]", "stop", False, "end the answer that comes; messages that wait are held, or all dropped"),
    OrderForm("steer", "TEXT", "", True, "say something to the answer that comes, at its next tool call"),
    OrderForm("quote", "[TEXT]", "", False, "pass a text on with the next message, as somebody else's"),
    OrderForm("approvals", "[NUMBER]", "question", False, "list what agents ask, in all conversations, or answer one"),
    OrderForm("changes", "[[keep|drop] ID]", "changes", False, "what commands changed and waits for a yes"),
    OrderForm("cost", "", "", False, "what this talk and this day have used"),
    OrderForm("help", "[COMMAND]", "command", False, "what there is"),
    OrderForm("exit", "", "", False, "leave; what is going on goes on"),
)  # fmt: skip
"""Every command, in the order of `/help`."""

_FORMS: Final = {form.name: form for form in ORDERS}
_ALIASES: Final = {"quit": "exit", "thread": "threads", "approval": "approvals"}
_BARE: Final = {"exit", "quit"}
"""What leaves without a stroke, too: nobody says that to an agent."""
_FORM: Final = re.compile(r"/([A-Za-z][A-Za-z_-]*)(?:\s+(.*))?", re.DOTALL)

KEYS: Final = (
    ("Enter", "send"),
    ("Alt-Enter, Ctrl-J", "a new line"),
    ("Up, Down, Ctrl-R", "what was said before, and a search in it (Enter sends what is found, Right takes it)"),
    ("Tab", "complete a command or what it names"),
    ("Ctrl-Q", "mark the last paste as quoted: somebody else's words; again takes it back"),
    ("Ctrl-C", "stop the answer; clear the line; leave"),
    ("Ctrl-D", "leave"),
)
"""What keys do, for `/help`."""


@dataclass(frozen=True, slots=True)
class Message:
    """What is said to the agent."""

    text: str


@dataclass(frozen=True, slots=True)
class Order:
    """What is said to the terminal."""

    name: str
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Misread:
    """A command that is none; nothing is sent."""

    why: str


def read_line(line: str) -> Message | Order | Misread:
    """What somebody means with a line.

    Args:
        line: as it was typed or pasted. A path is no command; `//` at the beginning stands for a message that begins
            with `/`.
    """
    said = line.strip()
    if said in _BARE:
        return Order("exit")
    if said.startswith("//"):
        return Message(said[1:])
    found = _FORM.fullmatch(said)
    if found is None:
        return Message(line)
    word, argument = found[1].lower(), (found[2] or "").strip()
    form = _FORMS.get(_ALIASES.get(word, word))
    if form is None:
        near = difflib.get_close_matches(word, [*_FORMS, *_ALIASES], 1)
        meant = f"did you mean /{_ALIASES.get(near[0], near[0])}? " if near else ""
        return Misread(f"there is no command /{word}: {meant}/help lists them, and //{word} sends it as a message")
    if argument and form.name == "stop" and argument != "all":
        return Misread("/stop takes nothing behind it but all, which drops messages that wait, too")
    if argument and not form.argument:
        return Misread(f"/{form.name} takes nothing behind it: //{form.name} … sends it as a message")
    if form.needed and not argument:
        return Misread(f"/{form.name} wants something behind it: /{form.name} {form.argument}")
    return Order(form.name, argument)


@dataclass(frozen=True, slots=True)
class Known:
    """What arguments can name: pairs of a name and what it is."""

    agents: tuple[tuple[str, str], ...] = ()
    models: tuple[tuple[str, str], ...] = ()
    threads: tuple[tuple[str, str], ...] = ()
    questions: tuple[tuple[str, str], ...] = ()
    changes: tuple[tuple[str, str], ...] = ()
    looked_at: frozenset[str] = frozenset()
    """The changes that the person was shown."""

    @property
    def first(self) -> str:
        """The home's own agent; empty while nobody has asked."""
        return self.agents[0][0] if self.agents else ""

    def of(self, kind: Kind) -> tuple[tuple[str, str], ...]:
        """The names of one kind."""
        match kind:
            case "agent":
                return self.agents
            case "model":
                return self.models
            case "thread":
                return self.threads
            case "question":
                return self.questions
            case "changes":
                deciding = ((f"{word} {name}", about) for word in DECISIONS for name, about in self.changes)
                return (*self.changes, *deciding)
            case "mode":
                return tuple((mode, MODE_MEANS[mode]) for mode in MODES)
            case "stop":
                return (("all", "drop messages that wait, too"),)
            case "command":
                return tuple((form.name, form.help) for form in ORDERS)
            case _:
                return ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One way to go on."""

    text: str
    back: int
    """How many characters before the cursor it takes the place of."""
    about: str


def completions(before: str, known: Known) -> Iterator[Completion]:
    """How a line can go on.

    Args:
        before: the line up to the cursor.
        known: what can be named.
    """
    if not before.startswith("/") or "\n" in before:
        return
    word, blank, argument = before[1:].partition(" ")
    if not blank:
        for form in ORDERS:
            if form.name.startswith(word.lower()):
                yield Completion(f"/{form.name}" + (" " if form.argument else ""), len(before), form.help)
        return
    chosen = _FORMS.get(_ALIASES.get(word, word))
    for name, about in known.of(chosen.names) if chosen is not None else ():
        if name.startswith(argument):
            yield Completion(name, len(argument), about)


def help_rows(about: str = "") -> list[tuple[str, str]]:
    """What `/help` shows: names, and what they do; none if there is no such command.

    Args:
        about: a command's name, with or without its stroke; empty for all there is.
    """
    chosen = [form for form in ORDERS if about.removeprefix("/") in ("", form.name)]
    return [*((f"/{form.name} {form.argument}".rstrip(), form.help) for form in chosen), *(() if about else KEYS)]
