"""Looks at one thing each and has the facts judged. Nothing is changed by looking."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import field, replace
from datetime import UTC, datetime
from pathlib import Path

from sulla import __version__
from sulla.agent.calls.shared_marks import why_not_shared
from sulla.core.clock import Clock
from sulla.core.dataclass import dataclass
from sulla.core.errors import HomeInUse, NotAvailable, PortInUse, SettingsError
from sulla.core.jsontypes import Json, JsonObject
from sulla.daemon.agents import read_team
from sulla.daemon.checkup import StoreReport, check_store, report_from_json
from sulla.daemon.core import offline_core
from sulla.daemon.doctor import checks, states
from sulla.daemon.doctor.port import is_alive, who_listens
from sulla.daemon.doctor.watched import watched
from sulla.daemon.home.workspace import why_not_made
from sulla.daemon.models.check import check_model
from sulla.daemon.models.choice import Choice, choose
from sulla.daemon.settings.config import FILE, Examined, Settings, sections
from sulla.daemon.settings.keys import KEYS_FILE, secret_names
from sulla.daemon.stores import store_reader, store_source
from sulla.gateway.server.server import bind
from sulla.host.findings import Finding, fault, ok, warning
from sulla.host.home import TOKEN, WHERE, Home, Whereabouts
from sulla.host.host import Host
from sulla.host.store_url import named_store, store_file
from sulla.host.team import Team
from sulla.models.catalog import parse_model

MODEL_S = 10.0
"""How long a model's service may take to say what it has: a person waits for it."""

STORE_S = 300.0
"""How long a store may be looked at while no daemon runs."""


@dataclass(slots=True)
class Patient:
    """Whoever is looked at."""

    home: Home
    examined: Examined
    clock: Clock
    user: int
    """Who asks, by number."""
    where: Whereabouts | None
    """The daemon that runs on the home."""
    ask: Callable[[str], Awaitable[JsonObject]]
    """Asks that daemon for a method without parameters."""
    silent: bool = False
    """Whether that daemon did not answer."""
    model_check: Json = field(default=None, init=False)
    """What that daemon found out about its model just now; None for a daemon that was not asked, or is older."""
    newest_ms: int = 0
    """When the newest record was made, once the store was looked at."""

    @property
    def settings(self) -> Settings:
        """What is right of the settings."""
        return self.examined.settings

    def team(self) -> Team:
        """The home's agents."""
        return read_team(self.settings)

    def host(self) -> Host:
        """What its capabilities are built with and provide."""
        return offline_core(self.settings, self.clock).host


async def home(patient: Patient) -> list[Finding]:
    """The folder that everything lies in."""
    path = patient.home.path
    return checks.judge_home(path, await asyncio.to_thread(look, path), patient.user)


async def settings(patient: Patient) -> list[Finding]:
    """Every fault of the settings, wherever they are written."""
    file, examined = patient.home.path / FILE, patient.examined
    known, keys = secret_names(sections()), patient.home.path / KEYS_FILE
    written = [place for place, source in examined.sources.items() if source == str(file)]
    secret = [f"{section}.{key}" for section, key in written if key in known.get(section, ())]
    entry, keys_entry = await asyncio.to_thread(lambda: (look(file), look(keys)))
    return checks.judge_settings(file, entry, examined.faults, examined.sources, secret, keys_entry)


async def token(patient: Patient) -> list[Finding]:
    """The owner's token."""
    path = patient.home.path / TOKEN
    return checks.judge_token(path, await asyncio.to_thread(look, path), await asyncio.to_thread(_text, path))


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None


async def workspace(patient: Patient) -> list[Finding]:
    """The folder that the agent's file tools work in."""
    seen = await asyncio.to_thread(_workspace, patient.settings.workspace)
    seen = replace(seen, said_in=patient.examined.places.get(("agent", "workspace"), ""))
    found = checks.judge_workspace(seen, await asyncio.to_thread(patient.home.path.resolve))
    return [*found, *checks.judge_shared_marks(await asyncio.to_thread(_why_not_shared, seen.path))]


def _why_not_shared(folder: Path) -> str:
    return why_not_shared(folder) if folder.is_dir() else ""  # nothing of a folder that is not there can be marked


def _workspace(path: Path) -> checks.Workspace:
    path = path.resolve()
    there = next(folder for folder in (path, *path.parents) if folder.exists())
    writable = there.is_dir() and os.access(there, os.W_OK | os.X_OK) and (there == path or not why_not_made(path))
    return checks.Workspace(path, there == path, there.is_dir(), writable)


async def daemon(patient: Patient) -> list[Finding]:
    """The daemon that runs on the home, or what a dead one has left behind."""
    if patient.where is not None:
        where = patient.where
        if await is_alive(where.url):
            try:
                return states.judge_daemon(__version__, where.url, await patient.ask("system.status"))
            except NotAvailable:
                return states.judge_worker(where.url, await watched(where.url, patient.home.known_token() or ""))
        patient.silent = True
        said = f"the daemon (pid {where.pid}) does not answer at {where.url}"
        return [fault(said, "look at its log; if it hangs, kill it and start it again: nothing that was kept is lost")]
    path = patient.home.path / WHERE
    return states.judge_leftover(path, *await asyncio.to_thread(_left_over, path))


