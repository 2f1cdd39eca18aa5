"""`sulla init`."""

from __future__ import annotations

import argparse
import asyncio
import json
import shlex
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

from sulla.cli.settings import examined_of
from sulla.cli.wizard import Wishes, Wizard, check_folder, check_zone, system_zone
from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError
from sulla.daemon.home.founding import Founded, found_home, keep_keys
from sulla.daemon.models.check import ANOTHER_KEY, check_model
from sulla.daemon.models.choice import HOW_TO, choose
from sulla.daemon.models.inference import Around, addresses, infer, unkept
from sulla.daemon.settings.config import FILE, Examined
from sulla.daemon.settings.keys import KEYS_FILE
from sulla.daemon.settings.starter import Inferred, starter
from sulla.host.findings import Finding
from sulla.host.system import SystemClock, random_token
from sulla.models.catalog import OFFLINE, parse_model
from sulla.models.ollama.probe import find_ollama
from sulla.models.wire.keys import check_key
from sulla.terminal.exits import Exit
from sulla.terminal.keyboard import read_line
from sulla.terminal.output import say
from sulla.terminal.place import home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line

KEYS = 2
"""So many more keys are tried where the service refuses one."""

CHECK_S = 10.0
"""How long the model's service may take to say that it can answer."""


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument(
        "--force", action="store_true", help="write new settings; the old ones are kept as a numbered copy"
    )
    command.add_argument(
        "--yes", action="store_true", help="ask nothing: what is not given here is found out, or later"
    )
    command.add_argument(
        "--model", metavar="NAME", help="who answers: anthropic:NAME, openai:NAME, ollama:NAME, offline"
    )
    command.add_argument("--workspace", metavar="DIR", help="the folder for the files that agents work on")
    command.add_argument("--zone", metavar="ZONE", help="your time zone, e.g. Europe/Berlin")
    command.add_argument(
        "--keep-key", action="store_true", help="write the environment's keys into keys.toml (mode 600)"
    )
    command.add_argument(
        "--key-stdin", action="store_true", help="write the key for the model, read from standard input, into keys.toml"
    )
    command.add_argument(
        "--check", action="store_true", help="see whether the model can answer; nothing is paid for that"
    )
    command.add_argument("--service", action="store_true", help="have it start by itself (`sulla service install`)")
    command.add_argument("--json", action="store_true", help="print JSON, and ask nothing")


def run(given: argparse.Namespace) -> Exit:
    """Make a home; what is there stays."""
    home = home_of(given)
    fresh = given.force or not (home / FILE).exists()
    examined = examined_of(given, file=not fresh)
    if examined.faults:
        raise SettingsError("; ".join(examined.faults))
    if not fresh and (given.model or given.workspace or given.zone):
        raise SettingsError(f"{home / FILE} is there already: change it there, or write a new one with --force")
    asks = not (given.json or given.yes) and sys.stdin.isatty() and sys.stdout.isatty()
    return asyncio.run(_init(given, home, examined, fresh=fresh, asks=asks and fresh))


async def _init(given: argparse.Namespace, home: Path, examined: Examined, *, fresh: bool, asks: bool) -> Exit:
    around = await _look_around(examined) if fresh else None
    wizard = _wizard(around) if around is not None and asks else None
    wishes = await _wishes(given, around, wizard, examined) if around is not None else Wishes()
    text = starter([*addresses(around), *wishes.settings()]) if around is not None else None
    settings = examined.settings
    workspace = settings.place(wishes.workspace) if wishes.workspace else settings.workspace
    if wishes.workspace:
        check_folder(str(workspace))  # before anything is written: a home with a wrong one cannot be opened
    keys = _keys_to_keep(given, examined, wishes)
    founded = found_home(home, text, workspace, random_token, replace=given.force)
    kept = keep_keys(home, keys)
    going_on = _going_on(given.home)
    report = _Report(home, founded, wishes.model, around, kept)
    if given.json:
        print(json.dumps(_as_json(report, going_on)))
    else:
        say("\n".join(_as_text(report, going_on)))
    found = await _tried(given, wizard)
    if wizard is not None and wishes.model is not None and found is not None:
        found = await _with_another_key(given, wizard, wishes.model, found, home)
    if given.service or (
        wizard is not None and await wizard.sure("Have it start by itself from now on?", usually=False)
    ):
        _install(given)
    return Exit.FAILED if given.check and found is not None and found.result == "fault" else Exit.OK


def _wizard(around: Around) -> Wizard:
    find = partial(find_ollama, clock=SystemClock())
    return Wizard(around, read_line, partial(read_line, hidden=True), say, find)


async def _look_around(examined: Examined) -> Around:
    model = examined.settings.model
    return Around(model, examined.sources, await find_ollama(model.ollama_host, SystemClock()))


async def _wishes(given: argparse.Namespace, around: Around, wizard: Wizard | None, examined: Examined) -> Wishes:
    """What the command line says, then what somebody answers, then what was found out."""
    named = str(parse_model(given.model)) if given.model else ""
    check_zone(given.zone or "")
    found = Wishes(Inferred("model", "name", named, "the command line says so") if named else infer(around))
    if wizard is not None:
        if named:
            around = replace(around, model=around.model.model_copy(update={"name": named}))
            wizard = _wizard(around)
        found = await wizard.ask(examined.settings.workspace, system_zone())
    return replace(found, workspace=_absolute(given.workspace) or found.workspace, zone=given.zone or found.zone)


