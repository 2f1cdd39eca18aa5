"""People: who is there, and what they are told. Pure."""

from __future__ import annotations

from sulla.host.capability import Capability

CAPABILITY = Capability(
    name="people",
    state=("sulla.people.slice:NOTICES_TOLD",),
    methods=(
        "sulla.people.presence_rpc:METHODS",
        "sulla.people.notices_rpc:METHODS",
    ),
    build="sulla.people.build:build",
)
