"""`sulla self-check`: whether what was installed is whole and works, without a home, a network or a model."""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import pkgutil
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Iterable
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from subprocess import DEVNULL, PIPE

import sulla
from sulla.cli.doctor import finding_lines
from sulla.console.place import is_built
from sulla.core.dataclass import dataclass
from sulla.daemon.doctor.within import check_row
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.shipped import shipped
from sulla.host.system import SystemClock
from sulla.terminal.exits import Exit
from sulla.terminal.table import paper

PACKAGE = "sulla-agent"
STARTERS = {"skills": "*/SKILL.md", "projects": "*/*.md", "workflows": "*.yaml"}
"""What a new home is founded with, and what of it there has to be."""
AGAIN = "install the package anew: pip install --force-reinstall sulla-agent"
ROUND_S = 60.0
"""So long a daemon may take to start and to answer."""

_PROGRAM = "sulla.__main__"
"""To import it is to run it."""
_REQUIRED = re.compile(r"([\w.-]+).*?(?:extra\s*==\s*['\"]([\w-]+)['\"])?$")


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--json", action="store_true", help="print JSON")


def run(given: argparse.Namespace) -> Exit:
    """Make every check and print what it found, at once."""
    findings = asyncio.run(_check(as_json=given.json))
    faults = sum(finding.result == "fault" for _, finding in findings)
    if given.json:
        rows = [check_row(name, finding) for name, finding in findings]
        print(json.dumps({"version": sulla.__version__, "faults": faults, "checks": rows}))
    else:
        print(counted(faults, "fault"))
    return Exit.FAILED if faults else Exit.OK


async def _check(*, as_json: bool) -> list[tuple[str, Finding]]:
    made: list[tuple[str, Finding]] = []
    async for name, finding in _findings():
        made.append((name, finding))
        if not as_json:
            print(finding_lines(name, finding, paper()), flush=True)
    return made


async def _findings() -> AsyncIterator[tuple[str, Finding]]:
    for finding in _libraries(_required()):
        yield "libraries", finding
    for finding in import_all(sulla.__name__, sulla.__path__):
        yield "modules", finding
    for what, files in STARTERS.items():
        yield "starter", starter(what, shipped(what), files)
    yield "console", _console()
    with tempfile.TemporaryDirectory(prefix="sulla-check-") as folder:
        yield "answer", await Round(Path(folder)).finding()


def _required() -> list[str] | None:
    try:
        return requires(PACKAGE) or []
    except PackageNotFoundError:
        return None


def _libraries(required: Iterable[str] | None) -> list[Finding]:
    """What the package asks for, and which of its extras are there."""
    if required is None:
        return [warning(f"{PACKAGE} is not installed as a package, so nobody knows what it needs", "this is a clone")]
    missing: dict[str, set[str]] = {}
    for line in required:
        if (found := _REQUIRED.match(line)) is not None:
            missing.setdefault(found[2] or "", set()).update({found[1]} if not _installed(found[1]) else ())
    base = missing.pop("", set())
    there = ", ".join(sorted(extra for extra, lacking in missing.items() if not lacking)) or "none"
    if base:
        return [fault(f"libraries are missing: {', '.join(sorted(base))}", AGAIN)]
    return ok(f"all that it needs is there; extras that are installed: {there}")


def _installed(library: str) -> bool:
    try:
        version(library)
    except PackageNotFoundError:
        return False
    return True


def import_all(name: str, places: Iterable[str]) -> list[Finding]:
    """Import every module of a package.

    Args:
        name: the package's.
        places: its folders.

    Returns:
        A fault for each that cannot be imported, or how many there are. One that needs a library of an extra that is
        not installed counts as left out.
    """
    imported, lacking, faults = 0, set[str](), list[Finding]()
    for module in pkgutil.walk_packages(places, f"{name}."):
        if module.name == _PROGRAM:
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            if (error.name or name).partition(".")[0] == name:
                faults.append(fault(f"{module.name}: {error}", AGAIN))
            else:
                lacking.add(str(error.name))
        except Exception as error:  # noqa: BLE001 - a module can raise anything, and it is told
            faults.append(fault(f"{module.name}: {type(error).__name__}: {error}", AGAIN))
        else:
            imported += 1
    out = f"; left out is what needs {', '.join(sorted(lacking))}" if lacking else ""
    return faults or ok(f"{counted(imported, 'module')} can be imported{out}")


def starter(what: str, folder: Path, files: str) -> Finding:
    """Whether what a new home is founded with is there.

    Args:
        what: its name.
        folder: where it has to be.
        files: a pattern for what has to be in it.
    """
    many = len(list(folder.glob(files)))
    return ok(f"{what}: {many} in {folder}")[0] if many else fault(f"{what}: none in {folder}", AGAIN)


def _console() -> Finding:
    if is_built():
        return ok("its pages are there")[0]
    return warning("its pages are not built, so GET / only tells what is there", "from a clone: ./dev setup")


@dataclass(frozen=True, slots=True)
class Round:
    """A daemon on a home of its own, with the offline model, and one question."""

    folder: Path

    async def finding(self) -> Finding:
        """What came of it."""
        up = await self._begin("up", "--port", "0")
        try:
            async with SystemClock().timeout(ROUND_S):
                said = await self._until_ready(up)
                if said:
                    return fault(f"a daemon does not start: {said}", "sulla up says the same")
                asked = await self._begin("ask", "hello")
                answer, complaint = await asked.communicate()
        except TimeoutError:
            return fault(f"a daemon did not answer within {ROUND_S:.0f} s", "try it by hand: sulla up, sulla ask hello")
        finally:
            if up.returncode is None:
                up.terminate()
            await up.communicate()
        if asked.returncode != Exit.OK or not answer.strip():
            return fault(f"sulla ask: exit code {asked.returncode}: {complaint.decode().strip()}", AGAIN)
        return ok("a daemon has started and answered by its offline model")[0]

    async def _begin(self, *words: str) -> asyncio.subprocess.Process:
        # Nothing of the environment counts: no setting, no key, no model.
        environ = {"PATH": os.defpath, "HOME": str(self.folder), "SULLA_MODEL": "offline"}
        home = ("--home", str(self.folder / "home"))
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", sulla.__name__, *words, *home,
            env=environ, cwd=Path(sulla.__file__).parent.parent, stdin=DEVNULL, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip

    async def _until_ready(self, up: asyncio.subprocess.Process) -> str:
        """What went wrong; empty once it is ready."""
        if up.stdout is None or up.stderr is None:
            return "it has no output"
        async for line in up.stdout:
            if line.startswith(b"ready "):
                return ""
        return (await up.stderr.read()).decode().strip().rpartition("\n")[2]
