"""What programs of the owner are led to although its name does not say so: files and folders which a link with the name
of a program file, or git's own settings, hands on to them, and the settings of tools at the top of a project."""

from __future__ import annotations

import os
import re
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from sulla.core.dataclass import dataclass
from sulla.core.pattern import late_pattern

MOST_LOOKED: Final = 200_000
"""Entries of the workspace that are looked at, those that lie highest first. A fifth of a second for each 100,000."""
MOST_SETTINGS_BYTES: Final = 1 << 20
"""Of a file that leads on."""
MOST_INCLUDED: Final = 8
"""Files of git's settings that include one another."""
MOST_LINKS: Final = 40
"""Links on the way to one place, as in Linux."""
_NOT_RUN: Final = frozenset({b"url", b"pushurl", b"fetch", b"merge", b"remote", b"worktree", b"name", b"email"})
"""Settings of git that name what it neither runs nor obeys."""
_BETWEEN: Final = late_pattern(rb"[\s\"'!;|&=<>\\()`]+")
_VARIABLE: Final = late_pattern(rb"^\$\{?\w+\}?/")
_GIT_FOLDER: Final = late_pattern(rb"^gitdir:\s*(?P<path>.+?)\s*$", re.MULTILINE)
"""What a file ``.git`` says of the folder that it stands for."""
_BEGINS: Final = frozenset(
    ".git .hg .svn .jj makefile gnumakefile justfile rakefile gemfile pipfile dockerfile package.json deno.json "
    "tsconfig.json composer.json dub.json pyproject.toml setup.py setup.cfg requirements.txt cargo.toml project.toml "
    "go.mod pom.xml build.xml build.gradle build.gradle.kts settings.gradle settings.gradle.kts build.sbt mix.exs "
    "cmakelists.txt meson.build package.swift pubspec.yaml stack.yaml rebar.config deps.edn description".split()
)
"""A project begins in a folder that one of these lies in, in small letters."""
_DATA: Final = frozenset({".json", ".xml"})
"""How names end of data that also are tools' settings, at the top of a project."""
_SOURCE: Final = frozenset({".py", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".rb", ".php", ".r", ".jl", ".lua"})
_SETS_UP: Final = late_pattern(
    r".[-_.](build|config|overrides|hooks?|plugins?|preset|setup|settings|tasks)\.\w+$|^(build|config|hook|setup)[-_.]\w.*\.",
    re.IGNORECASE,
)
"""Names of source, at the top of a project, which say that it sets up what works on the project."""
_BARE: Final = frozenset({"HEAD", "objects", "refs"})
"""A folder with these is one of git's, whatever it is called."""


class Reader(Protocol):
    """Says who runs or obeys a file; `ProgramFiles.reader` is one."""

    def __call__(self, parts: Sequence[str], *, folder: bool = False) -> str:
        """Who does; empty for nobody."""


@dataclass(frozen=True, slots=True)
class LedTo:
    """The places of a workspace that programs are led to. Not all of them are there."""

    places: frozenset[Path]
    """Files, links and folders; of a folder all that lies in it."""
    too_many: bool = False
    """Whether there is more in the workspace than was looked at: then nobody can say that a place is none of them."""
    projects: frozenset[Path] = frozenset()
    """Folders that a project begins in: tools look for their settings there."""

    def reader(self, place: Path) -> str:
        """Who is led to a place, or to a folder that it lies in; empty for nobody."""
        if self.too_many or not self.places.isdisjoint((place, *place.parents)):
            return "a program that a link or git's settings lead there"
        if place.parent in self.projects and _is_for_a_tool(place):
            return "a tool that looks for its settings at the top of a project"
        return ""


def led_to(workspace: str, reader: Reader) -> LedTo:
    """Look for what programs obey in a workspace although its name does not say so.

    Args:
        workspace: its folder, links resolved.
        reader: says which names programs look for.
    """
    top = Path(workspace)
    looked = _Leads(top, reader)
    # What lies outside is no part of the workspace, and can be written to by nobody in the sandbox.
    places = {place for lead in looked.run() for place in _on_the_way(lead) if top in (place, *place.parents)}
    return LedTo(frozenset(places), looked.left <= 0, frozenset(looked.projects))


def _is_for_a_tool(place: Path) -> bool:
    """Whether a file at the top of a project may be a tool's settings, by its name."""
    ending = place.suffix.lower()
    return ending in _DATA or (ending in _SOURCE and bool(_SETS_UP.search(place.name)))


