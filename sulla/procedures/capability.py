"""Guided procedures: what is kept of them in a thread. Routes lead people through them. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(name="procedures", needs=("skills",), state=("sulla.procedures.slice:PROCEDURES",))
