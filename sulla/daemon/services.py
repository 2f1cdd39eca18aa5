"""Who does the methods of each capability."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.agent import environment_rpc
from sulla.agent import rpc as agents
from sulla.agent.approvals import permissions_rpc
from sulla.daemon.roster import Roster
from sulla.gateway.methods import switch as switch_rpc
from sulla.gateway.methods import system as system_rpc
from sulla.gateway.methods.system import StatusService
from sulla.heartbeat import rpc as heartbeat
from sulla.people import notices_rpc, presence_rpc
from sulla.playbooks import rpc as playbooks
from sulla.projects import rpc as projects
from sulla.projects.service import HomeProjects
from sulla.schedules import rpc as schedules
from sulla.skills import rpc as skills
from sulla.speech import rpc as speech
from sulla.work import SwitchOffice


def services_of(roster: Roster, switch: SwitchOffice, status: StatusService) -> Mapping[str, object]:
    """Each by the name of its capability.

    Args:
        roster: who and what there is to work with.
        switch: has all work stand still.
        status: knows how the daemon is.
    """
    return dict(
        (
            agents.METHODS.done_by(roster),
            skills.METHODS.done_by(roster),
            environment_rpc.METHODS.done_by(roster.scene),
            permissions_rpc.METHODS.done_by(roster.rules),
            projects.METHODS.done_by(HomeProjects(roster.projects)),
            presence_rpc.METHODS.done_by(roster.offices.people.company),
            notices_rpc.METHODS.done_by(roster.offices.people.board),
            schedules.METHODS.done_by(roster.offices.schedules),
            heartbeat.METHODS.done_by(roster.offices.beats),
            playbooks.METHODS.done_by(roster.offices.playbooks),
            speech.METHODS.done_by(roster.offices.speech),
            switch_rpc.METHODS.done_by(switch),
            system_rpc.METHODS.done_by(status),
        )
    )
