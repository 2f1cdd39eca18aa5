"""Whether Anthropic takes a key and has a model: asked of its list of models, which costs nothing."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

import orjson

from sulla.core.clock import Clock
from sulla.core.errors import ProviderKeyMissing
from sulla.models.anthropic.errors import ADVICE, status_error
from sulla.models.wire.advice import Advice
from sulla.models.wire.failures import no_connection
from sulla.models.wire.json import text_at
from sulla.models.wire.keys import check_key
from sulla.models.wire.listing import Answer, get

PROBE_S: Final = 10.0
"""How long the answer may take: a person waits for it."""

BASE_URL: Final = "https://api.anthropic.com"
_VERSION: Final = "2023-06-01"


async def find_anthropic(
    model: str,
    api_key: str,
    base_url: str,
    clock: Clock,
    timeout_s: float = PROBE_S,
    advice: Advice = ADVICE,
) -> tuple[str, ...]:
    """Ask for a model by its name.

    Args:
        model: the service's own name for it; empty for all that there are.
        api_key: the key.
        base_url: where the service is; empty for its own address.
        clock: for the deadline.
        timeout_s: how long an answer may take, in seconds.
        advice: what to do about the key and the name.

    Returns:
        The model, if it is there; else those that are, and none where the service does not list them. The key was
        taken in any case.

    Raises:
        ProviderError: there is no answer, or the key is refused.
        SettingsError: the key holds what no HTTP header can carry.
    """
    check_key("ANTHROPIC_API_KEY", api_key)
    if not api_key:
        raise ProviderKeyMissing(f"no key for the model {model!r}: set ANTHROPIC_API_KEY")
    root = f"{(base_url or BASE_URL).rstrip('/')}/v1/models"
    # As the SDK sends it with every request: a gateway that takes the key in one way need not take it in another.
    headers = {"authorization": f"Bearer {api_key}", "anthropic-version": _VERSION}
    every = f"{root}?limit=100"
    try:
        answer = await get(f"{root}/{quote(model, safe='')}" if model else every, headers, clock, timeout_s)
        if answer.status == 404:
            return _names(await get(every, headers, clock, timeout_s))
    except OSError as error:
        late = TimeoutError(f"no answer within {timeout_s:g} s") if isinstance(error, TimeoutError) else error
        raise no_connection(model, root, "ANTHROPIC_BASE_URL", late, OSError) from error
    if answer.status >= 300:
        kind, said = text_at(answer.body, "error", "type"), text_at(answer.body, "error", "message")
        words = (said or _shown(answer)).replace(api_key, "***")
        raise status_error(model, answer.status, kind, words, advice=advice)
    return (model,) if model else _names(answer)


def _shown(answer: Answer) -> str:
    return answer.body.decode("utf-8", "replace")


def _names(answer: Answer) -> tuple[str, ...]:
    """The models of a list, the newest first; none where the service has no such list."""
    try:
        return tuple(str(row["id"]) for row in orjson.loads(answer.body)["data"])
    except (ValueError, LookupError, TypeError):
        return ()
