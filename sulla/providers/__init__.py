"""Language models: one promise, and who keeps it.

The adapters (`anthropic`, `ollama`, `offline`) are not named here: importing this package loads no service's library.
The daemon builds an adapter when a model of it is first used.
"""

from sulla.providers.base import (
    ChatRequest,
    Completed,
    Delta,
    Provider,
    ReasoningDelta,
    Section,
    Stop,
    TextDelta,
    ToolSpec,
    Usage,
)
from sulla.providers.catalog import PROVIDERS, ModelName, parse_model
from sulla.providers.ollama_probe import find_ollama
from sulla.providers.tokens import estimate_tokens

__all__ = [
    "PROVIDERS",
    "ChatRequest",
    "Completed",
    "Delta",
    "ModelName",
    "Provider",
    "ReasoningDelta",
    "Section",
    "Stop",
    "TextDelta",
    "ToolSpec",
    "Usage",
    "estimate_tokens",
    "find_ollama",
    "parse_model",
]
