"""What sub-agents ask people, told where somebody waits for them."""

from __future__ import annotations

from collections.abc import Sequence

from sulla.agent.model.pictures import shown_text
from sulla.core.errors import NotFound
from sulla.core.words import Words, agent
from sulla.people.slice import Notice
from sulla.threads.log.state import ThreadState
from sulla.threads.log.waits import Wait
from sulla.threads.store import ThreadStore


class ChildQuestions:
    """Tells the conversation at the root who of its sub-agents asks what, and how that is answered.

    It lives as long as the daemon.

    Args:
        threads: where the conversations are.
    """

    def __init__(self, threads: ThreadStore) -> None:
        self._threads = threads

    async def __call__(self, state: ThreadState, waits: Sequence[Wait]) -> None:
        """Tell of questions, each once; nothing where whoever asks is nobody's sub-agent, or waits for no person.

        Args:
            state: the thread that asks.
            waits: what it is about to wait for.
        """
        birth = state.identity.birth
        asks = [wait for wait in waits if wait.is_for_people]
        if birth is None or birth.unattended or not asks:
            return
        while birth.parent != birth.root:
            above = await self._threads.load(birth.parent)
            if above is None or above.identity.birth is None:
                return  # it is being removed, and this one with it
            birth = above.identity.birth
        who, tainted = state.identity.agent, state.context.tainted
        for wait in asks:
            how = f"It is answered where questions are: `sulla approvals`, {wait.wait_id}"
            said = Words(f"The sub-agent {who} asks: {wait.prompt} {how}", agent(tainted=tainted))
            notice = Notice(shown_text(said), "high", who, tainted, wait.wait_id)
            try:
                await self._threads.tell(birth.root, notice, f"asked:{wait.wait_id}", birth.run_id)
            except NotFound:
                return  # it was removed meanwhile, and nobody waits there
