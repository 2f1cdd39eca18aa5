"""The command tree. Commands are imported when they are chosen, so that `--help` and `--version` are quick."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Collection

from sulla import __version__
from sulla.core.errors import SullaError
from sulla.terminal.exits import Exit
from sulla.terminal.options import add_home

COMMANDS = {
    "init": "make a home: settings, a token, a workspace",
    "up": "start the daemon and serve until it is told to stop",
    "ask": "ask one question and print the answer",
    "chat": "talk; Ctrl-C stops the answer, at the prompt it leaves",
    "status": "say how the daemon is",
    "pause": "stop all work at once, until it is resumed",
    "resume": "have work that was paused go on where it was",
    "logs": "print what the daemon wrote down about its work",
    "thread": "list, show, delete, export and import threads",
    "approvals": "list and answer what agents ask before they act",
    "beat": "agents' own time: status, now, log, pause and resume",
    "notices": "list, mark and watch what you are told beside the answers",
    "schedule": "list, add, remove, run, pause and resume schedules",
    "flow": "playbooks: write, check, try out and run them",
    "speech": "play recorded speech and say why each turn ended when it did",
    "memory": "list, search, forget and export what agents remember",
    "prompt": "show what a model is told before a conversation",
    "project": "list and show projects",
    "skills": "list, show and check skills, and say which are trusted",
    "mcp": "list the MCP servers and their tools, and allow changed ones",
    "token": "print the owner's token; make, list and revoke others",
    "doctor": "look for what is wrong, and say what to do",
    "completion": "print what makes a shell complete sulla's words",
}
"""Every command, in the order of `--help`; each is a module of this package with `arguments` and `run`."""


class _Help(argparse.HelpFormatter):
    """Leaves room for the longest command: argparse forgets that commands stand further in than options."""

    def add_argument(self, action: argparse.Action) -> None:
        """Take one more line in."""
        super().add_argument(action)
        self._action_max_length = max(self._action_max_length, 4 + max(map(len, COMMANDS)))


def parser(filled: Collection[str]) -> argparse.ArgumentParser:
    """The command line's grammar.

    Args:
        filled: the commands whose own arguments are filled in; each one's module is imported for that.
    """
    root = argparse.ArgumentParser(
        prog="sulla",
        formatter_class=_Help,
        description="An agent daemon that you can leave running.",
        epilog="`sulla COMMAND --help` explains a command. Start with `sulla up`, then talk with `sulla chat`.",
    )
    root.add_argument("--version", action="version", version=f"sulla {__version__}")
    add_home(root, below=False)
    commands = root.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        command.set_defaults(wrong=command.error)
        add_home(command, below=True)
        if name in filled:
            _module(name).arguments(command)
    return root


def main(argv: list[str] | None = None) -> int:
    """Run a command.

    Args:
        argv: the words after the program's name; None for the process's own.

    Returns:
        The exit code.
    """
    words = sys.argv[1:] if argv is None else argv
    chosen = next((word for word in words if word in COMMANDS), "")
    arguments = parser({chosen}).parse_args(words)
    _accept_any_bytes()
    try:
        code = int(_module(arguments.command).run(arguments))
        print(end="", flush=True)
        return code
    except SullaError as error:
        print(f"sulla: {error.message}", file=sys.stderr)
        return int(_EXITS.get(error.code, Exit.REFUSED))
    except KeyboardInterrupt:
        return int(Exit.INTERRUPTED)
    except BrokenPipeError:
        # Python flushes once more at its end, and would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(Exit.PIPE)


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


def _module(name: str):  # type: ignore[no-untyped-def]  # one of this package's command modules
    return importlib.import_module(f"sulla.cli.{name}")
