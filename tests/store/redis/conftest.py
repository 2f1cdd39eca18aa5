"""Of the kit on fakeredis the gate has a fifth, drawn by the commit; `./dev faults` has all of it.

fakeredis is no server that anybody keeps threads in, and takes five times as long as one.
"""

from __future__ import annotations

import pytest

from tests.kits.points import sample

_SHARE = 5


@pytest.hookimpl(tryfirst=True)  # before marks are looked at
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Draw."""
    kit = [item for item in items if "TestRedisStoreOnFakeredis" in item.nodeid]
    chosen = {id(item) for item in sample(kit, -(-len(kit) // _SHARE), "fakeredis")}
    for item in kit:
        if id(item) not in chosen:
            item.add_marker(pytest.mark.faults)
