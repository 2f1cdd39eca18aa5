"""The door to agents that wake up by themselves."""

from sulla.heartbeat.agenda import Agenda, View, no_playbooks
from sulla.heartbeat.beats import (
    MAX_CYCLES,
    BeatEnded,
    BeatSkipped,
    BeatStarted,
    BeatState,
    BeatStatus,
    CycleEnded,
    CycleStarted,
    Spent,
    apply_beat,
    month_of,
)
from sulla.heartbeat.brief import DIRECTIVE, Around, briefing
from sulla.heartbeat.graph import create_heartbeat_graph, create_overlord_graph
from sulla.heartbeat.limits import BeatLimits
from sulla.heartbeat.log import read_ticks
from sulla.heartbeat.node import HeartbeatNode, Tell
from sulla.heartbeat.office import BeatBudget, BeatInfo, BeatOffice, BeatSchedule, HeartbeatBegun
from sulla.heartbeat.plan import Lot, quiet_until
from sulla.heartbeat.slice import BEATS, HEARTBEAT_THREAD
from sulla.heartbeat.ticks import WAKE, Cycle, Tick, TickPage, TickStatus
from sulla.heartbeat.tools import heartbeat_tools

__all__ = [
    "BEATS",
    "DIRECTIVE",
    "HEARTBEAT_THREAD",
    "MAX_CYCLES",
    "WAKE",
    "Agenda",
    "Around",
    "BeatBudget",
    "BeatEnded",
    "BeatInfo",
    "BeatLimits",
    "BeatOffice",
    "BeatSchedule",
    "BeatSkipped",
    "BeatStarted",
    "BeatState",
    "BeatStatus",
    "Cycle",
    "CycleEnded",
    "CycleStarted",
    "HeartbeatBegun",
    "HeartbeatNode",
    "Lot",
    "Spent",
    "Tell",
    "Tick",
    "TickPage",
    "TickStatus",
    "View",
    "apply_beat",
    "briefing",
    "create_heartbeat_graph",
    "create_overlord_graph",
    "heartbeat_tools",
    "month_of",
    "no_playbooks",
    "quiet_until",
    "read_ticks",
]
