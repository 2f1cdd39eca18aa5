"""Names of models: ``anthropic:<model>``, ``ollama:<model>``, ``openai:<model>``, ``offline``. Pure."""

from __future__ import annotations

import difflib

from sulla.core.dataclass import dataclass
from sulla.core.errors import SettingsError

OFFLINE = "offline"
"""The one provider that has no models to choose from."""

PROVIDERS = ("anthropic", "ollama", "openai", OFFLINE)
"""Every provider that a model's name may begin with."""

WINDOWS = {"anthropic": 200_000, "ollama": 16_384, "openai": 128_000, OFFLINE: 128_000}
"""How many tokens a model takes in and gives out in one call where no setting says so. Ollama makes the window as large
as it is asked to, at the price of memory.
"""


@dataclass(frozen=True, slots=True)
class ModelName:
    """Which model of which service."""

    provider: str
    model: str = ""
    """The service's own name for it; empty for `offline`."""

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}" if self.model else self.provider


def parse_model(text: str, known: tuple[str, ...] = PROVIDERS) -> ModelName:
    """Read a model's name.

    Everything after the first colon belongs to the model, because Ollama's own names hold colons: ``ollama:qwen3:8b``.

    Args:
        text: as a person wrote it.
        known: the providers that there are.

    Raises:
        SettingsError: the provider is unknown, or the model is missing or not wanted; the message says what to write.
    """
    provider, colon, model = (part.strip() for part in text.strip().partition(":"))
    if provider.lower() not in known:
        raise SettingsError(f"no provider in the model name {text!r}: {_hint(provider, bool(colon), known)}")
    provider = provider.lower()
    if provider == OFFLINE:
        if colon:
            raise SettingsError(f"the model name {text!r} names a model, but {OFFLINE!r} has none: write {OFFLINE!r}")
        return ModelName(provider)
    if not model:
        raise SettingsError(f"the model name {text!r} lacks the model: write {provider + ':<model>'!r}")
    if any(char.isspace() or not char.isprintable() for char in model):
        raise SettingsError(f"the model name {text!r} holds blanks or control characters")
    return ModelName(provider, model)


def window_of(model: ModelName, configured_tokens: int) -> int:
    """A model's window in tokens.

    Args:
        model: of a known provider.
        configured_tokens: what the settings say; 0 for the provider's usual one.
    """
    return configured_tokens or WINDOWS[model.provider]


def _hint(provider: str, has_model: bool, known: tuple[str, ...]) -> str:
    forms = ", ".join(name if name == OFFLINE else f"{name}:<model>" for name in known)
    near = difflib.get_close_matches(provider.lower(), known, n=1)
    if near:
        return f"did you mean {near[0]!r}? Expected one of {forms}"
    if not has_model and provider.lower().startswith("claude"):
        return f"did you mean {'anthropic:' + provider!r}? Expected one of {forms}"
    return f"expected one of {forms}"
