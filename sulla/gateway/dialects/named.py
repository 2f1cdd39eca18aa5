"""Names that clients give in paths and bodies, looked up as every dialect does."""

from __future__ import annotations

import difflib

from sulla.core.errors import NotFound
from sulla.gateway.dialects.request import RequestContext
from sulla.gateway.problems import Malformed
from sulla.rpc.limits import TITLE_CHARS

_OWN = "thr_"
"""What every thread's id begins with; any other name of a conversation is the client's own."""
_SHOWN_CHARS = 80


async def check_agent(request: RequestContext, name: str) -> None:
    """See whether there is an agent of that name, before anything is made for it.

    Raises:
        NotFound: there is none.
    """
    agents = await request.agents()
    if name not in agents:
        near = difflib.get_close_matches(name[:_SHOWN_CHARS], agents, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(agents)}"
        raise NotFound(f"no agent {name[:_SHOWN_CHARS]!r}: {hint}")


async def thread_named(request: RequestContext, name: str, agent: str | None, param: str, project: str = "") -> str:
    """The thread of a conversation.

    Args:
        request: the request.
        name: a thread's id, or the client's own name for a conversation.
        agent: who answers in it; None for the default agent.
        param: where in the request the name is.
        project: what the conversation is about; empty for nothing that is said here.

    Raises:
        Malformed: a conversation cannot be called that, or is about something else.
        NotFound: there is no such thread, or no such project.
    """
    if name.startswith(_OWN):
        if project and (about := (await request.look(request.commands.get_thread(name))).project) != project:
            is_about = f"is about {about!r}" if about else "belongs to no project"
            raise Malformed(
                422, "invalid_input", f"project: got {project[:_SHOWN_CHARS]!r}, {name} {is_about}", "project"
            )
        return name
    if len(name) > TITLE_CHARS or not name.isprintable():
        message = f"{param}: expected a thread's id, or a name of up to {TITLE_CHARS} printable characters"
        raise Malformed(422, "invalid_input", message, param)
    return await request.thread(name, agent, name, project)
