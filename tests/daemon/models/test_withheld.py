"""A key of another service is refused at once, and sent to nobody."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from sulla.core.errors import ProviderKeyMissing
from sulla.core.ids import MessageId
from sulla.core.message import Message, Text
from sulla.daemon.models.withheld import KeyWithheld, anothers_key
from sulla.host.sections import ModelSettings
from sulla.models.base import ChatRequest
from sulla.models.catalog import ModelName

GPT = ModelName("openai", "gpt-5")


@pytest.mark.parametrize(
    ("key", "base_url", "service"),
    [
        ("sk-ant-0123456789", "", "Anthropic"),
        ("sk-proj-0123456789", "", ""),
        ("0123456789", "", ""),
        ("sk-ant-0123456789", "http://127.0.0.1:8000/v1", ""),
    ],
)
def test_a_key_is_anothers_by_how_it_begins_at_the_services_own_address(key: str, base_url: str, service: str) -> None:
    settings = ModelSettings(openai_api_key=SecretStr(key), openai_base_url=base_url)
    said, found = anothers_key(settings, GPT)
    assert found == service
    assert key not in said


async def test_it_is_refused_before_anything_is_sent_and_not_tried_again() -> None:
    provider = KeyWithheld("openai", "OPENAI_API_KEY holds a key that begins like one of Anthropic, not of OpenAI")
    request = ChatRequest("gpt-5", (), [Message(MessageId("m"), "user", (Text("hello"),))], (), 16, 5.0)
    with pytest.raises(ProviderKeyMissing, match="sent to nobody") as refused:
        await anext(provider.stream(request))
    assert not refused.value.retryable
