"""Language models: one promise, and who keeps it.

The adapters (`anthropic`, `ollama`, `offline`) are not named here: importing this package loads no service's library.
The daemon builds an adapter when a model of it is first used.
"""

from sulla.providers.base import (
    ChatRequest,
    Completed,
    Delta,
    Embedder,
    ModelLister,
    Provider,
    ReasoningDelta,
    Section,
    StandIn,
    Stop,
    TextDelta,
    TokenCounter,
    ToolSpec,
    Usage,
)
from sulla.providers.calibration import Calibration, Calibrations, calibration_from_json, first_calibration
from sulla.providers.catalog import OFFLINE, PROVIDERS, ModelName, parse_model, window_of
from sulla.providers.ollama_probe import find_ollama
from sulla.providers.prices import Price, Prices, read_prices
from sulla.providers.tokens import CountText, count_head, count_message, estimate_text, estimate_tokens

__all__ = [
    "OFFLINE",
    "PROVIDERS",
    "Calibration",
    "Calibrations",
    "ChatRequest",
    "Completed",
    "CountText",
    "Delta",
    "Embedder",
    "ModelLister",
    "ModelName",
    "Price",
    "Prices",
    "Provider",
    "ReasoningDelta",
    "Section",
    "StandIn",
    "Stop",
    "TextDelta",
    "TokenCounter",
    "ToolSpec",
    "Usage",
    "calibration_from_json",
    "count_head",
    "count_message",
    "estimate_text",
    "estimate_tokens",
    "find_ollama",
    "first_calibration",
    "parse_model",
    "read_prices",
    "window_of",
]
