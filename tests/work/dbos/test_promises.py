"""A worker of a cluster keeps the promises of every worker."""

from __future__ import annotations

from tests.kits.work_kit import WorkKit


class TestDbosWork(WorkKit):
    pass
