"""The models that the settings name: one of the two places that name adapters (`stores.py` is the other).

Heavy adapters are imported inside their factories, which run on a worker thread when a model is first used.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Final

from sulla.core.clock import Clock
from sulla.core.distribution import install_hint
from sulla.core.errors import InvalidInput, ProviderError, ProviderUnreachable, SettingsError
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.lazy import LazyProvider
from sulla.daemon.models.withheld import VARIABLES, KeyWithheld, anothers_key, named_in_home
from sulla.daemon.settings.config import Settings
from sulla.daemon.settings.keys import KEYS_FILE
from sulla.host.place import Place
from sulla.host.sections import ModelSettings, native_name
from sulla.models.base import ChatRequest, Provider, StandIn, TokenCounter, ToolSpec
from sulla.models.catalog import ModelName, parse_model, window_of
from sulla.models.ollama.probe import address, find_ollama
from sulla.models.tokens.estimate import CountText
from sulla.models.wire.advice import Advice, advice_on

log = logging.getLogger(__name__)

COUNT_S: Final = 10.0
"""How long a service may take to say how large a request is: the turn waits for it."""


def advice_of(settings: ModelSettings, provider: str, named_in: str = "") -> Advice:
    """What to do where a service does not take its key or has no such model, by where these are written.

    Whoever may only talk is told it too, so files of the home go without the folder that they are in.

    Args:
        settings: the keys.
        provider: the service's short name.
        named_in: where the model's name is written; empty for the daemon's own.
    """
    named_in = named_in or named_in_home(settings.source_of("name")) or "SULLA_MODEL"
    source = settings.source_of(f"{provider}_api_key")
    if not source:
        return replace(advice_on(VARIABLES.get(provider, "OLLAMA_API_KEY")), named_in=named_in)
    how = " (`sulla init --key-stdin`, or an editor)" if source.endswith(KEYS_FILE) else ""
    where = named_in_home(source) if source.endswith(".toml") else f"the environment variable {source}"
    said = f"The key is from {where}: put another one there{how} and restart the daemon"
    return Advice(f"{said}, or see that this one may use the model", named_in)


def service_address(settings: ModelSettings, provider: str) -> str:
    """Where a service is; empty where the settings leave it to the service's own address.

    Args:
        settings: the addresses.
        provider: the service's short name.
    """
    if provider == "ollama":
        return address(settings.ollama_host)
    return {"anthropic": settings.anthropic_base_url, "openai": settings.openai_base_url}.get(provider, "")


def native_tools(settings: ModelSettings, provider: str) -> tuple[ToolSpec, ...]:
    """The tools that a service runs itself, under the names by which agents' lists know them.

    Args:
        settings: name them.
        provider: the service's short name.

    Raises:
        SettingsError: they are OpenAI's, and it is spoken to in the form that does not say what its tools did.
    """
    found = [tools for service, tools in settings.native_tools.items() if service == provider]
    if found and provider == "openai" and settings.openai_form != "responses":
        raise SettingsError(
            'model.native_tools.openai works with model.openai_form = "responses" alone: set that too, or take it out'
        )
    return tuple(ToolSpec(native_name(tool), "", {}, tool) for tools in found for tool in tools)


def make_provider(settings: Settings, choice: Choice, place: Place, named_in: str = "") -> Provider:
    """The chosen model's provider, with the one behind it that answers where it cannot be asked.

    Args:
        settings: the keys and addresses.
        choice: the model.
        place: what the daemon stands on.
        named_in: where the model's name is written; empty for the daemon's own.
    """
    first = _provider(settings, choice.model, place, named_in)
    if not settings.model.fallback:
        return first
    from sulla.models.fallback import FallbackProvider

    second = parse_model(settings.model.fallback)
    other = _provider(settings, second, place, settings.model.source_of("fallback"))
    return FallbackProvider(first, other, second.model, reasons=settings.model.fallback_reasons, told=_stands_in)


def _stands_in(other: StandIn) -> None:
    log.warning("%s answers for %s: %s", ModelName(other.provider, other.model), other.instead_of, other.detail)


def _provider(settings: Settings, model: ModelName, place: Place, named_in: str) -> Provider:
    advice = advice_of(settings.model, model.provider, named_in)
    wrong, _ = anothers_key(settings.model, model)
    if wrong:
        return KeyWithheld(model.provider, wrong)

    def anthropic() -> Provider:
        from sulla.models.anthropic.provider import BASE_URL, AnthropicProvider

        key = settings.model.anthropic_api_key.get_secret_value()
        base_url = settings.model.anthropic_base_url
        return AnthropicProvider(key, place.clock, base_url=base_url or BASE_URL, advice=advice)

    def ollama() -> Provider:
        from sulla.models.ollama.provider import OllamaProvider
        from sulla.models.ollama.wire import OllamaOptions

        options = OllamaOptions(num_ctx=window_of(model, settings.model.window_tokens))
        return OllamaProvider(settings.model.ollama_host, place.clock, place.make_id, options, advice)

    def openai() -> Provider:
        try:
            from sulla.models.openai.provider import BASE_URL, OpenAiProvider
        except ModuleNotFoundError as error:
            raise _not_installed(model, error.name) from error
        from sulla.models.openai.wire import OpenAiOptions

        key = settings.model.openai_api_key.get_secret_value()
        base_url = settings.model.openai_base_url or BASE_URL
        options = OpenAiOptions(settings.model.openai_form)
        return OpenAiProvider(key, place.clock, place.make_id, base_url=base_url, options=options, advice=advice)

    def offline() -> Provider:
        from sulla.models.offline.provider import OfflineProvider

        return OfflineProvider()

    makers = {"anthropic": anthropic, "ollama": ollama, "openai": openai, "offline": offline}
    return LazyProvider(model.provider, makers[model.provider])


def _not_installed(model: ModelName, library: str | None) -> SettingsError:
    return SettingsError(f"the model {str(model)!r} needs the library {library!r}: {install_hint('openai')}")


async def known_models(settings: ModelSettings, model: ModelName, clock: Clock, timeout_s: float) -> tuple[str, ...]:
    """What a service says that it has, of the model that is asked for at least.

    Args:
        settings: the keys and addresses.
        model: the one that is asked for.
        clock: for the deadline.
        timeout_s: how long the answer may take, in seconds.

    Raises:
        ProviderError: it does not answer, or the key is refused.
        SettingsError: its library is not installed, or its address is none.
    """
    advice = advice_of(settings, model.provider)
    if model.provider == "anthropic":
        from sulla.models.anthropic.probe import find_anthropic

        key = settings.anthropic_api_key.get_secret_value()
        return await find_anthropic(model.model, key, settings.anthropic_base_url, clock, timeout_s, advice)
    if model.provider == "openai":
        from sulla.models.openai.probe import list_openai

        if find_spec("openai") is None:
            raise _not_installed(model, "openai")
        key = settings.openai_api_key.get_secret_value()
        return await list_openai(model.model, key, settings.openai_base_url, clock, timeout_s, advice)
    found = await find_ollama(settings.ollama_host, clock)
    if found is None:
        where = address(settings.ollama_host)
        raise ProviderUnreachable(f"no Ollama answers at {where}: start it with `ollama serve`, or check OLLAMA_HOST")
    return found


def asker(provider: Provider) -> Callable[[ChatRequest], Awaitable[int | None]]:
    """How a service is asked for the size of a request: soon, and without harm where it cannot say.

    Args:
        provider: of any kind; one that counts no tokens answers None.
    """

    async def ask(request: ChatRequest) -> int | None:
        if not isinstance(provider, TokenCounter):
            return None
        try:
            return await provider.count_tokens(replace(request, timeout_s=COUNT_S))
        except (ProviderError, InvalidInput) as error:
            log.info("%s did not say how large a request is; the estimate has to do: %s", provider.name, error)
            return None

    return ask


def exact_count() -> CountText:
    """The count of the bundled tokenizer. It blocks for some 0.2 s.

    Raises:
        RanksUnusable: its file is missing or damaged.
    """
    from sulla.models.tokens.ranks import load_ranks

    return load_ranks().count_text
