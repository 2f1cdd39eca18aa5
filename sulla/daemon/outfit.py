"""All that agents can do, before anybody does it."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from sulla.daemon.agents import Kit, equip
from sulla.daemon.family import FamilyDesk
from sulla.daemon.hands import Hands, lasting_tools, make_hands
from sulla.daemon.settings.config import Settings
from sulla.host.place import Place
from sulla.mcp.build import make_servers
from sulla.mcp.hub import McpHub
from sulla.memory.build import Memories, make_memories
from sulla.tools import Tool


class Outfit(NamedTuple):
    """What tools work with, and who has which."""

    hands: Hands
    memories: Memories
    servers: McpHub
    family: FamilyDesk
    always: tuple[Tool, ...]
    """The tools beside the built-in ones that come and go with nothing."""
    kit: Kit


def make_outfit(settings: Settings, place: Place) -> Outfit:
    """Nothing is opened or started yet.

    Args:
        settings: everything that can be set.
        place: what the daemon stands on.
    """
    hands, memories, family = make_hands(settings, place.clock), make_memories(settings, place.clock), FamilyDesk()
    always = (*lasting_tools(hands, memories, family), *place.extra_tools)
    servers = make_servers(settings, place.clock)
    kit = replace(equip(settings, place.clock, always), playbooks=hands.playbooks)
    return Outfit(hands, memories, servers, family, always, kit)
