"""`sulla init`."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from pathlib import Path

from sulla.cli.settings import examined_of
from sulla.core.errors import SettingsError
from sulla.daemon.home.founding import Founded, found_home
from sulla.daemon.models.choice import HOW_TO
from sulla.daemon.models.inference import Around, Question, answered, infer, question
from sulla.daemon.settings.config import FILE, Examined
from sulla.daemon.settings.starter import Inferred, starter
from sulla.host.system import SystemClock, random_token
from sulla.models.ollama.probe import find_ollama
from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import read_answer
from sulla.terminal.place import home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line

_TRIES = 3
"""So often a person is asked the same."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument(
        "--force", action="store_true", help="write new settings; the old ones are kept as a numbered copy"
    )
    command.add_argument("--json", action="store_true", help="print JSON, and ask nothing")


def run(given: argparse.Namespace) -> Exit:
    """Make a home; what is there stays."""
    home = home_of(given)
    fresh = given.force or not (home / FILE).exists()
    examined = examined_of(given, file=not fresh)
    if examined.faults:
        raise SettingsError("; ".join(examined.faults))
    around = asyncio.run(_look_around(examined)) if fresh else None
    model = _model(around, may_ask=not given.json and sys.stdin.isatty() and sys.stdout.isatty()) if around else None
    text = starter([model] if model is not None else []) if fresh else None
    founded = found_home(home, text, examined.settings.workspace, random_token, replace=given.force)
    going_on = _going_on(given.home)
    if given.json:
        print(json.dumps(_as_json(home, founded, model, around, going_on)))
    else:
        print("\n".join(_as_text(home, founded, model, around, going_on)))
    return Exit.OK


async def _look_around(examined: Examined) -> Around:
    model = examined.settings.model
    return Around(model, examined.sources, await find_ollama(model.ollama_host, SystemClock()))


def _model(around: Around, *, may_ask: bool) -> Inferred | None:
    asked = question(around)
    answer = _ask(asked) if asked is not None and may_ask else None
    return answer or infer(around)


def _ask(asked: Question) -> Inferred | None:
    print(asked.text)
    for number, choice in enumerate(asked.choices, 1):
        print(f"  {number}. {one_line(choice)}")
    hint = "1 if you just press Enter: " if asked.choices else "nothing to decide later: "
    for _ in range(_TRIES):
        answer = asyncio.run(read_answer(hint, SystemClock()))
        if answer is None:
            break
        try:
            return answered(asked, answer)
        except SettingsError as error:
            print(one_line(error.message))
    return None


def _going_on(home: Path | None) -> list[tuple[str, str]]:
    where = f" --home {shlex.quote(str(home))}" if home is not None else ""
    return [
        (f"{program()} up{where}", "starts the daemon"),
        (f'{program()} ask{where} "hello"', "asks it something, in another terminal"),
        (f"{program()} doctor{where}", "looks for what is wrong"),
    ]


def _as_json(
    home: Path, founded: Founded, model: Inferred | None, around: Around | None, going_on: list[tuple[str, str]]
) -> dict[str, object]:
    return {
        "home": str(home),
        "changed": bool(founded.made),
        "made": [str(path) for path in founded.made],
        "kept": [str(path) for path in founded.kept],
        "backup": str(founded.backup) if founded.backup is not None else None,
        "model": model.value if model is not None else None,
        "model_why": model.why if model is not None else None,
        "keys": _keys(around),
        "ollama": list(around.ollama) if around is not None and around.ollama is not None else None,
        "next": [command for command, _ in going_on],
    }


def _as_text(
    home: Path, founded: Founded, model: Inferred | None, around: Around | None, going_on: list[tuple[str, str]]
) -> list[str]:
    lines = [f"made     {path}" for path in founded.made] + [f"kept     {path}" for path in founded.kept]
    if founded.backup is not None:
        lines.append(f"the settings as they were are in {founded.backup}")
    if not founded.made:
        lines.append(f"the home {home} has everything already: nothing was changed (--force writes new settings)")
    if around is not None:
        lines += ["", *_about_the_model(model, around)]
    wide = max(len(command) for command, _ in going_on)
    return [*lines, "", *(f"{command:<{wide}}   {what}" for command, what in going_on)]


def _about_the_model(model: Inferred | None, around: Around) -> list[str]:
    lines = [
        f"{variable} is set; it is not written down: the daemon needs it when it starts" for variable in _keys(around)
    ]
    if around.ollama is not None:
        lines.append(one_line(f"an Ollama answers; it has {', '.join(around.ollama) or 'no model yet'}"))
    if model is not None:
        return [*lines, one_line(f"the model is {model.value}: {model.why}")]
    if around.key("openai"):
        return [*lines, "which of the service's models should answer is yours to say: set model.name to openai:<model>"]
    return [*lines, *HOW_TO.splitlines()]


def _keys(around: Around | None) -> list[str]:
    """The variables that keys are in."""
    return [] if around is None else [name for name in map(around.key, ("anthropic", "openai")) if name]
