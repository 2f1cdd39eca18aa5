"""How a service is asked for the size of a request: soon, and without harm where it cannot say."""

from __future__ import annotations

import pytest

from sulla.core.errors import InvalidInput, ProviderTransient, SullaError
from sulla.daemon.models.providers import COUNT_S, asker
from sulla.models.base import ChatRequest
from sulla.testing.provider import ScriptedProvider

REQUEST = ChatRequest("m", (), [])


class Counting(ScriptedProvider):
    """A provider that counts, or fails to."""

    def __init__(self, answer: int | SullaError) -> None:
        super().__init__()
        self._answer = answer
        self.asked: list[ChatRequest] = []

    async def count_tokens(self, request: ChatRequest) -> int | None:
        """Answer as the test says."""
        self.asked.append(request)
        if isinstance(self._answer, SullaError):
            raise self._answer
        return self._answer


async def test_the_answer_is_asked_for_with_a_deadline_of_its_own() -> None:
    provider = Counting(7)
    assert await asker(provider)(REQUEST) == 7
    assert provider.asked[0].timeout_s == COUNT_S


@pytest.mark.parametrize("failure", [ProviderTransient("down"), InvalidInput("no such history")])
async def test_a_failure_is_no_answer(failure: SullaError) -> None:
    assert await asker(Counting(failure))(REQUEST) is None


async def test_a_provider_that_does_not_count_has_none() -> None:
    assert await asker(ScriptedProvider())(REQUEST) is None
