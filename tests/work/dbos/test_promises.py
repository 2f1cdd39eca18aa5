"""A worker of a cluster keeps the promises of every worker."""

from __future__ import annotations

from tests.kits.in_turn import in_turn
from tests.kits.work_kit import WorkKit

pytestmark = in_turn(5)


class TestDbosWork(WorkKit):
    pass
