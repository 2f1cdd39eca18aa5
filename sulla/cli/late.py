"""What is loaded when it is first used, though those that import it do so at once: a command must not wait for it.

A module's stand-in takes its place among the loaded modules before anybody imports it.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

from sulla.host.installed import is_named

if TYPE_CHECKING:
    from importlib.abc import Loader

_OF_ARGPARSE = ("bz2", "lzma", "zlib", "fnmatch", "locale")
"""`argparse` asks `shutil` how wide the terminal is, which imports the first four to see that they are there, or for
what it does with files. Where it looks for translations it needs `locale`, which `subprocess` imports as well."""

_SELDOM_USED = (
    *("importlib.metadata", "urllib.request", "inspect", "traceback", "linecache", "copy"),
    *("textwrap", "shlex"),
)
"""`websockets` imports the first two, and with them `email`, `http` and `zipfile`, for proxies that nobody asks it for
and for a version that it knows: a fifth of what `sulla ask` took of the processor. `asyncio` and `dataclasses` import
`inspect`, with `ast` and `dis`, for what nobody asks them here, and `logging` and they the other three, with
`tokenize`, for failures that nobody foresaw. `traceback` imports `textwrap` for failures as well, and we `shlex`
for a line that is to be typed."""

_OPENSSL = ("ssl", "_hashlib")
"""What of Python is made of it."""

_OF_ASYNCIO = ("asyncio.sslproto", "asyncio.staggered")
"""Its modules for connections with TLS, and to names with several addresses."""

_NOT_FOR_DAEMONS = ("html", "difflib", "tomllib", "logging.config")
"""What a daemon uses when a page writes signs as entities, somebody writes a wrong name or a home has settings, and
what `uvicorn` sets logs up with, which is not its business here: 0.9 MiB, with what these import."""

_LATE_PACKAGES = {"uvicorn": {"Config": "uvicorn.config", "Server": "uvicorn.server"}}
"""Packages, and the modules of their names that are used all the same. `uvicorn` itself is for those who start it from
a command line: `click` and `multiprocessing`, which it imports for them, weigh 1.5 MiB."""


def for_all() -> None:
    """Leave to its first use what `argparse` imports for more than it does here. Call it before that is imported.

    What it says is English, as all that Sulla says: no translations are looked for.
    """
    _load_late(*_OF_ARGPARSE)
    _load_late("gettext", gettext=_untranslated, ngettext=_untranslated_number)


def for_a_client() -> None:
    """Leave to its first use what commands that talk to a daemon seldom need."""
    _load_late(*_SELDOM_USED)
    _platform_late()


def for_a_daemon() -> None:
    """Leave to its first use what daemons seldom need.

    `importlib.metadata`, with `zipfile` and `csv` below it 0.6 MiB, is imported by `websockets` for a version that it
    knows, and asked by `pydantic` for plugins.
    """
    _load_late("importlib.metadata", entry_points=_entry_points)
    _load_late(*_NOT_FOR_DAEMONS)
    _platform_late()
    _packages_late(_LATE_PACKAGES)


def _platform_late() -> None:
    """`uuid`, which `websockets` and `pydantic` import, asks `platform` for the system's name, and that has ten regular
    expressions for other questions.
    """
    _load_late("platform", system=_system)


class _LateModule(ModuleType):
    """Stands for a module until one of its names is used. That of `importlib.util` is loaded by a second ``import``."""

    def __getattr__(self, name: str) -> object:
        """Called for what is not here yet, which is everything."""
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def _untranslated(message: str) -> str:
    return message


def _untranslated_number(one: str, more: str, count: int) -> str:
    return one if count == 1 else more


def _system() -> str:
    return os.uname().sysname


def _entry_points(**wanted: str) -> object:
    """What `importlib.metadata` has for these; it is loaded, but where `pydantic` asks for plugins that nobody has."""
    if wanted == {"group": "pydantic"} and not is_named("pydantic"):
        return ()  # which it goes through; others may want more of what they get
    importlib.import_module("importlib.metadata").EntryPoint  # noqa: B018 - has it loaded, if this one stands in for it
    return importlib.import_module("importlib.metadata").entry_points(**wanted)


class _PartlyLateModule(_LateModule):
    """Has some names at once. It is no package: who imports one of those names asks for its ``__path__`` first."""

    def __getattr__(self, name: str) -> object:
        """Called for what is not here yet."""
        if name == "__path__":
            raise AttributeError(name)
        return super().__getattr__(name)


def _load_late(*names: str, **given: object) -> None:
    """Have modules loaded when one of their names is first used.

    Args:
        names: of modules that are no package's, or in packages that are light, dotted.
        given: names of theirs that are had without them.
    """
    for name in names:
        if name not in sys.modules:
            late = _stand_in(name, **given)
            package, _, part = name.rpartition(".")
            if package:
                setattr(importlib.import_module(package), part, late)


def _stand_in(name: str, **given: object) -> ModuleType:
    late = sys.modules[name] = _PartlyLateModule(name) if given else _LateModule(name)
    vars(late).update(given)
    late.__spec__ = ModuleSpec(name, None)
    return late


class _LatePackage(ModuleType):
    """A package whose ``__init__`` runs when one of its names is used; its modules can be imported before.

    Args:
        spec: where it is.
        loader: runs its ``__init__``.
        places: the modules of names for which it need not run.
    """

    def __init__(self, spec: ModuleSpec, loader: Loader, places: Mapping[str, str]) -> None:
        super().__init__(spec.name)
        self.__spec__, self.__loader__, self.__file__ = spec, loader, spec.origin
        self.__path__, self.__package__ = spec.submodule_search_locations or [], spec.name
        self._begin, self._places = loader.exec_module, places

    def __getattr__(self, name: str) -> object:
        """Called for what is not here yet."""
        if name in self._places:
            return getattr(importlib.import_module(self._places[name]), name)
        begin, self.__class__ = self._begin, ModuleType  # type: ignore[assignment]  # what it is from now on
        begin(self)
        return getattr(self, name)


def _packages_late(packages: Mapping[str, Mapping[str, str]]) -> None:
    """Have the ``__init__`` of packages run when one of their names is first used.

    Args:
        packages: their names, none of them in another package, each with the modules of names that do without it.
    """
    for name, places in packages.items():
        spec = PathFinder.find_spec(name) if name not in sys.modules else None
        if spec is not None and spec.loader is not None:  # else whoever imports it is told
            sys.modules[name] = _LatePackage(spec, spec.loader, places)


def without_openssl() -> None:
    """Import `asyncio` and `hashlib` as in a Python that was built without OpenSSL: to load that takes a tenth of what
    `sulla ask` does of the processor, and a client speaks to its daemon over loopback alone. `asyncio` asks of each
    connection whether it is one of `ssl`, so it looks for that at once; all others find it when they use it.
    """
    if not {"asyncio", "hashlib", "ssl"}.isdisjoint(sys.modules):
        return
    for name in _OPENSSL:
        sys.modules[name] = None  # type: ignore[assignment]  # whoever imports it is told that there is none
    for name in _OF_ASYNCIO:
        _stand_in(name)  # the package is not there yet, and finds it when it is imported
    try:
        for name in ("asyncio", "hashlib", "hmac"):
            importlib.import_module(name)
    finally:
        for name in _OPENSSL:
            del sys.modules[name]
    _load_late("ssl")
