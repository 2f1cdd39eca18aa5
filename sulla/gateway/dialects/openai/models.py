"""The models of OpenAI's API: each is an agent."""

from __future__ import annotations

import difflib
from typing import cast

from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.dialects.request import RequestContext
from sulla.gateway.problems import Malformed


async def list_models(request: RequestContext) -> None:
    """Answer ``GET /v1/models``."""
    agents = cast(list[JsonObject], (await request.perform("agent.list"))["agents"])
    models: list[Json] = [_model(str(agent["id"])) for agent in agents]
    await request.answer(200, {"object": "list", "data": models})


async def show_model(request: RequestContext) -> None:
    """Answer ``GET /v1/models/{model}``."""
    name = request.said.path["model"]
    await check_agent(request, name)
    await request.answer(200, _model(name))


def _model(name: str) -> JsonObject:
    return {"id": name, "object": "model", "created": 0, "owned_by": "sulla"}


async def check_agent(request: RequestContext, name: str) -> None:
    """See whether there is an agent of that name.

    Raises:
        Malformed: there is none.
    """
    agents = await request.agents()
    if name not in agents:
        near = difflib.get_close_matches(name[:80], agents, n=1)
        hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(agents)}"
        message = f"The model {name[:80]!r} does not exist: a model is an agent's id; {hint}"
        raise Malformed(404, "model_not_found", message, "model")
