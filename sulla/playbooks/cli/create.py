"""Writes playbooks: new ones, and those made of workflows of Sulla Desktop and n8n."""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
from pathlib import Path

from sulla.core.errors import Conflict, InvalidInput, NotFound
from sulla.host.sections import GatewaySettings
from sulla.playbooks.catalog import TEST_ENDINGS
from sulla.playbooks.cli.home_playbooks import HomePlaybooks, Opened, text_of
from sulla.playbooks.files import playbook_folder, starters
from sulla.playbooks.flow_import.read import id_and_name, import_flow
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.program import program
from sulla.terminal.table import one_line
from sulla.tools.nearest import did_you_mean

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_WORKFLOWS = (".json", ".yaml", ".yml")
_SCHEMA = "# yaml-language-server: $schema=http://127.0.0.1:{port}/schemas/playbook.json\n"
_FIRST = """\
name: {name}
description: Lists a folder of the workspace, and keeps the list if somebody says so.
on: [manual]
inputs:
  folder: {{type: string, default: ., description: The folder to look at.}}
steps:
  - id: look
    tool: list_dir
    with: {{path: "${{{{ inputs.folder }}}}"}}
  - id: ask
    human: |
      Keep this list in list.md?

      ${{{{ steps.look.output }}}}
  - id: keep
    tool: write_file
    with: {{path: list.md, content: "${{{{ steps.look.output }}}}"}}
  - id: tell
    respond: What is in ${{{{ inputs.folder }}}} is written down in list.md.
"""
_FIRST_TESTS = """\
# Run by `sulla flow test {name}`.
- name: a list that somebody wants is kept
  inputs: {{folder: notes}}
  fixtures:
    look: tea.md (12 bytes)
    ask: {{answer: "yes", after: 5m}}
    keep: Written.
  expect:
    path: [look, ask.yes, keep, tell]
    calls: [{{tool: list_dir, with: {{path: notes}}}}, {{tool: write_file, with: {{path: list.md}}}}]
    told: [written down in list.md]
    took: 5m

- name: nothing is written without a yes
  fixtures:
    look: tea.md (12 bytes)
    ask: {{answer: "no"}}
  expect:
    skipped: [keep, tell]
    calls: [{{tool: list_dir}}]
    told: []
"""


def new(given: argparse.Namespace) -> Exit:
    """Write a playbook to begin with, and its tests."""
    if not _NAME.fullmatch(given.name):
        given.wrong(f"NAME: expected small letters, digits, '-' and '_', found {given.name!r}")
    playbooks = HomePlaybooks(given)
    text, tests = _from_starter(given.name, given.starter) if given.starter else _first(given.name, playbooks)
    file: Path = given.out or playbook_folder(playbooks.settings) / f"{given.name}.yaml"
    if given.out is None and given.name in playbooks.catalog.playbooks:
        raise Conflict(f"there is a playbook {given.name!r} already: {playbooks.catalog.playbooks[given.name].file}")
    _write(file, text)
    made = [file]
    if tests:
        made.append(file.with_name(file.stem + TEST_ENDINGS[0]))
        _write(made[-1], tests)
    return _told(given, playbooks.open(str(file)), made, ())


def import_all(given: argparse.Namespace) -> Exit:
    """Make playbooks of workflows of Sulla Desktop or n8n; what a person has to look at is told.

    Those of a folder are made together: each refers to the others by their ids.
    """
    playbooks = HomePlaybooks(given)
    source: Path = given.file
    texts = {source: text_of(source)} if not source.is_dir() else _workflows(source)
    known = {file: id_and_name(text) for file, text in texts.items()}
    others = {found[0]: found[1] for found in known.values() if found is not None}
    folder = playbook_folder(playbooks.settings) if given.out is None or not source.is_dir() else given.out
    made: list[tuple[Path, tuple[str, ...]]] = []
    for file, text in texts.items():
        try:
            one = import_flow(text, others)
        except InvalidInput as error:
            raise InvalidInput(f"{file}: {error.message}") from None
        found = re.match(r"name: \"?([^\"\n]*)", one.text)
        name = found[1] if found is not None and _NAME.fullmatch(found[1]) else "imported"
        to: Path = given.out if given.out is not None and not source.is_dir() else folder / f"{name}.yaml"
        _write(to, _schema(playbooks) + one.text)
        made.append((to, one.notes))
    again = HomePlaybooks(given)  # which sees them all
    for to, notes in made:
        _told(given, again.open(str(to)), [to], notes)
    return Exit.OK


def _workflows(folder: Path) -> dict[Path, str]:
    """The texts of the workflows in a folder, by their files; whatever else lies there is left alone.

    Raises:
        NotFound: there is none.
    """
    texts = {file: text_of(file) for file in sorted(folder.iterdir()) if file.suffix in _WORKFLOWS and file.is_file()}
    found = {file: text for file, text in texts.items() if id_and_name(text) is not None}
    for file in texts.keys() - found.keys():
        tell(one_line(f"left out: {file} is no workflow"))
    if not found:
        raise NotFound(f"{folder}: there is no workflow in it ({', '.join(_WORKFLOWS)})")
    return found


def _told(given: argparse.Namespace, opened: Opened, made: list[Path], notes: tuple[str, ...]) -> Exit:
    if given.json:
        faults = [{"line": fault.line, "column": fault.column, "message": fault.message} for fault in opened.faults]
        print(json.dumps({"name": opened.name, "made": list(map(str, made)), "notes": list(notes), "faults": faults}))
        return Exit.OK
    for path in made:
        print(f"made     {path}")
    for note in notes:
        tell(one_line(f"look at: {note}"))
    for said in opened.told:
        tell(one_line(said))
    made_first = shlex.quote(str(made[0]))
    print(f"\n{program()} flow check {made_first}\n{program()} flow dry-run {made_first}")
    return Exit.OK


def _first(name: str, playbooks: HomePlaybooks) -> tuple[str, str]:
    return _schema(playbooks) + _FIRST.format(name=name), _FIRST_TESTS.format(name=name)


def _schema(playbooks: HomePlaybooks) -> str:
    """The line by which editors complete and check the file, while the daemon runs."""
    return _SCHEMA.format(port=playbooks.settings.section(GatewaySettings).port or 8137)


def _from_starter(name: str, starter: str) -> tuple[str, str]:
    """A starter that Sulla brings along, under the new name: its text, and that of its tests, empty if it has none.

    Raises:
        NotFound: there is no such starter; the message says which there are.
    """
    folder = starters()
    known = sorted(file.stem for file in folder.glob("*.yaml") if not file.name.endswith(TEST_ENDINGS))
    if starter not in known:
        meant = did_you_mean(starter, known) or f" There are: {', '.join(known)}."
        raise NotFound(f"there is no starter {starter[:60]!r}.{meant}")
    text = re.sub(r"^name: .*$", f"name: {name}", text_of(folder / f"{starter}.yaml"), count=1, flags=re.MULTILINE)
    tests = folder / (starter + TEST_ENDINGS[0])
    return text, text_of(tests) if tests.is_file() else ""


def _write(file: Path, text: str) -> None:
    """Write a file that is not there yet.

    Raises:
        Conflict: it is.
        InvalidInput: it cannot be written.
    """
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as opened:
            opened.write(text)
    except FileExistsError:
        raise Conflict(f"{file} is there already: name another with --out FILE") from None
    except OSError as error:
        raise InvalidInput(f"{file} cannot be written: {error.strerror}") from None
