"""Two daemons with two homes on one store: every acknowledged message is answered once, whoever dies meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.faults.backend import Backend
from tests.faults.crowd import Plan, crowd
from tests.kits.points import some

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))


KINDS = ("sqlite", "redis", "postgres")


@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", some(KINDS, 1, "two homes"))
async def test_a_crowd_on_two_daemons_is_answered_in_order_and_once(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    plan = Plan(threads=6, messages=10, kills=1, seed=SEED)
    print(plan)
    assert not await crowd(tmp_path, backend_of(kind), plan)


@pytest.mark.faults
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", KINDS)
async def test_a_thousand_messages_over_twenty_threads(
    tmp_path: Path, kind: str, backend_of: Callable[[str], Backend]
) -> None:
    plan = Plan(threads=20, messages=50, kills=4, seed=SEED)
    print(plan)
    assert not await crowd(tmp_path, backend_of(kind), plan)
