"""Which models a service has that speaks OpenAI's API, asked with the key: whether it is taken shows by that, too."""

from __future__ import annotations

import httpx2
import orjson
from openai import APIConnectionError, APIStatusError, AsyncOpenAI, DefaultAioHttpClient

from sulla.core.clock import Clock
from sulla.core.errors import ProviderProtocol, ProviderUnreachable
from sulla.models.openai.errors import said_of, status_error
from sulla.models.wire.failures import hung_up, innermost, no_answer
from sulla.models.wire.keys import check_key

PROBE_S = 10.0
"""How long the answer may take: a person waits for it."""

BASE_URL = "https://api.openai.com/v1"


async def list_openai(model: str, api_key: str, base_url: str, clock: Clock) -> tuple[str, ...]:
    """Ask which models there are.

    Args:
        model: the one that is wanted, for the errors.
        api_key: the key; empty for none.
        base_url: where the service is, with its version; empty for OpenAI's own.
        clock: for the deadline.

    Returns:
        Their names as the service lists them.

    Raises:
        ProviderError: there is no answer, the key is refused, or what comes is no such list.
        SettingsError: the key holds what no HTTP header can carry.
    """
    check_key("OPENAI_API_KEY", api_key)
    where = base_url or BASE_URL
    client = AsyncOpenAI(
        api_key=api_key or "none",  # an empty one would make the SDK look for others in the environment
        base_url=where,
        max_retries=0,
        http_client=DefaultAioHttpClient(),
    )
    try:
        async with clock.timeout(PROBE_S):
            response = await client.get("/models", cast_to=httpx2.Response)
        return tuple(str(row["id"]) for row in orjson.loads(response.content)["data"])
    except APIStatusError as error:
        said = said_of(error.body) or error.message
        if api_key:
            said = said.replace(api_key, "***")
        raise status_error(model, error.status_code, f"{error.code or ''} {error.type or ''}", said) from error
    except (TimeoutError, APIConnectionError, httpx2.HTTPError) as error:
        if hung_up(error):
            raise no_answer(str(client.base_url), "the list of models") from error
        what = f"no answer within {PROBE_S:g} s" if isinstance(error, TimeoutError) else innermost(error)
        raise ProviderUnreachable(
            f"the service that speaks OpenAI's API cannot be reached ({what}): check the network and OPENAI_BASE_URL"
        ) from error
    except (ValueError, LookupError, TypeError):
        raise ProviderProtocol(
            "what answers where OpenAI's API was expected gave no list of models: check OPENAI_BASE_URL"
        ) from None
    finally:
        await client.close()
