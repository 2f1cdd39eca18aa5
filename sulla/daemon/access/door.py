"""Lets in what capabilities bring of people's words: keeps `agent.door.DoorKeeper` with what clients come in by."""

from __future__ import annotations

from sulla.agent.door import still_waits
from sulla.core.errors import NotFound
from sulla.core.ids import MessageId, ThreadId
from sulla.daemon.intake import Intake
from sulla.daemon.service import Service
from sulla.host.host import Host
from sulla.threads.log.records import Answer, Input
from sulla.threads.store import Sent
from sulla.work.base import Job, Work


class ServiceDoor:
    """It lives as long as the daemon.

    Args:
        host: has the threads and the agents.
        service: what clients may ask.
        intake: takes messages in, at the speed that the limits allow.
        work: whoever runs turns.
    """

    def __init__(self, host: Host, service: Service, intake: Intake, work: Work) -> None:
        self._threads, self._team = host.threads, host.agents.team
        self._service = service
        self._intake = intake
        self._work = work

    async def begin(self, agent: str, title: str, request_id: str, channel: str) -> ThreadId:
        """See `DoorKeeper`."""
        return ThreadId(await self._service.create_thread(agent or None, title, None, request_id, channel))

    async def say(self, thread_id: ThreadId, said: Input, caller: str) -> Sent:
        """See `DoorKeeper`."""
        self._service.check_ready("open")
        if said.agent and said.agent not in (known := self._team.ids):
            raise NotFound(f"no agent {said.agent!r} (known: {', '.join(known)})")
        sent = await self._intake.send(thread_id, said, caller)
        self._work.enqueue(Job(thread_id))
        return sent

    async def stop(self, thread_id: ThreadId, request_id: str) -> None:
        """See `DoorKeeper`."""
        await self._service.stop(thread_id, request_id, drop=True)

    async def withdraw(self, thread_id: ThreadId, message_id: MessageId, request_id: str) -> bool:
        """See `DoorKeeper`."""
        self._service.check_ready("open")
        waits = await still_waits(self._threads, thread_id, message_id)
        await self._threads.stop(thread_id, request_id, only=message_id)
        self._work.enqueue(Job(thread_id))
        return waits

    async def answer(self, thread_id: ThreadId, answer: Answer) -> None:
        """See `DoorKeeper`."""
        await self._service.answer(thread_id, answer.wait_id, answer.verdict, answer.text, answer.by, answer.for_s)
