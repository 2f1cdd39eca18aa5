"""Names of spans and their attributes.

OpenTelemetry's conventions for generative AI still change, so they stand in one place (as of their release 0.66). Pure.
"""

from __future__ import annotations

from typing import Final

SCOPE: Final = "sulla"
"""Who makes the spans."""

INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"

OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
REQUEST_MODEL: Final = "gen_ai.request.model"
CONVERSATION: Final = "gen_ai.conversation.id"
AGENT: Final = "gen_ai.agent.name"
TOOL: Final = "gen_ai.tool.name"
TOOL_CALL: Final = "gen_ai.tool.call.id"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS: Final = "gen_ai.usage.cache_read.input_tokens"
CACHE_WRITE_TOKENS: Final = "gen_ai.usage.cache_creation.input_tokens"
FINISH_REASONS: Final = "gen_ai.response.finish_reasons"
FIRST_CHUNK: Final = "gen_ai.response.time_to_first_chunk"
ERROR: Final = "error.type"

RUN: Final = "sulla.run.id"
"""The same in every process that works on a run: what links its spans."""
AGAIN: Final = "sulla.run.resumed"
OUTCOME: Final = "sulla.outcome"
PURPOSE: Final = "sulla.model.purpose"
ATTEMPT: Final = "sulla.model.attempt"
STAND_IN: Final = "sulla.model.stand_in"
COST_MICRO: Final = "sulla.cost.micro"
