"""The knowledge of a home, in a daemon. Pure."""

from __future__ import annotations

from dataclasses import replace

from sulla.host.host import Built, Host
from sulla.knowledge.origins import KnowledgeOrigins
from sulla.knowledge.settings import KnowledgeSettings
from sulla.knowledge.shelf import KnowledgeShelf
from sulla.knowledge.tools import NO_KNOWLEDGE, knowledge_tool
from sulla.tools.base import Tool


def origins_of(host: Host, shelf: KnowledgeShelf) -> KnowledgeOrigins:
    """What says whose words the files are.

    Args:
        host: has the marks.
        shelf: has the folder.
    """
    return KnowledgeOrigins(shelf.folder, host.settings.workspace, host.agents.marks.origins(shelf.folder))


def build(host: Host) -> Built:
    """Make it; see `host.Built`. Agents are told of the tool as long as there is something to read."""
    wanted = host.settings.section(KnowledgeSettings)
    shelf = KnowledgeShelf(host.settings.home, wanted, host.place.clock)
    tool = knowledge_tool(shelf, origins_of(host, shelf), wanted.passages)
    there, nothing = (tool,), tuple[Tool, ...]()
    return Built(
        provides=(shelf,),
        tools=(replace(tool, missing=NO_KNOWLEDGE),),
        tool_source=lambda: there if shelf.has_files else nothing,
        look_now=shelf.look_now,
        before_work=shelf.look,
    )
