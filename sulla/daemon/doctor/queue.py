"""`sulla doctor` on the queue by which the daemons of a cluster share work."""

from __future__ import annotations

from sulla.core.errors import StoreUnavailable
from sulla.daemon.cluster.sight import QueueSight, see_queue
from sulla.daemon.doctor.probes import Patient
from sulla.host.findings import Finding, counted, fault, ok, warning
from sulla.host.store_url import work_database


async def queue(patient: Patient) -> list[Finding]:
    """The PostgreSQL of the queue: asked by a connection of its own, whether the home's daemon runs or not."""
    work = patient.settings.work
    if work.engine != "dbos":
        return ok("there is none: work.engine is 'local'")
    if not work_database(patient.settings):
        return [warning("it was not looked at: the settings name no PostgreSQL for it", "set work.database_url")]
    try:
        seen = await see_queue(patient.settings)
    except StoreUnavailable as error:
        after = "goes on by itself then" if patient.where is not None else "does not start before"
        return [fault(error.message, f"mend what it names: the daemon {after}")]
    return judge_queue(seen, is_gateway=work.role == "gateway")


def judge_queue(seen: QueueSight, *, is_gateway: bool) -> list[Finding]:
    """The queue: its tables are there or can be made, and the server has connections for all who live.

    Args:
        seen: the server, and what each daemon wants of it.
        is_gateway: whether the home's own daemon is one.
    """
    server = seen.server
    if not (server.made or server.may_make):
        said = f"this user may make no tables in the PostgreSQL {server.shown}, by which work is shared"
        return [fault(said, "make it the owner of the database; `sulla up` does not start before")]
    wanted = server.workers * seen.worker + is_gateway * seen.gateway
    who = counted(server.workers, "worker") + (" and this gateway" if is_gateway else "")
    if wanted > server.most_connections:
        said = (
            f"the PostgreSQL {server.shown} has {server.most_connections} connections for all but superusers, and "
            f"{who} may want {wanted} of them ({seen.worker} each, and {seen.gateway} for each gateway)"
        )
        return [warning(said, "raise its max_connections, or run fewer daemons (docs/scale.md)")]
    return ok(f"the PostgreSQL {server.shown}, {counted(server.workers, 'worker')} at work")