def _absolute(folder: str | None) -> str:
    """A folder as the caller means it: settings speak of folders in the home."""
    return str(Path(folder).expanduser().absolute()) if folder else ""


def _keys_to_keep(given: argparse.Namespace, examined: Examined, wishes: Wishes) -> dict[str, str]:
    """The keys to write down, by their settings."""
    found: dict[str, str] = {}
    model = examined.settings.model
    if given.keep_key:
        for provider in ("anthropic", "openai"):
            key = getattr(model, f"{provider}_api_key").get_secret_value()
            found |= {f"{provider}_api_key": key} if key else {}
    key = sys.stdin.readline().strip() if given.key_stdin else wishes.key
    if key:
        name = wishes.model.value if wishes.model is not None else model.name
        alone = "anthropic" if model.anthropic_api_key.get_secret_value() else ""  # it selects its service's model
        provider = parse_model(name).provider if name else alone
        if provider not in ("anthropic", "openai"):
            raise SettingsError(
                f"a key is for anthropic or openai, and the model is {name or 'none'!r}: name it by --model"
            )
        check_key("what was read", key)
        found[f"{provider}_api_key"] = key
    return found


async def _with_another_key(
    given: argparse.Namespace, wizard: Wizard, model: Inferred, found: Finding, home: Path
) -> Finding:
    """The same check with the keys that somebody gives, as long as the service refuses them."""
    setting = f"{parse_model(model.value).provider}_api_key"
    for _ in range(KEYS):
        if found.remedy != ANOTHER_KEY:
            break
        source = examined_of(given).sources.get(("model", setting), "")
        if source and not source.endswith(KEYS_FILE):
            say(f"the key is that of {source}, which goes before {home / KEYS_FILE}: set it anew, or unset it")
            break
        if not (key := await wizard.key(model)):
            break
        keep_keys(home, {setting: key})
        found = await _tried(given, None, again=True) or found
    return found


async def _tried(given: argparse.Namespace, wizard: Wizard | None, *, again: bool = False) -> Finding | None:
    """Whether the model can answer, with the settings as they are written now; None if nobody wants to know."""
    examined = examined_of(given)
    choice = await choose(examined.settings.model, SystemClock())
    if choice.model.provider == OFFLINE:
        return None
    wanted = given.check or again
    if not wanted and (wizard is None or not await wizard.sure("See whether the model can answer?", usually=True)):
        return None
    found = await check_model(examined.settings.model, choice, SystemClock(), CHECK_S)
    if not given.json:
        say(one_line(f"{found.result}: {found.found}") + (f"\n  → {one_line(found.remedy)}" if found.remedy else ""))
    return found


def _install(given: argparse.Namespace) -> None:
    from sulla.cli.service.actions import do

    given.verb = "install"
    do(given)


@dataclass(frozen=True, slots=True)
class _Report:
    """What was made, and why."""

    home: Path
    founded: Founded
    model: Inferred | None
    around: Around | None
    keys: Path | None
    """Where keys were written."""


def _going_on(home: Path | None) -> list[tuple[str, str]]:
    where = f" --home {shlex.quote(str(home))}" if home is not None else ""
    return [
        (f"{program()} up{where}", "starts the daemon"),
        (f'{program()} ask{where} "hello"', "asks it something, in another terminal"),
        (f"{program()} doctor{where}", "looks for what is wrong"),
    ]


def _as_json(report: _Report, going_on: list[tuple[str, str]]) -> dict[str, object]:
    home, founded, model, around = report.home, report.founded, report.model, report.around
    return {
        "home": str(home),
        "changed": bool(founded.made),
        "made": [str(path) for path in founded.made],
        "kept": [str(path) for path in founded.kept],
        "backup": str(founded.backup) if founded.backup is not None else None,
        "model": model.value if model is not None else None,
        "model_why": model.why if model is not None else None,
        "keys": _keys(around),
        "addresses": [kept.key for kept in addresses(around)] if around is not None else [],
        "keys_file": str(report.keys) if report.keys is not None else None,
        "ollama": list(around.ollama) if around is not None and around.ollama is not None else None,
        "next": [command for command, _ in going_on],
    }


def _as_text(report: _Report, going_on: list[tuple[str, str]]) -> list[str]:
    home, founded, model, around = report.home, report.founded, report.model, report.around
    lines = [f"made     {path}" for path in founded.made] + [f"kept     {path}" for path in founded.kept]
    if founded.backup is not None:
        lines.append(f"the settings as they were are in {founded.backup}")
    if not founded.made:
        what = "nothing but the keys" if report.keys is not None else "nothing"
        lines.append(f"the home {home} has everything already: {what} was changed (--force writes new settings)")
    if report.keys is not None:
        lines.append(f"keys     {report.keys}, for nobody else to read")
    if around is not None:
        lines += ["", *_about_the_model(model, around, kept=report.keys is not None)]
    wide = max(len(command) for command, _ in going_on)
    return [*lines, "", *(f"{command:<{wide}}   {what}" for command, what in going_on)]


def _about_the_model(model: Inferred | None, around: Around, *, kept: bool) -> list[str]:
    lines = [
        f"{source} has a key: it is used"
        if source.endswith(KEYS_FILE)
        else f"{source} is set; it is not written down: the daemon needs it when it starts (--keep-key writes it down)"
        for source in ([] if kept else dict.fromkeys(_keys(around)))
    ]
    lines += [f"{kept.why.partition(' ')[0]} is kept as model.{kept.key}" for kept in addresses(around)]
    lines += [f"{name} has a password in it and is not written down: the daemon needs it" for name in unkept(around)]
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