def _left_over(path: Path) -> tuple[bool, int | None]:
    try:
        match json.loads(path.read_text(encoding="utf-8")):
            case {"pid": int(pid)}:
                return True, pid
    except FileNotFoundError:
        return False, None
    except (OSError, ValueError):
        pass  # it is there, and says nothing
    return True, None


async def port(patient: Patient) -> list[Finding]:
    """The port: ours, free, or somebody else's."""
    if patient.where is not None:
        return ok(f"the daemon has the one of {patient.where.url}")
    host, number = patient.settings.gateway.host, patient.settings.gateway.port
    if number == 0:
        return ok(f"any free port of {host}")
    try:
        (await asyncio.to_thread(bind, host, number)).close()
    except PortInUse:
        who = await asyncio.to_thread(who_listens, number) or "another program"
        alike = (
            ", which answers like a Sulla daemon: one on another home?" if await is_alive(_url(host, number)) else ""
        )
        return [fault(f"{host}:{number} is taken by {who}{alike}", "stop that, or set another gateway.port")]
    except SettingsError as error:
        return [fault(error.message, "set gateway.host to an address of this machine")]
    return ok(f"{host}:{number} is free")


async def exposure(patient: Patient) -> list[Finding]:
    """Whether other machines reach the daemon, and whether that is meant."""
    token = await asyncio.to_thread(_text, patient.home.path / TOKEN)
    return checks.judge_exposure(patient.settings.gateway, token)


def _url(host: str, number: int) -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104 - asked, not listened on
    return f"http://[{host}]:{number}" if ":" in host else f"http://{host}:{number}"


async def store(patient: Patient) -> list[Finding]:
    """Everything that is kept: asked of the daemon, or looked at under the home's lock."""
    if patient.silent:
        return [warning("it was not looked at: the daemon that has it does not answer", "see what ails the daemon")]
    if patient.where is not None:
        where = str((await patient.ask("system.status")).get("store"))
        answer = await patient.ask("system.check")
        patient.model_check = answer.get("model_check")
        report = report_from_json(answer)
        patient.newest_ms = report.newest_ms
        return states.judge_store(where, report)
    path = store_file(patient.settings)
    entry = await asyncio.to_thread(look, path) if path is not None else None
    where = store_source(patient.settings)
    if path is None and named_store(patient.settings).is_shared:
        said = f"{where} was not looked at: it is a server's, and this home's daemon does not run"
        return [warning(said, "start the daemon with `sulla up`, then run `sulla doctor` again")]
    if path is None:
        return ok(f"{where}: forgets everything at its end")
    if entry is None:
        return ok(f"{path} does not exist yet: the first start makes it")
    try:
        report = await _under_lock(patient)
    except HomeInUse:
        said = f"{where} is in use by a daemon that is just starting, or by another command"
        return [warning(said, "run `sulla doctor` again in a moment")]
    patient.newest_ms = report.newest_ms
    found = states.judge_store(where, report)
    if entry.mode & 0o077:
        found.append(warning(f"others may read {path} (mode {entry.mode:04o})", f"chmod 600 '{path}'"))
    return found


async def _under_lock(patient: Patient) -> StoreReport:
    locked = patient.home.has_lock_file()  # without one nobody ever held it, and looking must not make it
    if locked:
        patient.home.lock()
    try:
        reader = store_reader(patient.settings, patient.clock, quiet=True)
        return await check_store(reader, None, patient.clock, STORE_S)
    finally:
        if locked:
            patient.home.unlock()


async def clock(patient: Patient) -> list[Finding]:
    """The clock, beside what was written down before."""
    now_s = patient.clock.now()
    name, at_s = await asyncio.to_thread(_newest_file, patient.home.path)
    offset = datetime.fromtimestamp(now_s, UTC).astimezone().utcoffset()
    offset_s = round(offset.total_seconds()) if offset is not None else 0
    return states.judge_clock(states.Times(now_s, patient.newest_ms / 1000, at_s, name, offset_s))


def _newest_file(folder: Path) -> tuple[str, float]:
    if not folder.is_dir():
        return "", 0.0
    times = [(path.stat().st_mtime, str(path)) for path in folder.iterdir() if path.is_file()]
    at_s, name = max(times, default=(0.0, ""))
    return name, at_s


async def model(patient: Patient) -> list[Finding]:
    """The model's service: reached, the key taken, the model there. Without one configured nobody is asked. A daemon
    that runs was started with settings of its own, and is asked instead.
    """
    match patient.model_check:
        case {"result": "ok" | "warning" | "fault" as result, "found": str(found), "remedy": str(remedy)}:
            return [Finding(result, f"{found}, as the daemon that runs found out", remedy)]
    asked = patient.settings.model
    choice = await choose(asked, patient.clock)
    return [await check_model(asked, choice, patient.clock, MODEL_S)]


async def fallback(patient: Patient) -> list[Finding]:
    """The same for the model that may answer in its place."""
    name = patient.settings.model.fallback
    if not name:
        return ok("none is set")
    second = parse_model(name)
    if second.provider == "offline":
        return ok(f"{second}: fixed rules answer where the model cannot be asked")
    return [await check_model(patient.settings.model, Choice(second, "model.fallback says so"), patient.clock, MODEL_S)]


def look(path: Path) -> checks.Entry | None:
    """A file or folder as it is; None if it is not there."""
    try:
        status = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    free_bytes = shutil.disk_usage(path).free
    return checks.Entry(path, path.is_dir(), status.st_uid, status.st_mode & 0o777, free_bytes)
