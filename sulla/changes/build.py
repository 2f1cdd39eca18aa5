"""Changes that wait for a person, in a daemon. Pure."""

from __future__ import annotations

from sulla.changes.rpc import METHODS
from sulla.changes.service import WaitingChanges
from sulla.host.host import Built, Host


def build(host: Host) -> Built:
    """Make what lists and keeps them; see `host.Built`."""
    agents, place = host.agents, host.place
    changes = WaitingChanges(
        agents.held, agents.marks, host.settings.workspace, place.clock, host.switch, place.redactor
    )
    return Built(methods=(METHODS.done_by(changes),), status=changes.status)
