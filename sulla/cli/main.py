"""The command tree. Commands are imported when they are chosen, so that `--help` and `--version` are quick."""

from __future__ import annotations

import argparse
import errno
import gc
import importlib
import io
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sulla import __version__
from sulla.capabilities import capabilities
from sulla.core.errors import SullaError, leaf
from sulla.host.capability import Command, refuse_twice
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home
from sulla.terminal.output import let_go

if TYPE_CHECKING:
    from sulla.host.settings import HomeSettings

FIRST = {
    "init": Command("sulla.cli.init", "make a home: settings, a token, a workspace"),
    "up": Command("sulla.cli.up", "start the daemon and serve until it is told to stop"),
    "stop": Command("sulla.cli.stop", "stop the daemon, and wait until it has ended"),
    "reload": Command("sulla.cli.reload", "have the daemon take up changed settings and agents"),
    "service": Command("sulla.cli.service.commands", "have systemd or launchd start the daemon"),
    "ask": Command("sulla.cli.ask", "ask one question and print the answer"),
    "chat": Command("sulla.cli.chat", "talk; Ctrl-C stops the answer, at the prompt it leaves"),
    "status": Command("sulla.cli.status", "say how the daemon is"),
    "pause": Command("sulla.cli.pause", "stop all work at once, until it is resumed"),
    "resume": Command("sulla.cli.resume", "have work that was paused go on where it was"),
    "logs": Command("sulla.cli.logs", "print what the daemon wrote down about its work"),
    "thread": Command("sulla.cli.thread.commands", "list, show, delete, export and import threads"),
    "approvals": Command("sulla.cli.approvals.commands", "list and answer what agents ask before they act"),
}
"""The commands that are no capability's, and come first in `--help`."""

_MIDDLE = ("beat", "notices", "flow", "speech", "memory", "project", "mcp", "skills", "safety", "schedule")
"""Those of Sulla's own capabilities, in the order of `--help`; those of other packages come behind them."""

LAST = {
    "prompt": Command("sulla.cli.prompt", "show what a model is told before a conversation"),
    "token": Command("sulla.cli.token.commands", "print the owner's token; make, list and revoke others"),
    "doctor": Command("sulla.cli.doctor", "look for what is wrong, and say what to do"),
    "completion": Command("sulla.cli.completion", "print what makes a shell complete sulla's words"),
}
"""Those that come last."""


def commands(*, installed: bool = True) -> dict[str, Command]:
    """Every command, in the order of `--help`; the module of each has `arguments` and `run`.

    Args:
        installed: whether to look for those that other packages bring, too.

    Raises:
        SettingsError: a capability cannot be used.
    """
    all_brought = [(name, some) for some in capabilities(installed=installed) for name in some.commands]
    own = ((name, "Sulla itself") for name in (*FIRST, *LAST))
    refuse_twice("command", (*own, *((name, f"the capability {some.name!r}") for name, some in all_brought)))
    brought = {name: some.commands[name] for name, some in all_brought}
    brought = {name: brought.pop(name) for name in _MIDDLE if name in brought} | brought
    return {**FIRST, **brought, **LAST}


class _Help(argparse.HelpFormatter):
    """Leaves room for the longest command: argparse forgets that commands stand further in than options."""

    def add_argument(self, action: argparse.Action) -> None:
        """Take one more line in."""
        super().add_argument(action)
        if isinstance(action.choices, dict):
            self._action_max_length = max(self._action_max_length, 4 + max(map(len, action.choices)))


class CommandParser(argparse.ArgumentParser):
    """A command's own grammar. It is made, and the command's module imported, when its words are read."""

    def __init__(self, *, chosen: Command, **named: Any) -> None:  # noqa: ANN401 - argparse's, for later
        self._chosen, self._named = chosen, named

    def fill(self) -> None:
        """Make the grammar."""
        text = self._chosen.help
        super().__init__(**self._named, description=text[0].upper() + text[1:] + ".")
        self.set_defaults(wrong=self.error, settings=_settings, offline=_offline)
        add_home(self, below=True)
        _module(self._chosen).arguments(self)

    def add_subparsers(self, **named: Any) -> Any:  # noqa: ANN401 - argparse's own
        """Have commands below this one, which are made at once."""
        return super().add_subparsers(parser_class=argparse.ArgumentParser, **named)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Read the command's words."""
        self.fill()
        return super().parse_known_args(args, namespace)


def parser(known: Mapping[str, Command]) -> argparse.ArgumentParser:
    """The command line's grammar.

    Args:
        known: every command.
    """
    root = argparse.ArgumentParser(
        prog="sulla",
        formatter_class=_Help,
        description="An agent daemon that you can leave running.",
        epilog="`sulla COMMAND --help` explains a command. Start with `sulla up`, then talk with `sulla chat`.",
    )
    root.add_argument("--version", action="version", version=f"sulla {__version__}")
    add_home(root, below=False)
    below = root.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=CommandParser)
    for name, chosen in known.items():
        below.add_parser(name, help=chosen.help, chosen=chosen)
    return root


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
    try:
        try:
            code = _run(sys.argv[1:] if argv is None else argv, alone=argv is None)
        finally:
            sys.stdout.flush()  # here, where a failure can be told; to print nothing would fail on a closed terminal
    except (SullaError, KeyboardInterrupt, OSError, BaseExceptionGroup) as error:
        code = _failed(error)
    try:
        sys.stderr.flush()
    except OSError:
        let_go(sys.stderr)
    return code


def _run(words: list[str], *, alone: bool) -> int:
    with _seldom_collected():
        known = commands(installed=False)
        if known.keys().isdisjoint(words) and words[:1] != ["--version"]:
            known = commands()  # a package's, a wrong one, or the help for all of them
        arguments = parser(known).parse_args(words)
        command = _module(known[arguments.command])
    if alone:
        gc.freeze()  # what was imported stays: nobody need look at it again
    return int(command.run(arguments))


def _failed(raised: BaseException) -> int:
    """The exit code for what a command has raised, which is said in one line.

    Raises:
        BaseException: it is none of what commands may raise.
    """
    match error := leaf(raised):
        case SullaError():
            from sulla.terminal.program import hint

            return _say(hint(error.message), _EXITS.get(error.code, Exit.REFUSED))
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
        print(f"sulla: {line}", file=sys.stderr, flush=True)
    except OSError:
        let_go(sys.stderr)  # nobody can be told; the exit code says it
    return int(code)


@contextmanager
def _seldom_collected() -> Iterator[None]:
    """While modules are imported, garbage is looked for among what is new alone: nearly all that they make stays, and
    looking through all of it time and again takes a tenth of a start. Never to look would cost 18 MiB, which classes
    with slots leave behind when they are made.
    """
    before = gc.get_threshold()
    gc.set_threshold(2000, 1000, 1000)
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


def _module(command: Command):  # type: ignore[no-untyped-def]  # one that has `arguments` and `run`
    return importlib.import_module(command.module)
