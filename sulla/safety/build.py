"""What a daemon says of mistrusted conversations. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sulla.agent.ending import Closing, WalkCut, close_run
from sulla.core.late import late
from sulla.host.host import Built, Host
from sulla.knowledge.shelf import KnowledgeShelf
from sulla.projects.projects import Projects
from sulla.safety.rpc import METHODS
from sulla.threads.archive.fork import ThreadForks
from sulla.threads.archive.restore import ThreadRestore
from sulla.threads.log.family import FORKED
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.state import ThreadState

if TYPE_CHECKING:
    from sulla.safety.service import HomeSafety


def build(host: Host) -> Built:
    """Make what answers; see `host.Built`."""
    place, ceiling_tokens = host.place, host.agents.limits.history_tokens
    restore = ThreadRestore(host.store, place.clock, place.owner, host.threads.schema, ceiling_tokens, _close, FORKED)
    roots = (host.settings.workspace, host.needed(Projects).place(""), host.needed(KnowledgeShelf).folder)
    forks = ThreadForks(host.threads, restore, place.clock)

    def make() -> HomeSafety:
        from sulla.safety.service import HomeSafety

        return HomeSafety(host.threads, forks, place.make_id, host.agents.marks, roots)

    return Built(provides=(forks,), methods=(METHODS.done_by(late(make)),))


def _close(state: ThreadState, run: OpenRun, now_ms: int) -> list[Closing]:
    return close_run(state, run, WalkCut(FORKED), "", now_ms)
