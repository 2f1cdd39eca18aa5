"""The grammar of the command line: help in groups, and what a wrong word is told. Light, because `--help` needs it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from sulla import __version__
from sulla.host.capability import Command
from sulla.terminal.options import add_home

GROUPS = {
    "talk": "talk to it",
    "see": "see what it does and knows",
    "work": "have it work by itself",
    "setup": "set it up",
    "care": "look after it",
    "": "of other packages",
}
"""The groups of `sulla --help`, in its order: a command's `group`, and what stands above it."""

_EXAMPLES = ("sulla up", 'sulla ask "what is in notes.txt?"', "sulla flow --help")
"""The examples of `sulla --help`."""

_SHOWN = 3
"""How many examples the help of a command shows that has commands below it; each of these shows its own."""


class Grammar(argparse.ArgumentParser):
    """Whoever types a wrong word is told by the very command that it was for.

    Args:
        examples: command lines that it understands; those that begin with its own name are shown in its help.
        named: what argparse takes.
    """

    def __init__(self, *, examples: tuple[str, ...] = (), **named: Any) -> None:  # noqa: ANN401 - argparse's
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **named)
        self._examples = examples
        if own := [one for one in examples if f"{one} ".startswith(f"{self.prog} ")]:
            self.epilog = "\n  ".join(("examples:", *map(_typed, own[:_SHOWN])))
        self.set_defaults(wrong=self.error)

    def add_subparsers(self, **named: Any) -> Any:  # noqa: ANN401 - argparse's own
        """Have commands below this one, which are made at once."""
        named["parser_class"] = lambda **given: Grammar(examples=self._examples, **given)
        return super().add_subparsers(**named)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Read this command's words; argparse would hand those that it does not know to the program, which is asked
        what is wrong with them and shows its own usage.
        """
        known, others = super().parse_known_args(args, namespace)
        if others:
            near = "".join(_near(word, self._option_string_actions) for word in others[:1])
            self.error(f"unrecognized arguments: {' '.join(others)}{near}")
        return known, others

    def _print_message(self, message: str, file: Any = None) -> None:  # noqa: ANN401 - argparse's own
        """argparse breaks its explanations at words, and nothing else."""
        from sulla.terminal.output import fitted

        super()._print_message(fitted(message, file or sys.stderr), file)

    def _check_value(self, action: argparse.Action, value: Any) -> None:  # noqa: ANN401 - argparse's own
        """argparse has no public place for what a wrong command is told."""
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            from sulla.terminal.program import hint

            near = _near(value, action.choices)
            self.error(hint(f"there is no command {value!r}{near} (`{self.prog} --help` lists all)"))
        super()._check_value(action, value)


class CommandParser(Grammar):
    """A command's own grammar. It is made, and the command's module imported, when its words are read.

    Args:
        chosen: the command.
        load: imports its module.
        given: what it gets beside its own words.
        named: what argparse takes.
    """

    def __init__(
        self,
        *,
        chosen: Command,
        load: Callable[[Command], Any],
        given: Mapping[str, object],
        **named: Any,  # noqa: ANN401 - argparse's, for later
    ) -> None:
        self._chosen, self._load, self._given, self._named = chosen, load, given, named

    def fill(self) -> None:
        """Make the grammar."""
        text = self._chosen.help
        super().__init__(**self._named, description=f"{text[0].upper()}{text[1:]}.", examples=self._chosen.examples)
        self.set_defaults(**self._given)
        add_home(self, below=True)
        self._load(self._chosen).arguments(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # noqa: ANN401 - argparse's own
        """Read the command's words."""
        self.fill()
        return super().parse_known_args(args, namespace)


class Whole(Grammar):
    """The grammar of all commands, whose help has them in groups.

    Args:
        known: every command.
        load: imports the module of one.
        given: what each gets beside its own words.
    """

    def __init__(
        self, known: Mapping[str, Command], load: Callable[[Command], Any], given: Mapping[str, object]
    ) -> None:
        super().__init__(
            prog="sulla",
            description="An agent daemon that you can leave running.",
            epilog="`sulla COMMAND --help` explains a command, with examples.",
        )
        self._known = known
        self.add_argument("--version", action="version", version=f"sulla {__version__}")
        add_home(self, below=False)
        below = argparse.ArgumentParser.add_subparsers(
            self, dest="command", metavar="COMMAND", required=True, parser_class=CommandParser
        )
        for name, chosen in known.items():
            below.add_parser(name, help=chosen.help, chosen=chosen, load=load, given=given)

    def format_help(self) -> str:
        """All that it says of itself: argparse knows no groups of commands."""
        from shutil import get_terminal_size
        from textwrap import fill

        parts = [self.format_usage().rstrip(), self.description or ""]
        room, columns = max(map(len, self._known)), max(40, get_terminal_size().columns)
        for group, title in GROUPS.items():
            inside = {name: one for name, one in self._known.items() if group_of(one) == group}
            if inside:
                rows = (
                    fill(f"  {name:<{room}}  {one.help}", columns, subsequent_indent=" " * (room + 4))
                    for name, one in inside.items()
                )
                parts.append("\n".join([f"{title}:", *rows]))
        options = self._get_formatter()
        options.start_section("options")
        options.add_arguments([action for action in self._actions if action.option_strings])
        options.end_section()
        parts += [options.format_help().strip(), "\n  ".join(("examples:", *map(_typed, _EXAMPLES)))]
        parts.append(self.epilog or "")
        return "\n\n".join(parts) + "\n"

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and where to look."""
        from sulla.terminal.program import hint

        more = hint(" (`sulla --help` lists all)") if message.endswith("required: COMMAND") else ""
        super().error(message + more)


def group_of(command: Command) -> str:
    """The key of `GROUPS` that a command belongs to."""
    return command.group if command.group in GROUPS else ""


def _typed(example: str) -> str:
    """An example as it can be typed by whoever sits at this terminal."""
    if not sys.stdout.isatty():
        return example
    from sulla.terminal.program import NAME, program

    return example.replace(f"{NAME} ", f"{program()} ", 1)


def _near(word: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]!r}?" if near else ""
