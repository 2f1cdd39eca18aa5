"""Writes THIRD_PARTY.md: what an installation with all extras and the console are made of, and the licences of it.

    .venv/bin/python deploy/licences.py

The Python packages are those of uv.lock, and their licences what their own metadata say; the console's are those of
package-lock.json. A package of another system or Python than this one is not installed here, and so not listed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "THIRD_PARTY.md"
HEAD = """# What Sulla stands on

Written by `deploy/licences.py` from uv.lock and console/package-lock.json. Sulla's own licence is [LICENSE](LICENSE).
The wheel and the sdist bring none of the Python packages along; an image does. The console's pages have in them what
of the second list a browser needs.
"""
PROJECT = "sulla-agent"

Row = tuple[str, str, str]
"""A package's name, version and licence."""


def python_rows() -> list[Row]:
    """The Python packages that an installation with all extras has."""
    packages = {one["name"]: one for one in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    project = packages[PROJECT]
    wanted = [*project["dependencies"], *(one for some in project["optional-dependencies"].values() for one in some)]
    rows = []
    for name in sorted(_reached(packages, wanted)):
        licence = _licence(name)
        if licence is not None:
            rows.append((name, packages[name]["version"], licence))
    return rows


def _reached(packages: dict[str, dict[str, Any]], wanted: Iterable[dict[str, Any]]) -> set[str]:
    """Packages and what they need in turn, by name."""
    reached: set[tuple[str, str]] = set()
    waiting = [(one["name"], extra) for one in wanted for extra in ("", *one.get("extra", ()))]
    while waiting:
        name, extra = one = waiting.pop()
        if one in reached:
            continue
        reached.add(one)
        package = packages[name]
        needs = package.get("optional-dependencies", {}).get(extra, ()) if extra else package.get("dependencies", ())
        waiting += [(need["name"], more) for need in needs for more in ("", *need.get("extra", ()))]
    return {name for name, _ in reached}


def _licence(name: str) -> str | None:
    """What a package's metadata say; None if it is not installed."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return None
    if expressions := told.get_all("License-Expression"):
        return str(expressions[0])
    classifiers = told.get_all("Classifier") or []
    named = [one.rpartition(" :: ")[2] for one in classifiers if one.startswith("License :: ") and "::" in one[11:]]
    return ", ".join(named) or str((told.get_all("License") or [""])[0]).strip().partition("\n")[0] or "not said"


def console_rows() -> list[Row]:
    """The packages that the console's pages are made of."""
    packages = json.loads((ROOT / "console" / "package-lock.json").read_text())["packages"]
    shipped = {
        path.rpartition("node_modules/")[2]: one for path, one in packages.items() if path and not _only_builds(one)
    }
    return sorted((name, str(one["version"]), str(one.get("license", "not said"))) for name, one in shipped.items())


def _only_builds(package: dict[str, Any]) -> bool:
    return any(package.get(word) for word in ("dev", "devOptional", "link"))


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_table("Python", python_rows()), "", *_table("The console", console_rows()), ""])


def _table(title: str, rows: Iterable[Row]) -> Iterator[str]:
    yield from (f"## {title}", "", "| package | version | licence |", "| --- | --- | --- |")
    for row in rows:
        yield f"| {' | '.join(re.sub(r'[|]', '/', one) for one in row)} |"


if __name__ == "__main__":
    PAGE.write_text(page())
