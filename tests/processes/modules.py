"""Imports what daemons and commands use, and makes what each of them would make for itself at its first use: for the
server that they are forked from (see `tests.processes.forked`).
"""

from __future__ import annotations

import asyncio
import gc
import importlib
import pkgutil

import pytest  # noqa: F401  - or each process would: it looks at what the one that asked for it was started by

import sulla
import tests.faults.daemon  # noqa: F401  - it is to be there
from sulla.daemon.models.rehearsal import compile_loaded
from sulla.daemon.settings.config import settings_model
from sulla.gateway.methods.table import METHODS
from sulla.host.system import SystemClock
from sulla.rpc.row import adapter_of

_FOR_FEW = ("sulla.__main__", "sulla.models.openai")
"""What takes long, and only some tests need."""

_LATE = ("anyio._backends._asyncio", "httpcore2", "jinja2.sandbox", "uvicorn.lifespan.off", "yaml")
"""What libraries and Sulla import when they first need it, which every daemon does."""

gc.disable()
for module in pkgutil.walk_packages(sulla.__path__, "sulla."):
    if not module.name.startswith(_FOR_FEW):
        importlib.import_module(module.name)
for name in _LATE:
    importlib.import_module(name)
settings_model().model_rebuild()
for method in METHODS.values():
    method.params.model_rebuild()
    adapter_of(method.result)  # type: ignore[arg-type]  # a class can be hashed
asyncio.run(compile_loaded(SystemClock()))
gc.freeze()  # a process that is forked need not look at any of it, and shares it
gc.enable()
