"""The door to what agents remember: episodes, facts, and how they are found again."""

from sulla.memory.base import MemoryIndex
from sulla.memory.memory import Caller, Doomed, Memory
from sulla.memory.note import EVERYONE, KINDS, Capacity, Found, Kind, Note, Progress, note_to_json
from sulla.memory.recorder import memory_follower
from sulla.memory.section import row
from sulla.memory.tools import memory_tools

__all__ = [
    "EVERYONE",
    "KINDS",
    "Caller",
    "Capacity",
    "Doomed",
    "Found",
    "Kind",
    "Memory",
    "MemoryIndex",
    "Note",
    "Progress",
    "memory_follower",
    "memory_tools",
    "note_to_json",
    "row",
]
