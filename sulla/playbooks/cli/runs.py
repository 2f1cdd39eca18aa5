"""What each command of `sulla flow` about runs does, by the daemon."""

from __future__ import annotations

import argparse
import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from sulla.core.errors import InvalidInput
from sulla.host.system import random_id
from sulla.playbooks.cli.follow_run import Begin, follow, how_to_come_back
from sulla.playbooks.cli.inputs import is_file, read_object, read_text, typed_inputs, typed_outputs
from sulla.playbooks.cli.run_view import list_runs, show_run
from sulla.playbooks.cli.versions import roll_back, show_diff, show_history
from sulla.terminal.client import Client, open_client
from sulla.terminal.exits import Exit
from sulla.terminal.output import tell
from sulla.terminal.place import door, home_of
from sulla.terminal.program import program
from sulla.terminal.table import one_line

Row = dict[str, Any]
_A_FAULT = re.compile(r"\bplaybook:(?=\d+:\d+: )")
"""How a fault begins of a playbook that has no name of a file."""


def _run(given: argparse.Namespace) -> Exit:
    source = read_text(given.name) if is_file(given.name) else None
    more = read_object(given.inputs) if given.inputs else {}
    # The same id at every attempt: a run that was acknowledged before a break is not begun twice.
    request_id = random_id("req")

    async def begin(client: Client) -> Row:
        texts = _texts_of(source) if source is not None else await _texts(client, given)
        asked = {"playbook": None, "source": source} if source is not None else {"playbook": given.name}
        inputs = {**more, **typed_inputs(given.input, texts)}
        where = {"thread_id": given.thread, "agent": given.agent, **_alone(given)}
        try:
            return await client.call("workflow.start", **asked, **where, inputs=inputs, request_id=request_id)
        except InvalidInput as error:
            if source is None:
                raise
            # The daemon is told what the file says, and not what it is called.
            said = _A_FAULT.sub(lambda _: f"{given.name}:", error.message)
            raise InvalidInput(said + _left_beside(Path(given.name), source, said)) from None

    return _begin(given, begin)


def _left_beside(file: Path, source: str, said: str) -> str:
    """What to do where a file names playbooks that lie beside it: a daemon knows those of its home alone.

    Args:
        file: which is run.
        source: what it says.
        said: why it was refused.
    """
    from sulla.playbooks.file.read import mentioned  # it brings all that reads playbooks along

    beside = [file.with_name(f"{name}.yaml") for name in mentioned(source) if f"no playbook {name!r}" in said]
    found = " ".join(str(one) for one in beside if one.is_file())
    if not found:
        return ""
    return f"\n{found} lies beside the file, and a daemon runs playbooks of its home alone within one: copy it there"


def _alone(given: argparse.Namespace) -> Row:
    """What says which steps are not done; nothing where all are, so that daemons of before understand it."""
    outputs = typed_outputs(given.output)
    return {**({"step": given.step} if given.step else {}), **({"outputs": outputs} if outputs else {})}


def _fork(given: argparse.Namespace) -> Exit:
    more = read_object(given.inputs) if given.inputs else {}
    request_id = random_id("req")

    async def begin(client: Client) -> Row:
        inputs: Row | None = None
        if more or given.input:
            old = (await client.call("workflow.status", run=given.run, limit=1))["inputs"]
            texts = {name: isinstance(value, str) for name, value in old.items()}
            inputs = {**old, **more, **typed_inputs(given.input, texts)}
        asked = {"run": given.run, "steps": given.steps, "request_id": request_id}
        return await client.call("workflow.fork", **asked, inputs=inputs)

    return _begin(given, begin)


def _begin(given: argparse.Namespace, begin: Begin) -> Exit:
    if not given.detach:
        return follow(given, "", begin)
    begun = _ask(given, begin)
    print(json.dumps(begun) if given.json else begun["run"])
    if not given.json:
        tell(f"[{how_to_come_back(begun['run'])}]")
    return Exit.OK


async def _texts(client: Client, given: argparse.Namespace) -> dict[str, bool]:
    """Which inputs of a playbook of the home are text."""
    if not given.input:
        return {}
    declared = (await client.call("workflow.get", playbook=given.name))["about"]["inputs"]
    return {name: one.get("type", "string") == "string" for name, one in declared.items()}


def _texts_of(source: str) -> dict[str, bool]:
    """The same of a file; the daemon says what is wrong with one that has faults."""
    from sulla.playbooks.file.check import check_playbook  # it brings all that runs playbooks along

    found = check_playbook(source).definition
    return {name: one.type == "string" for name, one in found.inputs.items()} if found is not None else {}


def _resume(given: argparse.Namespace) -> Exit:
    outputs = typed_outputs(given.output)
    more = {"outputs": outputs} if outputs else {}
    _asked(given, "workflow.resume", f"{one_line(given.run)} goes on", steps=given.steps, **more)
    return follow(given, given.run) if given.watch else Exit.OK


def _step(given: argparse.Namespace) -> Exit:
    return _asked(given, "workflow.step", f"{one_line(given.run)} begins what it can now, and pauses again")


def _pause(given: argparse.Namespace) -> Exit:
    said = f"{one_line(given.run)} begins no further step; `{program()} flow resume {one_line(given.run)}` has it go on"
    return _asked(given, "workflow.pause", said, why=given.why)


def _cancel(given: argparse.Namespace) -> Exit:
    return _asked(given, "workflow.cancel", f"{one_line(given.run)} is told to end", why=given.why)


def _show(given: argparse.Namespace) -> Exit:
    return follow(given, given.run) if given.watch else show_run(given)


def _asked(given: argparse.Namespace, method: str, said: str, **params: object) -> Exit:
    answer = _ask(given, lambda client: client.call(method, run=given.run, **params))
    print(json.dumps(answer) if given.json else said)
    return Exit.OK


def _ask(given: argparse.Namespace, what: Callable[[Client], Awaitable[Row]]) -> Row:
    async def ask() -> Row:
        async with open_client(door(home_of(given))) as client:
            return await what(client)

    return asyncio.run(ask())


DOES: dict[str, Callable[[argparse.Namespace], Exit]] = {
    "run": _run,
    "runs": list_runs,
    "show": _show,
    "step": _step,
    "pause": _pause,
    "resume": _resume,
    "cancel": _cancel,
    "fork": _fork,
    "history": show_history,
    "diff": show_diff,
    "rollback": roll_back,
}
"""What does each command."""
