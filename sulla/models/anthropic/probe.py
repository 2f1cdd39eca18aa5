"""Whether Anthropic takes a key and has a model: asked of its list of models, which costs nothing."""

from __future__ import annotations

from urllib.parse import quote

import httpx2
from anthropic import APIConnectionError, APIStatusError, AsyncAnthropic, DefaultAioHttpClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderKeyMissing, ProviderUnreachable
from sulla.models.anthropic.errors import status_error
from sulla.models.wire.failures import hung_up, innermost, no_answer
from sulla.models.wire.keys import check_key

PROBE_S = 10.0
"""How long the answer may take: a person waits for it."""

BASE_URL = "https://api.anthropic.com"


async def find_anthropic(model: str, api_key: str, base_url: str, clock: Clock) -> bool:
    """Ask for a model by its name.

    Args:
        model: the service's own name for it.
        api_key: the key.
        base_url: where the service is; empty for its own address.
        clock: for the deadline.

    Returns:
        Whether it is there; if not, the key was taken all the same.

    Raises:
        ProviderError: there is no answer, or the key is refused.
        SettingsError: the key holds what no HTTP header can carry.
    """
    check_key("ANTHROPIC_API_KEY", api_key)
    if not api_key:
        raise ProviderKeyMissing(f"no key for the model {model!r}: set ANTHROPIC_API_KEY")
    client = AsyncAnthropic(
        api_key=api_key,
        base_url=base_url or BASE_URL,
        max_retries=0,
        http_client=DefaultAioHttpClient(),
        open_telemetry=False,
    )
    try:
        async with clock.timeout(PROBE_S):
            await client.get(f"/v1/models/{quote(model, safe='')}", cast_to=httpx2.Response)
    except APIStatusError as error:
        if error.status_code == 404:
            return False
        said = (error.api_message or error.message).replace(api_key, "***")
        raise status_error(model, error.status_code, str(error.type or ""), said) from error
    except (TimeoutError, APIConnectionError, httpx2.HTTPError) as error:
        if hung_up(error):
            raise no_answer(str(client.base_url), f"the model {model!r}") from error
        what = f"no answer within {PROBE_S:g} s" if isinstance(error, TimeoutError) else innermost(error)
        raise ProviderUnreachable(
            f"Anthropic cannot be reached ({what}): check the network and ANTHROPIC_BASE_URL"
        ) from error
    finally:
        await client.close()
    return True
