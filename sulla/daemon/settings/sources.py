"""Where settings are written down, `sulla.toml` and the environment, read one by one; an unknown name is refused."""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.host.home import HOME

PREFIX = "SULLA_"

SHORT_NAMES: dict[str, tuple[str, str]] = {"SULLA_STORE": ("store", "url"), "SULLA_MODEL": ("model", "name")}
"""Variables that are shorter than their setting (design §14)."""

FOREIGN_NAMES: dict[str, tuple[str, str]] = {
    "REDIS_URL": ("store", "redis_url"),
    "POSTGRES_URL": ("store", "postgres_url"),
    "ANTHROPIC_API_KEY": ("model", "anthropic_api_key"),
    "ANTHROPIC_BASE_URL": ("model", "anthropic_base_url"),
    "OLLAMA_HOST": ("model", "ollama_host"),
    "OPENAI_API_KEY": ("model", "openai_api_key"),
    "OPENAI_BASE_URL": ("model", "openai_base_url"),
    "BRAVE_API_KEY": ("web", "brave_api_key"),
}
"""Variables that other programs use for the same thing; they stand between the file and ours."""

FOREIGN_COUNTS: dict[str, tuple[str, str]] = {"WORKFLOW_MAX_CONCURRENT_RUNS": ("playbooks", "runs")}
"""The same for numbers (seed 001)."""

SECRET_PREFIX = "SULLA_SECRET_"
SECRETS = ("playbooks", "secrets")
"""The setting that holds them, by their names in small letters."""

Known = Mapping[str, Collection[str]]
"""The keys of each section."""

Lines = Mapping[tuple[str, ...], int]
"""In which line of a file each section, setting and part of one begins, from 1, by the names that lead to it."""


@dataclass(frozen=True, slots=True)
class Given:
    """One setting as somebody wrote it."""

    source: str
    """The file, the variable or the flag, as people call it."""
    section: str
    key: str
    value: object
    lines: Lines = field(default_factory=dict, repr=False)
    """Of the file that it stands in; empty elsewhere."""

    def place(self, *inner: str) -> str:
        """Where it stands, or something in it, as people call it: ``sulla.toml:12``.

        Args:
            inner: the names that lead to it from the setting.
        """
        path = (self.section, self.key, *inner)
        line = next((self.lines[path[:n]] for n in range(len(path), 0, -1) if path[:n] in self.lines), 0)
        return f"{self.source}:{line}" if line else self.source


@dataclass(frozen=True, slots=True)
class Wrong:
    """Something that somebody wrote and that is no setting."""

    said: str
    """What it is, where it stands, and what was expected."""


def from_file(path: Path, known: Known) -> Iterator[Given | Wrong]:
    """What a TOML file says; nothing if there is no such file. An unreadable one is wrong as a whole."""
    try:
        text = read_regular(path)
        data = tomllib.loads(text)
    except FileNotFoundError:
        return
    except ValueError as error:  # the library's own, bytes that are no text, and a number too long for Python
        yield Wrong(f"{path}: not valid TOML: {error}")
        return
    except RecursionError:
        yield Wrong(f"{path}: not valid TOML: lists or tables within each other, deeper than anybody writes them")
        return
    except OSError as error:
        yield Wrong(f"{path}: cannot be read: {error.strerror}")
        return
    lines = _lines(text)
    for section, table in data.items():
        yield from _from_table(path, section, table, known, lines)


def read_regular(path: Path) -> str:
    """The text of a file of settings.

    Raises:
        OSError: it cannot be read, or is no file: whoever opens a named pipe waits for somebody to write into it.
        ValueError: it is no text.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), encoding="utf-8") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file: expected one with settings in it", str(path))
        return file.read()


_HEAD: Final = re.compile(r"\s*\[\[?([^\]]+)\]")
_KEY: Final = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_PART: Final = re.compile(r"""[\w-]+|"[^"]*"|'[^']*'""")
_QUOTES: Final = re.compile(r""""{3}|'{3}""")


