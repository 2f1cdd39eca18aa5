"""Language models: one promise, and who keeps it.

The adapters (`anthropic`, `ollama`, `offline`) are not named here: importing this package loads no service's library.
The daemon builds an adapter when a model of it is first used.
"""

from sulla.models.base import (
    ChatRequest,
    Completed,
    Delta,
    Embedder,
    ModelLister,
    PromptSection,
    Provider,
    ReasoningDelta,
    StandIn,
    Stop,
    TextDelta,
    TokenCounter,
    TokenUsage,
    ToolSpec,
)
from sulla.models.catalog import OFFLINE, PROVIDERS, ModelName, parse_model, window_of
from sulla.models.ollama.probe import find_ollama
from sulla.models.tokens.calibration import Calibration, Calibrations, calibration_from_json, first_calibration
from sulla.models.tokens.estimate import CountText, count_head, count_message, estimate_text, estimate_tokens
from sulla.models.tokens.prices import Price, Prices, read_prices

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
    "PromptSection",
    "Provider",
    "ReasoningDelta",
    "StandIn",
    "Stop",
    "TextDelta",
    "TokenCounter",
    "TokenUsage",
    "ToolSpec",
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
