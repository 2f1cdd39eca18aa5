"""Which models a service has that speaks OpenAI's API, asked with the key: whether it is taken shows by that, too."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import ProviderError, ProviderKeyMissing, ProviderProtocol
from sulla.models.openai.errors import ADVICE, status_error
from sulla.models.wire.advice import Advice
from sulla.models.wire.failures import no_connection
from sulla.models.wire.json import text_at
from sulla.models.wire.keys import check_key
from sulla.models.wire.listing import Answer, get

PROBE_S: Final = 10.0
"""How long the answer may take: a person waits for it."""

BASE_URL: Final = "https://api.openai.com/v1"


async def list_openai(
    model: str,
    api_key: str,
    base_url: str,
    clock: Clock,
    timeout_s: float = PROBE_S,
    advice: Advice = ADVICE,
) -> tuple[str, ...]:
    """Ask which models there are.

    Args:
        model: the one that is wanted, for the errors.
        api_key: the key; empty for none.
        base_url: where the service is, with its version; empty for OpenAI's own.
        clock: for the deadline.
        timeout_s: how long the answer may take, in seconds.
        advice: what to do about the key and the name.

    Returns:
        Their names as the service lists them.

    Raises:
        ProviderError: there is no answer, the key is refused, or what comes is no such list.
        SettingsError: the key holds what no HTTP header can carry.
    """
    check_key("OPENAI_API_KEY", api_key)
    where = (base_url or BASE_URL).rstrip("/")
    if not api_key and urlsplit(where).hostname == urlsplit(BASE_URL).hostname:
        raise ProviderKeyMissing(f"no key for the model {model!r}: set OPENAI_API_KEY")
    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    try:
        answer = await get(f"{where}/models", headers, clock, timeout_s)
    except OSError as error:
        late = TimeoutError(f"no answer within {timeout_s:g} s") if isinstance(error, TimeoutError) else error
        raise no_connection(model, where, "OPENAI_BASE_URL", late, OSError) from error
    if answer.status >= 300:
        raise _refused(model, answer, api_key, advice)
    try:
        return tuple(str(row["id"]) for row in orjson.loads(answer.body)["data"])
    except (ValueError, LookupError, TypeError):
        raise ProviderProtocol(
            "what answers where OpenAI's API was expected gave no list of models: check OPENAI_BASE_URL"
        ) from None


def _refused(model: str, answer: Answer, api_key: str, advice: Advice) -> ProviderError:
    kind = f"{text_at(answer.body, 'error', 'code')} {text_at(answer.body, 'error', 'type')}"
    said = (
        text_at(answer.body, "error", "message")
        or text_at(answer.body, "message")
        or answer.body.decode("utf-8", "replace")
    )
    words = said.replace(api_key, "***") if api_key else said
    return status_error(model, answer.status, kind, words, advice=advice)
