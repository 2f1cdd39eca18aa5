"""A real daemon in a room of a fake homeserver; see `daemon_kit`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from sulla.core.clock import Clock
from sulla.testing.channels.matrix import TOKEN, MatrixWire
from sulla.testing.channels.matrix_rooms import BOT
from tests.channels.daemon_kit import DaemonKit


class TestMatrix(DaemonKit[MatrixWire]):
    kind = "matrix"
    secrets = MappingProxyType({"token": TOKEN})
    account = BOT

    def make(self, clock: Clock) -> MatrixWire:
        return MatrixWire(clock)

    def options(self, wire: MatrixWire) -> Mapping[str, str | int]:
        return {"homeserver": wire.address, "poll_s": 1}
