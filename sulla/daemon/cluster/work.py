"""Who does the work of a daemon, as the settings say."""

from __future__ import annotations

import socket
from dataclasses import replace

from sulla.core.errors import SettingsError
from sulla.core.ids import ThreadId
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import Settings
from sulla.daemon.stores import store_place
from sulla.host.findings import counted
from sulla.host.host import Host
from sulla.host.store_url import work_database
from sulla.threads.given_back import free_lease
from sulla.work.base import GroupOf, Handler, Job, Work
from sulla.work.local import LocalWork


def make_work(settings: Settings, host: Host, handler: Handler, group_of: GroupOf) -> Work:
    """Make it; nothing is opened yet.

    Args:
        settings: say which kind.
        host: has the store and the threads.
        handler: does what there is to do for a log.
        group_of: whose log it is.

    Raises:
        SettingsError: they ask for what there is not, or its library is not installed.
    """
    clock, caps = host.place.clock, bounds.work(settings)
    if settings.work.engine == "local":
        return LocalWork(host.store, handler, group_of, clock, caps)
    try:
        from sulla.work.dbos.cluster import Joining, make_cluster
        from sulla.work.dbos.gateway import GatewayWork
        from sulla.work.dbos.worker import DbosWork
    except ModuleNotFoundError as error:
        raise SettingsError(f"work.engine is 'dbos', and the library {error.name!r} is not installed") from error
    owner = host.place.owner
    own = replace(caps, total=min(caps.total, settings.work.places or caps.total))
    joining = Joining(executor_of(settings), owner, store_place(settings), host.place.accept_store)
    cluster = make_cluster(work_database(settings), joining, settings.work.poll_s, caps, own.total)
    if settings.work.role == "gateway":
        return GatewayWork(host.store, cluster, clock)

    async def free(key: str, home: str) -> None:
        await free_lease(host.store, host.threads.given_back, ThreadId(key), home, owner.partition(":")[2])

    async def handle(job: Job) -> None:
        for home in {one.home for one in cluster.members.dead}:
            await free(job.key, home)
        await handler(job)

    return DbosWork(host.store, handle, group_of, cluster, free, clock, own)


def no_workers(work: Work) -> str:
    """Whether nobody takes turns, for people, with what to do; empty if somebody does, or if that cannot be seen.

    Args:
        work: the daemon's.
    """
    doing = work.inspect()
    if doing.workers != 0:
        return ""
    wait = f" ({counted(doing.waiting, 'conversation')} now)" if doing.waiting else ""
    return (
        f"no worker lives: messages are kept and wait{wait}, and no turn is taken. "
        "Start one (`sulla up --role worker`, the unit sulla-worker@, or its container); "
        "the log of one that has ended says why"
    )


def executor_of(settings: Settings) -> str:
    """What a worker is called in the cluster, the same after each start."""
    return settings.work.executor or f"{socket.gethostname()}:{settings.home}"
