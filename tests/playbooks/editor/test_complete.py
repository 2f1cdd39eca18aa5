"""What can stand at a place is told where the text is no YAML yet, too."""

from __future__ import annotations

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.playbooks.definition import InputSpec
from sulla.playbooks.editor.complete import complete
from sulla.playbooks.file.check_known import KnownNames, KnownTool

SEND: JsonObject = {
    "type": "object",
    "properties": {"to": {"type": "string", "description": "Who gets it."}, "body": {}},
}
KNOWN = KnownNames(
    tools={"send": KnownTool(SEND), "look": KnownTool({"type": "object"}, gives={"status": {}})},
    agents={"sulla", "writer"},
    playbooks={"inner": {"lead": InputSpec(description="Who it is.")}},
    secrets={"smtp_key"},
)
TEXT = """name: a
on: [manual]
inputs: {lead: string, size: {type: integer}}
steps:
  - id: first
    agent: writer
    prompt: Begin
    output: {type: object, properties: {score: {type: number}, why: {type: string}}}
  - id: page
    tool: look
  - id: made
    set: {total: "${{ inputs.size }}"}
  - id: each
    loop:
      for_each: ${{ inputs.lead }}
      steps:
        - id: inside
          tool: send
          with:
            to: ann
§"""


def at(lines: str) -> list[str]:
    """What is told at the mark, in the place of that of the text."""
    text = TEXT.replace("§", lines)
    before, _, after = text.partition("§")
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    return [one.word for one in complete(before + after, line, column, KNOWN)]


@pytest.mark.parametrize(
    ("typed", "found", "not_found"),
    [
        ("  - id: x\n    tool: §", {"send", "look"}, {"writer"}),
        ("  - id: x\n    agent: §", {"sulla", "writer"}, {"send"}),
        ("  - id: x\n    playbook: inn§", {"inner"}, {"send"}),
        ("  - id: x\n    needs: [§", {"first", "page", "each", "inside"}, {"send"}),
        ("  - id: x\n    on_failure: §", {"fail", "go_on"}, set()),
        ("  - id: x\n    §", {"agent", "tool", "router", "needs", "retry"}, {"id", "steps"}),
        ("  - id: x\n    tool: send\n    §", {"with", "check", "timeout"}, {"agent", "prompt", "tool"}),
        ("  - id: x\n    tool: send\n    with:\n      §", {"to", "body"}, {"needs"}),
        ("  - id: x\n    playbook: inner\n    with:\n      §", {"lead"}, {"to"}),
        ("  - id: x\n    retry:\n      §", {"tries", "backoff"}, {"needs"}),
        ("          §", {"check", "needs", "retry"}, {"tool", "id", "with", "agent"}),
        ("§", {"outputs", "secrets", "budget"}, {"name", "steps", "tool"}),
        ("  - {id: x, tool: send, §", {"with", "needs"}, {"id", "outputs"}),
        ("  - {id: x, respond: ${{ §", {"steps", "inputs", "run"}, {"first"}),
        ("  - {id: x, respond: ${{ steps.§", {"first", "page", "inside"}, {"output"}),
        ("  - {id: x, respond: ${{ steps.first.§", {"output", "error", "route"}, {"score"}),
        ("  - {id: x, respond: ${{ steps.first.output.§", {"score", "why"}, {"total"}),
        ("  - {id: x, respond: ${{ steps.made.output.§", {"total"}, {"score"}),
        ("  - {id: x, respond: ${{ steps.page.result.§", {"text", "status"}, {"score"}),
        ("  - {id: x, respond: ${{ inputs.§", {"lead", "size"}, {"type"}),
        ("  - {id: x, respond: ${{ run.§", {"payload", "headers"}, {"lead"}),
        ("  - {id: x, respond: ${{ inputs.lead | §", {"upper", "default"}, {"lead"}),
    ],
)
def test_what_can_stand_there_is_told(typed: str, found: set[str], not_found: set[str]) -> None:
    told = set(at(typed))
    assert found <= told, told
    assert not not_found & told


def test_behind_the_end_of_a_text_nothing_is_told() -> None:
    assert complete("name: a", 9, 1, KNOWN) == []
