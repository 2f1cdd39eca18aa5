"""How Anthropic's service is told which tool a reply has to call, and what must not be asked for beside that. Pure."""

from __future__ import annotations

from typing import Final

from sulla.core.jsontypes import FrozenJson, Json, JsonObject
from sulla.models.base import ChatRequest, ToolSpec

UNFORCED: Final = ("claude-fable-", "claude-mythos-", "claude-opus-5-5")
"""Models that always think. The service refuses to make them call a tool (status 400) and to switch their thinking off;
they are offered that one tool alone. A name may stand inside a longer one, as gateways have it.
"""


def offered(request: ChatRequest) -> tuple[ToolSpec, ...]:
    """The tools that are sent.

    Raises:
        InvalidInput: the tool to be called is not among those of the request.
    """
    tool = request.forced
    return request.tools if tool is None or not _always_thinks(request.model) else (tool,)


def fields(request: ChatRequest, extra: FrozenJson) -> JsonObject:
    """The top-level fields beside the request's own ones.

    Thinking and a tool that has to be called exclude each other, and some models think unless they are told not to: so
    they are told. Those that always think do so whatever is asked of them. How hard to try goes as well, because the
    service takes the upper levels with thinking only.

    Args:
        request: what is asked.
        extra: fields for every request.
    """
    always = _always_thinks(request.model)
    if request.tuning.thinking:
        extra = {"thinking": {"type": "adaptive"}, **extra}
    elif request.tuning.thinking is False and not always:
        extra = {**_without_effort(extra), "thinking": {"type": "disabled"}}
    if not request.force:
        return dict(extra)
    if always:
        return {**extra, "tool_choice": {"type": "auto", "disable_parallel_tool_use": True}}
    return {
        **_without_effort(extra),
        "tool_choice": {"type": "tool", "name": request.force, "disable_parallel_tool_use": True},
        "thinking": {"type": "disabled"},
    }


def _always_thinks(model: str) -> bool:
    return any(name in model for name in UNFORCED)


def _without_effort(extra: FrozenJson) -> JsonObject:
    kept: JsonObject = dict(extra)
    output = kept.pop("output_config", None)
    if isinstance(output, dict):
        rest: Json = {name: value for name, value in output.items() if name != "effort"}
        if rest:
            kept["output_config"] = rest
    return kept
