"""A running daemon's agent as Python programs talk to it: one turn as one stream, with all that works for it.

It goes through the daemon's WebSocket like any client, and needs nothing but an address and a token.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Final

from sulla.core.dataclass import dataclass
from sulla.core.errors import Unavailable
from sulla.core.jsontypes import Json, JsonObject
from sulla.flows.schema import AgentFlow
from sulla.host.system import SystemClock, random_id
from sulla.rpc.family_place import FamilyPlace
from sulla.terminal.client import Client, Event, open_client
from sulla.terminal.place import Door

PATIENCE_S: Final = 60.0
"""How long a daemon may be away before a turn is given up, in seconds."""
_RETRY_S: Final = 0.25
_ENDS: Final = frozenset({"RUN_FINISHED", "RUN_ERROR"})


@dataclass(frozen=True, slots=True)
class FlowAgent:
    """An agent of a daemon. It holds nothing, so turns of several conversations can be streamed at once.

    Args:
        url: the daemon's, e.g. ``http://127.0.0.1:8137``.
        token: one with the scope `write`; with `admin`, turns can bring flows and agents of their own.
        agent: its id; empty for the daemon's own.
        patience_s: how long the daemon may be away before a turn is given up, in seconds.
    """

    url: str
    token: str
    agent: str = ""
    patience_s: float = PATIENCE_S

    async def run_stream(
        self,
        text: str,
        *,
        thread_id: str = "",
        custom_flow: AgentFlow | Mapping[str, Json] | None = None,
        custom_sub_agents: Sequence[Mapping[str, Json]] = (),
        system_context: Mapping[str, Json] | None = None,
        **flags: bool | int | str,
    ) -> AsyncGenerator[Event, None]:
        """Say something, and give all that happens until its turn is over: events of the turn, and of what it sets to
        work, each of the kept ones once. A daemon that goes away and comes back meanwhile is waited for.

        Args:
            text: the message.
            thread_id: the conversation; empty for a new one, which the events name.
            custom_flow: walks the turn, in the place of the default flow.
            custom_sub_agents: agents that the turn brings along.
            system_context: values that conditions and switches look at.
            **flags: `agent_mode`, `flow`, `deep_thinking`, `plan`, `more_suggest`, `max_loop_count`.

        Raises:
            Unavailable: the daemon was away for too long.
            Refused: it does not take the message; the error says why.
        """
        said: JsonObject = {**flags}
        if custom_flow is not None:
            said["custom_flow"] = custom_flow.to_json() if isinstance(custom_flow, AgentFlow) else dict(custom_flow)
        if custom_sub_agents:
            said["custom_sub_agents"] = [dict(one) for one in custom_sub_agents]
        if system_context is not None:
            said["system_context"] = dict(system_context)
        turn = _Turn(text, said, self.agent, FamilyPlace(thread_id))
        clock, away_s = SystemClock(), 0.0
        while True:
            try:
                async with open_client(Door(self.url, self.token)) as client:
                    await turn.begin(client)
                    away_s = 0.0
                    async for event in client.events():
                        over = turn.take(event)
                        yield event
                        if over:
                            return
            except Unavailable:
                if away_s >= self.patience_s:
                    raise
                away_s += _RETRY_S
                await clock.sleep(_RETRY_S)


class _Turn:
    """One message and how far its stream has come; it lives as long as the stream."""

    def __init__(self, text: str, flow: JsonObject, agent: str, place: FamilyPlace) -> None:
        self._text = text
        self._flow = flow
        self._agent = agent
        self._place = place
        # The ids stay the same over all tries: what was acknowledged before a break is not done twice.
        self._request_id, self._message_id = random_id("req"), random_id("msg")
        self._run_id = ""

    async def begin(self, client: Client) -> None:
        """Say it, or say it again, and follow what comes of it from where the stream stands.

        Raises:
            SullaError: the daemon refuses it, or the connection broke.
        """
        if not self._place.thread_id:
            made = await client.call("thread.create", agent=self._agent or None, request_id=self._request_id)
            self._place = FamilyPlace(made["thread_id"])
        thread_id = self._place.thread_id
        about: dict[str, Any] = {"thread_id": thread_id, "message_id": self._message_id, "text": self._text}
        sent = await client.call("turn.send", **about, flow=self._flow or None)
        self._run_id = sent["run_id"]
        self._place.after = max(self._place.after, int(sent["seq"]) - 1)
        known = dict(self._place.children) or None
        where = {"thread_id": thread_id, "after": self._place.after, "children": True}
        await client.call("events.subscribe", **where, after_children=known)

    def take(self, event: Event) -> bool:
        """Learn from an event how far the stream has come; whether the turn is over."""
        seq, thread_id, type_ = event.get("seq"), str(event.get("thread_id", "")), str(event["type"])
        if seq is None:  # it is live, and not kept
            return False
        self._place.take(thread_id, int(seq), type_, event["data"])
        return type_ in _ENDS and thread_id == self._place.thread_id and event["run_id"] == self._run_id
