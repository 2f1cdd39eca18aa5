"""`sulla doctor` on the queue of a cluster, on a real PostgreSQL."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.daemon.cluster.sight import QueueSight, see_queue
from sulla.daemon.doctor.probes import Patient
from sulla.daemon.doctor.queue import judge_queue, queue
from sulla.daemon.settings.config import examine_settings, load_settings
from sulla.host.findings import Finding
from sulla.host.home import Home, Whereabouts
from sulla.host.system import SystemClock
from sulla.work.dbos.look import QueueServer
from tests.kits.work_kit import CLOCK
from tests.servers.stores.postgres import PostgresServer
from tests.work.dbos.conftest import cluster

_SERVER = QueueServer("postgresql://db/sulla", 97, made=True, may_make=True, workers=5)
_WHERE = Whereabouts("http://127.0.0.1:1", 1)


async def _never(method: str) -> JsonObject:
    raise AssertionError(f"the daemon was asked for {method}")


def _environ(url: str, role: str = "worker") -> dict[str, str]:
    return {
        "SULLA_WORK__ENGINE": "dbos",
        "SULLA_WORK__ROLE": role,
        "SULLA_WORK__DATABASE_URL": url,
        "SULLA_STORE": "redis://127.0.0.1:1/0",
    }


async def _found(home: Path, environ: dict[str, str], where: Whereabouts | None = None) -> Finding:
    patient = Patient(Home(home), examine_settings(environ, {}, home), SystemClock(), 0, where, _never)
    (finding,) = await queue(patient)
    return finding


async def test_a_home_without_a_cluster_has_none(tmp_path: Path) -> None:
    assert (await _found(tmp_path, {})).result == "ok"


@pytest.mark.parametrize("role", ["worker", "gateway"])
async def test_a_queue_that_answers_is_looked_at_whether_the_daemon_runs_or_not(
    tmp_path: Path, postgres_server: PostgresServer, role: str
) -> None:
    url = postgres_server.emptied()
    before = await _found(tmp_path, _environ(url, role))
    assert (before.result, before.found.endswith(", 0 workers at work")) == ("ok", True)
    made = cluster(url)
    await made.make(CLOCK)
    await made.members.join(CLOCK)
    found = await _found(tmp_path, _environ(url, role), _WHERE)
    await made.close()
    assert (found.result, found.found.endswith(", 1 worker at work")) == ("ok", True)


async def test_what_keeps_the_daemon_from_starting_is_a_fault_with_the_remedy(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    wrong = postgres_server.url(password="another-one")
    for where, after in ((None, "does not start before"), (_WHERE, "goes on by itself")):
        finding = await _found(tmp_path, _environ(wrong), where)
        assert finding.result == "fault"
        assert "check the user and the password in the URL" in finding.found
        assert "work.database_url" in finding.found
        assert after in finding.remedy
        assert "another-one" not in finding.found
    away = await _found(tmp_path, _environ("postgresql://sulla@127.0.0.1:1/sulla"))
    assert (away.result, "start the server, or check the host and the port" in away.found) == ("fault", True)


def test_tables_that_are_not_there_and_cannot_be_made_are_a_fault() -> None:
    sight = QueueSight(replace(_SERVER, made=False, may_make=False), 12, 5)
    (finding,) = judge_queue(sight, is_gateway=False)
    assert (finding.result, "owner of the database" in finding.remedy) == ("fault", True)


@pytest.mark.parametrize(
    ("workers", "is_gateway", "result"),
    [(8, False, "ok"), (9, False, "warning"), (7, True, "ok"), (8, True, "warning")],
)
def test_fewer_connections_than_those_who_live_may_want_are_worth_a_word(
    workers: int, result: str, *, is_gateway: bool
) -> None:
    sight = QueueSight(replace(_SERVER, workers=workers, most_connections=100), 12, 5)
    (finding,) = judge_queue(sight, is_gateway=is_gateway)
    assert (finding.result, "max_connections" in finding.remedy) == (result, result == "warning")


async def test_what_each_wants_counts_the_store_where_it_is_the_same_server(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    url = postgres_server.emptied()
    environ = {"SULLA_WORK__ENGINE": "dbos", "SULLA_STORE": url}
    both = await see_queue(load_settings(environ, {}, tmp_path))
    alone = await see_queue(load_settings(_environ(url), {}, tmp_path))
    assert (alone.worker, alone.gateway) == (13, 5)
    assert (both.worker, both.gateway) == (24, 16)
    assert alone.server.most_connections == 197
