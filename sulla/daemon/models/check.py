"""Whether a model can answer, found out without paying for an answer: `up`, `status`, `doctor` and `init` say the same
of it, because they ask here.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Sequence
from typing import Final

from sulla.core.clock import Clock
from sulla.core.errors import ProviderError, ProviderKeyMissing, ProviderRejected, ProviderUnauthorized, SullaError
from sulla.daemon.models.choice import Choice, unused_key
from sulla.daemon.models.providers import known_models
from sulla.daemon.models.withheld import anothers_key
from sulla.host.findings import Finding, fault, ok, warning
from sulla.host.sections import ModelSettings
from sulla.models.catalog import OFFLINE, ModelName

log = logging.getLogger(__name__)

START_S: Final = 2.0
"""How long a service may take to answer after the daemon's start: within three seconds people know what is wrong."""

AGAIN_S: Final = 30.0
"""How often a model that cannot answer is looked at again."""

_ELSEWHERE: Final = {
    "Anthropic": "set ANTHROPIC_API_KEY to it and SULLA_MODEL=anthropic:<model>",
    "OpenAI": "set OPENAI_API_KEY to it and SULLA_MODEL=openai:<model>",
    "OpenRouter": "OPENAI_API_KEY, OPENAI_BASE_URL=https://openrouter.ai/api/v1 and SULLA_MODEL=openai:<model>",
}
_USELESS: Final = "set OPENAI_BASE_URL if that service speaks OpenAI's API, or set the right key"


async def check_model(settings: ModelSettings, choice: Choice, clock: Clock, timeout_s: float) -> Finding:
    """Whether a model's service is there, takes the key and has the model. Nothing is paid for that.

    Args:
        settings: the keys and addresses.
        choice: the model.
        clock: for the deadline.
        timeout_s: how long the service may take to answer, in seconds; its library is loaded before that.
    """
    model = choice.model
    if model.provider == OFFLINE and settings.name:
        return ok(f"{model}: {choice.why}")[0]
    if model.provider == OFFLINE:
        remedy = "set ANTHROPIC_API_KEY, or start an Ollama, or set SULLA_MODEL; `sulla init` finds what there is"
        said = "no model is configured: answers come offline, from a few fixed rules"
        return warning(said, unused_key(settings) or remedy)
    base_url = {"anthropic": settings.anthropic_base_url, "openai": settings.openai_base_url}.get(model.provider, "")
    if (wrong := _anothers_key(settings, model)) is not None:
        return wrong
    try:
        known = await known_models(settings, model, clock, timeout_s)
    except ProviderKeyMissing as error:
        return fault(f"{model} ({choice.why}): {error.message}", "in the environment, or by `sulla init` in keys.toml")
    except ProviderUnauthorized as error:
        return fault(f"{model} ({choice.why}): {error.message}", ANOTHER_KEY)
    except ProviderRejected as error:
        if base_url:
            return warning(f"{model}: {error.message}", "nothing, if this server is known not to list its models")
        return fault(f"{model} ({choice.why}): {error.message}", _UNTIL)
    except ProviderError as error:
        return fault(f"{model} ({choice.why}): {error.message}", _UNTIL)
    return judge_model(str(model), model.model, known, sure=not base_url)


_UNTIL: Final = "until then every turn ends as failed"
ANOTHER_KEY: Final = "give another key; until then every turn ends as failed"
"""The remedy where the service refuses the key."""


def _anothers_key(settings: ModelSettings, model: ModelName) -> Finding | None:
    """What is wrong with a key that begins as another service's keys do; None if nothing is. It is sent to nobody."""
    said, service = anothers_key(settings, model)
    return fault(f"{model}: {said}", f"for {service}: {_ELSEWHERE.get(service, _USELESS)}") if said else None


def judge_model(model: str, name: str, known: Sequence[str], sure: bool) -> Finding:
    """A service that answered and took the key.

    Args:
        model: the whole name, e.g. ``ollama:qwen3:8b``.
        name: the service's own name for it.
        known: what the service says that it has.
        sure: whether such a list is complete; a server of one's own may leave out what it has.
    """
    if name in known or f"{name}:latest" in known:
        return ok(f"{model}: the service answers and has it")[0]
    near = difflib.get_close_matches(name, known, n=3) or known[:10]
    more = " …" if len(known) > len(near) else ""
    has = f"; it has {', '.join(near)}{more}" if known else ""
    said = f"{model}: the service answers, but does not list this model{has}"
    if model.startswith("ollama:"):
        return fault(said, f"ollama pull {name}")
    remedy = "check the name in SULLA_MODEL or model.name"
    return fault(said, remedy) if sure else warning(said, f"{remedy}, unless the server is known not to list it")


class ModelCheck:
    """Looks after a start whether the daemon's model can answer, and again while it cannot. It lives as long as the
    daemon.

    Args:
        settings: the keys and addresses.
        choice: the daemon's own model.
        clock: all time.
    """

    def __init__(self, settings: ModelSettings, choice: Choice, clock: Clock) -> None:
        self._settings = settings
        self._choice = choice
        self._clock = clock
        self.finding = Finding("ok", "")
        """What was found last."""

    def trouble(self) -> str:
        """What keeps the model from answering, and what to do, in one line; empty if nothing does."""
        found = self.finding
        return f"{found.found} → {found.remedy}" if found.result == "fault" else ""

    async def look(self) -> Finding:
        """What is so now."""
        try:
            self.finding = await check_model(self._settings, self._choice, self._clock, START_S)
        except SullaError as error:
            self.finding = fault(f"{self._choice.model}: {error.message}", _UNTIL)
        return self.finding

    async def run(self) -> None:
        """Look, until it can answer."""
        while True:
            before = self.trouble()
            found = await self.look()
            said = self.trouble()
            if said and said != before:
                log.warning("%s", said)
            if not said:
                if found.result == "warning" and self._choice.model.provider != OFFLINE:
                    log.warning("%s → %s", found.found, found.remedy)  # it may answer all the same: it is no trouble
                elif before:
                    log.info("%s", found.found)
                return
            await self._clock.sleep(AGAIN_S)