def _on_the_way(path: Path) -> Iterator[Path]:
    """Where a path leads, and each link on the way: whoever replaces one of them leads it elsewhere."""
    ahead, at, links = deque(path.parts), Path(path.anchor), 0
    while ahead:
        name = ahead.popleft()
        if name == "..":
            at = at.parent
            continue
        at /= name
        try:
            target = at.readlink()
        except (OSError, ValueError):
            continue  # no link, or not there
        yield at
        links += 1
        if links > MOST_LINKS:
            return
        ahead.extendleft(reversed(target.parts))
        at = Path(target.anchor) if target.is_absolute() else at.parent
    yield at


class _Leads:
    """One look through a workspace. It lives as long as that takes."""

    def __init__(self, top: Path, reader: Reader) -> None:
        self._top, self._reader = top, reader
        self.left = MOST_LOOKED
        """How many entries may still be looked at."""
        self.projects = set[Path]()
        """Folders that a project begins in."""

    def run(self) -> Iterator[Path]:
        """What leads on: links, and what git's settings name. Links on the way are not followed yet."""
        level = [(str(self._top), False)]
        while level and self.left > 0:
            below: list[tuple[str, bool]] = []
            for folder, obeyed in level:
                yield from self._in_folder(folder, obeyed, below)
            level = below

    def _in_folder(self, folder: str, obeyed: bool, below: list[tuple[str, bool]]) -> Iterator[Path]:
        parts = tuple(filter(None, folder.removeprefix(str(self._top)).split("/")))
        names = set[str]()
        try:
            with os.scandir(folder) as found:
                for entry in found:
                    self.left -= 1
                    if self.left <= 0:
                        return
                    names.add(entry.name)
                    is_folder = entry.is_dir(follow_symlinks=False)
                    if entry.name == ".git":
                        yield from _by_git(Path(entry.path), Path(folder))
                    if is_folder:
                        below.append((entry.path, obeyed or bool(self._reader((*parts, entry.name), folder=True))))
                    elif entry.is_symlink() and (obeyed or self._is_led((*parts, entry.name), Path(entry.path))):
                        yield Path(entry.path)
        except OSError:
            return  # it cannot be looked at, or is gone
        if not _BEGINS.isdisjoint(map(str.lower, names)):
            self.projects.add(Path(folder))
        if names >= _BARE:
            yield Path(folder)

    def _is_led(self, parts: Sequence[str], link: Path) -> bool:
        return bool(self._reader(parts, folder=os.path.isdir(link)))  # noqa: PTH112 - false for one that goes in circles


def _by_git(path: Path, tree: Path) -> Iterator[Path]:
    """What a repository's settings lead to.

    Args:
        path: its folder, or the file that says where that is.
        tree: where its files are: what the settings name is looked for from there.
    """
    if path.is_file():
        for named in _GIT_FOLDER.finditer(_read(path)):
            yield (folder := path.parent / os.fsdecode(named["path"]))
            yield from _by_git(folder, tree)
        return
    common = path / os.fsdecode(_read(path / "commondir").strip())  # another's, of a worktree; else the same
    ahead, seen = [path / "config", path / "config.worktree", common / "config"], set[Path]()
    while ahead and len(seen) < MOST_INCLUDED:
        if (file := ahead.pop()) not in seen:
            seen.add(file)
            for word in _named_in(file):
                # Programs are looked for from where the files are, what is included from where the settings are.
                for place in (tree / word, file.parent / word):
                    yield place
                    if place.is_file():
                        ahead.append(place)


def _named_in(file: Path) -> Iterator[str]:
    """What may be paths in a file of git's settings: each value, and each of its words, comments among them."""
    text = _read(file)
    if len(text) >= MOST_SETTINGS_BYTES:
        yield "."  # nobody has read all of it, so it may name anything
    for line in text.replace(b"\\\n", b"").replace(b"\0", b"").splitlines():
        # A setting may stand behind the name of its section.
        behind = line.partition(b"]")[2] if line.lstrip().startswith(b"[") else line
        name, equals, value = behind.partition(b"=")
        if equals and name.strip().lower() not in _NOT_RUN:
            words = {value.strip().strip(b'"'), *(_VARIABLE.sub(b"", word) for word in _BETWEEN.split(value))}
            yield from (os.fsdecode(word) for word in words if word.strip(b"./"))


def _read(path: Path) -> bytes:
    """The beginning of a plain file; nothing of anything else, which might never answer."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(handle, "rb") as opened:
            if stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                return opened.read(MOST_SETTINGS_BYTES)
    return b""
