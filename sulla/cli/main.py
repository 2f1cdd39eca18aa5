"""The command tree. Commands are imported when they are chosen, so that `--help` and `--version` are quick."""

from __future__ import annotations

import errno
import gc
import importlib
import io
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sulla.capabilities import capabilities
from sulla.cli import late
from sulla.core.errors import SullaError, leaf
from sulla.host.capability import Command, refuse_twice
from sulla.terminal.exits import Exit
from sulla.terminal.output import let_go, tell

if TYPE_CHECKING:
    import argparse

    from sulla.cli.grammar import Whole
    from sulla.host.settings import HomeSettings

OWN = {
    "ask": Command(
        "sulla.cli.ask",
        "ask one question and print the answer",
        "talk",
        (
            'sulla ask "what is in notes.txt?"',
            'git diff | sulla ask "review this"',
            'sulla ask --last "and in the other file?"',
        ),
    ),
    "chat": Command(
        "sulla.cli.chat",
        "talk; Ctrl-C stops the answer, at the prompt it leaves",
        "talk",
        ("sulla chat", "sulla chat --last", "sulla chat --agent reader"),
    ),
    "thread": Command(
        "sulla.cli.thread.commands",
        "list, find, show, name, delete, export and import threads",
        "talk",
        (
            "sulla thread list",
            "sulla thread search invoice march",
            "sulla thread show thr_9b2d",
            "sulla thread rename thr_9b2d The garden",
            "sulla thread delete thr_9b2d",
            "sulla thread export --all --out threads",
            "sulla thread import threads/thr_9b2d.jsonl",
        ),
    ),
    "approvals": Command(
        "sulla.cli.approvals.commands",
        "list and answer what agents ask before they act",
        "talk",
        (
            "sulla approvals",
            "sulla approvals answer 3f9a approve",
            'sulla approvals answer 3f9a reject --text "not on Fridays"',
            "sulla approvals show 3f9a",
            "sulla approvals rules",
        ),
    ),
    "status": Command("sulla.cli.status", "say how the daemon is", "see", ("sulla status",)),
    "logs": Command(
        "sulla.cli.logs",
        "print what the daemon wrote down about its work",
        "see",
        ("sulla logs -f", "sulla logs --level warning --since 1d"),
    ),
    "prompt": Command(
        "sulla.cli.prompt",
        "show what a model is told before a conversation",
        "see",
        ("sulla prompt show", "sulla prompt show --agent reader"),
    ),
    "init": Command(
        "sulla.cli.init",
        "make a home: settings, a token, a workspace",
        "setup",
        ("sulla init", "sulla init --yes --model ollama:llama3 --workspace ~/notes"),
    ),
    "token": Command(
        "sulla.cli.token.commands",
        "print the owner's token; make, list and revoke others",
        "setup",
        (
            "sulla token",
            "sulla token create phone --scope read --scope write",
            "sulla token list",
            "sulla token revoke phone",
        ),
    ),
    "service": Command(
        "sulla.cli.service.commands",
        "have systemd or launchd start the daemon",
        "setup",
        ("sulla service install", "sulla service logs -f"),
    ),
    "completion": Command(
        "sulla.cli.completion",
        "print what makes a shell complete sulla's words",
        "setup",
        ("sulla completion bash",),
    ),
    "up": Command(
        "sulla.cli.up",
        "start the daemon and serve until it is told to stop",
        "care",
        ("sulla up", "sulla up --home ~/second --port 8200"),
    ),
    "stop": Command("sulla.cli.stop", "stop the daemon, and wait until it has ended", "care", ("sulla stop",)),
    "reload": Command(
        "sulla.cli.reload", "have the daemon take up changed settings and agents", "care", ("sulla reload",)
    ),
    "pause": Command(
        "sulla.cli.pause",
        "stop all work at once, until it is resumed",
        "care",
        ('sulla pause --reason "it orders pizza"',),
    ),
    "resume": Command("sulla.cli.resume", "have work that was paused go on where it was", "care", ("sulla resume",)),
    "doctor": Command(
        "sulla.cli.doctor",
        "look for what is wrong, and say what to do",
        "care",
        ("sulla doctor", "sulla doctor --compact"),
    ),
    "self-check": Command(
        "sulla.cli.self_check", "see whether what was installed is whole and works", "care", ("sulla self-check",)
    ),
}
"""The commands that are no capability's."""


def commands(*, installed: bool = True) -> dict[str, Command]:
    """Every command, in the order of `--help`; the module of each has `arguments` and `run`.

    Args:
        installed: whether to look for those that other packages bring, too.

    Raises:
        SettingsError: a capability cannot be used.
    """
    from sulla.cli.grammar import GROUPS, group_of

    brought = [(name, some) for some in capabilities(installed=installed) for name in some.commands]
    own = ((name, "Sulla itself") for name in OWN)
    refuse_twice("command", (*own, *((name, f"the capability {some.name!r}") for name, some in brought)))
    every = OWN | {name: some.commands[name] for name, some in brought}
    places = list(GROUPS)
    return dict(sorted(every.items(), key=lambda one: places.index(group_of(one[1]))))