def _lines(text: str) -> Lines:
    """The lines of a TOML text. The library does not say. What stands in texts of several lines is passed over."""
    found: dict[tuple[str, ...], int] = {}
    head: list[str] = []
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        named = None if inside else _HEAD.match(line) or _KEY.match(line)
        if named is not None:
            parts = [part.strip("\"'") for part in _PART.findall(named[1])]
            head = parts if named.re is _HEAD else head
            whole = parts if named.re is _HEAD else head + parts
            for depth in range(1, len(whole) + 1):
                found.setdefault(tuple(whole[:depth]), number)
        inside ^= len(_QUOTES.findall(line)) % 2 == 1
    return found


def _from_table(path: Path, section: str, table: object, known: Known, lines: Lines) -> Iterator[Given | Wrong]:
    at = f"{path}:{lines[section,]}" if (section,) in lines else f"{path}"
    if not isinstance(table, dict) and section in known:
        yield Wrong(f"{at}: {section!r} is a section: write [{section}], and its settings below it")
    elif not isinstance(table, dict):
        yield Wrong(f"{at}: {section!r} is not a setting{_file_hint(section, known)}")
    elif section not in known and not table:
        near = difflib.get_close_matches(section, known, n=1)
        yield Wrong(f"{at}: [{section}] is not a section; expected one of {', '.join(near or known)}")
    else:
        for key, value in table.items():
            given = Given(str(path), section, key, value, lines)
            if key in known.get(section, ()):
                yield given
            else:
                name = f"{section}.{key}"
                yield Wrong(f"{given.place()}: {name!r} is not a setting{_file_hint(name, known)}")


def from_environ(environ: Mapping[str, str], known: Known) -> Iterator[Given | Wrong]:
    """What the environment says: other programs' names first, then ours, so that ours win.

    A variable with our prefix that is no setting's is wrong.
    """
    for name, (section, key) in {**FOREIGN_NAMES, **FOREIGN_COUNTS}.items():
        if environ.get(name):
            yield Given(name, section, key, environ[name])
    for name in sorted(environ):
        if not name.startswith(PREFIX) or name == HOME:
            continue
        if name.startswith(SECRET_PREFIX) and len(name) > len(SECRET_PREFIX):
            yield Given(name, *SECRETS, {name.removeprefix(SECRET_PREFIX).lower(): environ[name]})
            continue
        section, _, key = name.removeprefix(PREFIX).lower().partition("__")
        if name in SHORT_NAMES:
            section, key = SHORT_NAMES[name]
        elif key not in known.get(section, ()) or name != variable(section, key):
            yield Wrong(f"{name} is not a setting{_variable_hint(name, known)}")
            continue
        yield Given(name, section, key, environ[name])


def variable(section: str, key: str) -> str:
    """A setting's own variable, e.g. ``SULLA_GATEWAY__PORT``."""
    return f"{PREFIX}{section}__{key}".upper()


def _file_hint(asked: str, known: Known) -> str:
    near = _nearest(asked, {f"{section}.{key}": key for section, keys in known.items() for key in keys})
    if not near:
        return f"; the sections are {', '.join(known)}"
    section, key = near.split(".")
    return f"; did you mean {key!r} under [{section}]?"


def _variable_hint(asked: str, known: Known) -> str:
    names = {variable(section, key): key for section, keys in known.items() for key in keys}
    names |= dict.fromkeys((HOME, *SHORT_NAMES), "")
    spelled = {name.removeprefix(PREFIX).lower(): key for name, key in names.items()}
    near = _nearest(asked.removeprefix(PREFIX).lower(), spelled)
    if not near:
        return f"; ours are written {PREFIX}<SECTION>__<KEY>, and the sections are {', '.join(known)}"
    return f"; did you mean {PREFIX}{near.upper()}?"


def _nearest(asked: str, known: Mapping[str, str]) -> str:
    """The known name that was probably meant: the most alike of those whose key was written in full, else of all.

    Args:
        asked: what was written.
        known: each name, and its key.

    Returns:
        Empty if none is alike.
    """
    key = asked.rpartition(".")[2].rpartition("__")[2]
    same_key = [name for name, known_key in known.items() if known_key == key]
    near = difflib.get_close_matches(asked, same_key, n=1, cutoff=0.0) or difflib.get_close_matches(
        asked, known, n=1, cutoff=0.5
    )
    return next(iter(near), "")
