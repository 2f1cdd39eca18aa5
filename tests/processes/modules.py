"""Imports what daemons and commands use: for the server that they are forked from (see `tests.processes.forked`)."""

from __future__ import annotations

import gc
import importlib
import pkgutil

import pytest  # noqa: F401  - or each process would: it looks at what the one that asked for it was started by

import sulla
import tests.faults.daemon  # noqa: F401  - it is to be there

_FOR_FEW = (
    "sulla.__main__",
    "sulla.gateway.dialects.mcp.library",
    "sulla.models.openai",
    "sulla.store.postgres",
    "sulla.store.redis",
    "sulla.telemetry.otlp",
)
"""What takes long, and only some tests need."""

gc.disable()
for module in pkgutil.walk_packages(sulla.__path__, "sulla."):
    if not module.name.startswith(_FOR_FEW):
        importlib.import_module(module.name)
gc.freeze()  # a process that is forked need not look at any of it, and shares it
gc.enable()