def parser(known: Mapping[str, Command]) -> Whole:
    """The command line's grammar.

    Args:
        known: every command.
    """
    from sulla.cli.grammar import Whole

    return Whole(known, module_of, {"settings": _settings, "offline": _offline})


def main(argv: list[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: the words after the program's name; None for the process's own.

    Returns:
        The exit code.
    """
    if sys.platform == "win32":
        return _say(
            "Windows lacks the locks and signals that Sulla needs: run it in WSL (`wsl --install`)", Exit.FAILED
        )
    _accept_any_bytes()
    at_once = False
    try:
        try:
            code, at_once = _run(sys.argv[1:] if argv is None else argv, alone=argv is None)
        finally:
            sys.stdout.flush()  # here, where a failure can be told; to print nothing would fail on a closed terminal
    except (SullaError, KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        code = _failed(error)
    try:
        sys.stderr.flush()
    except OSError:
        let_go(sys.stderr)
    if at_once:
        os._exit(code)
    return code


def _run(words: list[str], *, alone: bool) -> tuple[int, bool]:
    """The exit code of a command, and whether the process may end at once: `sulla ask` leaves nothing to be done at
    its end, and to take apart all that was imported takes a tenth of its processor time.
    """
    with _seldom_collected(for_a_daemon="up" in words):
        late.for_all()
        known = _meant(words)
        arguments = parser(known).parse_args(words)
        chosen = known[arguments.command]
        command = module_of(chosen)
        if alone:
            # What was imported stays: nobody need look at it again, nor once when garbage is looked for as ever.
            gc.freeze()
    return int(command.run(arguments)), alone and chosen is OWN["ask"]


def _meant(words: list[str]) -> dict[str, Command]:
    """The commands that these words may mean: no manifest is read where the first one says which command it is."""
    if words and words[0] in OWN:
        return OWN
    known = commands(installed=False)
    if known.keys().isdisjoint(words) and words[:1] != ["--version"]:
        known = commands()  # a package's, a wrong one, or the help for all of them
    return known


def _failed(raised: BaseException) -> int:
    """The exit code for what a command has raised, which is said in one line.

    Raises:
        BaseException: it is none of what commands may raise.
    """
    match error := leaf(raised):
        case SullaError():
            from sulla.terminal.program import hint, told

            said = hint if error.code == "settings_invalid" else told  # it names methods as what they are
            return _say(said(error.message), _EXITS.get(error.code, Exit.REFUSED))
        case KeyboardInterrupt():
            return int(Exit.INTERRUPTED)
        case BrokenPipeError():
            let_go(sys.stdout)
            return int(Exit.PIPE)
        case OSError(errno=errno.ENOSPC | errno.EDQUOT | errno.EIO | errno.EFBIG):  # a terminal that is gone is EIO
            let_go(sys.stdout)
            where = error.filename or "the output"
            return _say(f"{where} cannot be written: {error.strerror}", Exit.FAILED)
    raise raised


def _say(line: str, code: Exit) -> int:
    try:
        tell(f"sulla: {line}")
    except OSError:
        let_go(sys.stderr)  # nobody can be told; the exit code says it
    return int(code)


@contextmanager
def _seldom_collected(*, for_a_daemon: bool) -> Iterator[None]:
    """While modules are imported, garbage is looked for among what is new alone: nearly all that they make stays, and
    looking through all of it time and again takes a tenth of a start. Never to look would cost a daemon 18 MiB, which
    classes with slots leave behind when they are made; other commands have few of them and are over soon.

    Args:
        for_a_daemon: whether all that a daemon has is imported.
    """
    before = gc.get_threshold()
    gc.set_threshold(2000 if for_a_daemon else 100_000, 1000, 1000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


_EXITS = {
    "unavailable": Exit.UNREACHABLE,
    "settings_invalid": Exit.SETTINGS,
    "home_in_use": Exit.SETTINGS,
    "port_in_use": Exit.SETTINGS,
    "store_unavailable": Exit.SETTINGS,
    "store_replaced": Exit.SETTINGS,
}


def _accept_any_bytes() -> None:
    """Bytes that are no characters, or characters that the terminal does not have, must not break a command off."""
    for stream, errors in ((sys.stdin, "surrogateescape"), (sys.stdout, "backslashreplace")):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=errors)


def _settings(given: argparse.Namespace) -> HomeSettings:
    from sulla.cli.settings import settings_of

    return settings_of(given)


def _offline(given: argparse.Namespace) -> object:
    from sulla.cli.offline import OfflineHome

    return OfflineHome(given)


def module_of(command: Command):  # type: ignore[no-untyped-def]  # one that has `arguments` and `run`
    """The module of a command.

    Args:
        command: it.

    Returns:
        The module, imported; what it seldom needs is loaded when it is used.
    """
    if command is OWN["up"]:
        late.for_a_daemon()
    else:
        late.for_a_client()
    if command in (OWN["ask"], OWN["chat"]):
        late.without_openssl()
    return importlib.import_module(command.module)
