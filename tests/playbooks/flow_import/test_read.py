"""Workflows of Sulla Desktop become playbooks in which nothing is wrong, and what has no counterpart is told."""

from __future__ import annotations

import json

import pytest

from sulla.core.errors import InvalidInput
from sulla.core.jsontypes import Json
from sulla.playbooks.definition import (
    AgentStep,
    ConditionStep,
    Definition,
    HumanStep,
    LoopStep,
    MergeStep,
    Need,
    Template,
    ToolStep,
    Trigger,
    WaitStep,
)
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.flow_import.read import import_flow
from sulla.playbooks.flow_import.text import Imported

LEAD = """\
id: wf-lead-triage
name: Lead triage
description: Classify an inbound lead.
version: 1
enabled: true
nodes:
  - {id: start, type: workflow, position: {x: 0, y: 0}, data: {subtype: chat-app, category: trigger, label: Inbound,
     config: {triggerType: chat-app, triggerDescription: a new lead message}}}
  - {id: route, type: workflow, position: {x: 0, y: 1}, data: {subtype: router, category: routing, label: Kind, config:
     {classificationPrompt: "What is this? {{trigger}}",
     routes: [{label: Sales, description: wants to buy}, {label: Other}]}}}
  - {id: research, type: workflow, data: {subtype: agent, category: agent, label: Research, config:
     {agentId: researcher, additionalPrompt: "", userMessage: "Find facts about {{trigger}}",
     successCriteria: three facts}}}
  - {id: approve, type: workflow, data: {subtype: user-input, category: io, label: Approve, config: {promptText: "Send
     this? {{Research.result}}"}}}
  - {id: reply, type: workflow, data: {subtype: response, category: io, label: Reply, config: {responseTemplate: "Answer
     using {{Research}}"}}}
  - {id: note, type: sticky-note, data: {label: Look here}}
edges:
  - {id: e1, source: start, target: route}
  - {id: e2, source: route, target: research, sourceHandle: route-0}
  - {id: e3, source: route, target: reply, sourceHandle: route-1}
  - {id: e4, source: research, target: approve}
  - {id: e5, source: approve, target: reply}
"""


def made(imported: Imported) -> Definition:
    checked = check_playbook(imported.text)
    assert checked.definition is not None, (imported.text, checked.faults)
    return checked.definition


def flow(nodes: dict[str, tuple[str, dict[str, Json]]], *edges: str) -> Imported:
    """Nodes by id with their subtype and config; edges as ``a > b`` or ``a:handle > b:handle``."""
    said = []
    for edge in edges:
        source, target = (end.partition(":") for end in edge.split(" > "))
        said.append({"source": source[0], "target": target[0], "sourceHandle": source[2], "targetHandle": target[2]})
    listed = [
        {"id": id_, "type": "workflow", "data": {"subtype": kind, "label": id_.title(), "config": config}}
        for id_, (kind, config) in nodes.items()
    ]
    return import_flow(json.dumps({"name": "x", "enabled": True, "nodes": listed, "edges": said}))


def test_the_example_of_the_original_is_whole() -> None:
    imported = import_flow(LEAD)
    found = made(imported)
    assert imported.notes == ()
    assert (found.name, found.on) == ("lead-triage", (Trigger("manual"), Trigger("chat", "a new lead message")))
    steps = {step.id: step for step in found.steps}
    assert list(steps) == ["kind", "research", "approve", "reply_ways", "reply"]
    assert steps["research"].needs == (Need("kind", route="Sales"),)
    assert steps["research"].does == AgentStep(
        Template("Find facts about ${{ inputs.message }}"), "researcher", success=Template("three facts")
    )
    assert steps["approve"].does == HumanStep(
        Template("Send this? ${{ steps.research.output }}"), input={"type": "string"}, expires_s=None
    )
    assert steps["reply_ways"].does == MergeStep("all")
    assert steps["reply_ways"].needs == (Need("kind", route="Other"), Need("approve"))


def test_branches_begin_side_by_side_and_merge() -> None:
    found = made(
        flow(
            {
                "a": ("agent", {"userMessage": "A"}),
                "p": ("parallel", {}),
                "b": ("tool-call", {"toolName": "read_file", "defaults": {"path": "{{A}}", "n": 3}}),
                "c": ("wait", {"delayAmount": 5, "delayUnit": "minutes"}),
                "m": ("merge", {"strategy": "first"}),
            },
            "a > p", "p:branch-0 > b", "p:branch-1 > c", "b > m", "c > m",
        )
    )  # fmt: skip
    steps = {step.id: step for step in found.steps}
    assert steps["b"].needs == steps["c"].needs == (Need("a"),)
    assert steps["b"].does == ToolStep("read_file", {"path": Template("${{ steps.a.output }}"), "n": 3})
    assert steps["c"].does == WaitStep(Template("${{ 300 }}"))
    assert (steps["m"].does, steps["m"].needs) == (MergeStep("first"), (Need("b"), Need("c")))


def test_a_loop_holds_its_body() -> None:
    imported = flow(
        {
            "l": ("loop", {"maxIterations": 2}),
            "w": ("agent", {"userMessage": "Pass {{loop.index}}"}),
            "r": ("agent", {"userMessage": "Review {{W}}"}),
            "end": ("response", {"responseTemplate": "Done {{R}}"}),
        },
        "l:loop-start > w", "w > r", "r > l:loop-back", "l:loop-exit > end",
    )  # fmt: skip
    loop, end = made(imported).steps
    assert isinstance(loop.does, LoopStep)
    assert loop.does.count == Template("${{ 2 }}")
    assert [(step.id, step.needs) for step in loop.does.body] == [("w", ()), ("r", (Need("w"),))]
    assert end.needs == (Need("l"),)
    assert imported.notes == ()


def test_an_edge_that_leads_back_is_left_out_and_told() -> None:
    imported = flow(
        {
            "write": ("agent", {"userMessage": "Write"}),
            "good": ("condition", {"rules": [{"field": "{{Write}}", "operator": "contains", "value": "ok"}]}),
            "say": ("response", {"responseTemplate": "Good"}),
        },
        "write > good", "good:condition-false > write", "good:condition-true > say",
    )  # fmt: skip
    write, good, say = made(imported).steps
    assert write.needs == ()
    assert good.does == ConditionStep(question=Template("${{ steps.write.output }} contains ok"))
    assert say.needs == (Need("good", route="yes"),)
    assert any("leads back from 'Good' to 'Write'" in note for note in imported.notes)
    assert any("asks a model" in note for note in imported.notes)


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        ({"a": ("teleport", {})}, "has no counterpart"),
        ({"a": ("calendar", {}), "b": ("response", {})}, "the trigger"),
        ({"a": ("response", {"responseTemplate": "{{Nobody}}"})}, "names nothing that is there"),
        ({"a": ("integration-call", {"integrationSlug": "gmail", "endpointName": "send"})}, "say which tool"),
        ({"l": ("loop", {"condition": "{{X}}", "maxIterations": 3})}, "ends by more than a count"),
    ],
)
def test_what_has_no_counterpart_is_told(nodes: dict[str, tuple[str, dict[str, Json]]], said: str) -> None:
    assert any(said in note for note in flow(nodes).notes)


@pytest.mark.parametrize("text", ["", "a: [", "nodes: 3", "- x"])
def test_what_is_no_workflow_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        import_flow(text)


@pytest.mark.parametrize(
    ("config", "cron"),
    [
        ({"frequency": "every-minutes", "intervalMinutes": 5}, "*/5 * * * *"),
        ({"frequency": "weekly", "hour": 9, "minute": 30, "dayOfWeek": 1}, "30 9 * * 1"),
        ({"frequency": "monthly", "dayOfMonth": 2, "hour": "soon"}, "0 0 2 * *"),
    ],
)
def test_a_schedule_stays_one(config: dict[str, Json], cron: str) -> None:
    imported = flow({"s": ("schedule", config), "r": ("response", {})}, "s > r")
    assert Trigger("schedule", cron, "UTC") in made(imported).on, "as the clock of the application went"


@pytest.mark.parametrize("off", ["enabled: false", "tags: []"])
def test_what_was_not_switched_on_stays_off_and_says_how_it_is_switched_on(off: str) -> None:
    imported = import_flow(LEAD.replace("enabled: true", off))
    assert made(imported).on == (Trigger("manual"),)
    assert any('{"chat": "a new lead message"}' in note for note in imported.notes)


def test_another_workflow_is_found_by_its_id_and_is_given_what_came_before() -> None:
    nodes: dict[str, tuple[str, dict[str, Json]]] = {
        "a": ("agent", {"userMessage": "A"}),
        "s": ("sub-workflow", {"workflowId": "wf-9"}),
    }
    said = [{"id": i, "data": {"subtype": k, "label": i, "config": c}} for i, (k, c) in nodes.items()]
    text = json.dumps({"name": "x", "nodes": said, "edges": [{"source": "a", "target": "s"}]})
    known = import_flow(text, {"wf-9": "research"})
    assert 'playbook: "research"' in known.text
    assert '"message": "${{ steps.a.output }}"' in known.text
    assert known.notes == ()
    assert any("import its folder as a whole" in note for note in import_flow(text).notes)


def test_a_loop_that_ends_by_what_was_said_has_a_break_and_the_pass_before_is_seen() -> None:
    imported = flow(
        {
            "l": ("loop", {"maxIterations": 5, "loopMode": "condition", "condition": "{{Review}} contains APPROVED"}),
            "draft": ("agent", {"userMessage": "Better than {{Review}}"}),
            "review": ("agent", {"userMessage": "Judge {{Draft}}"}),
        },
        "l:loop-start > draft", "draft > review", "review > l:loop-back",
    )  # fmt: skip
    (loop,) = made(imported).steps
    assert isinstance(loop.does, LoopStep)
    assert [step.id for step in loop.does.body] == ["draft", "review", "l_good", "l_end"]
    assert loop.does.body[0].does == AgentStep(Template("Better than ${{ loop.last }}"))
    assert loop.does.body[2].does == ConditionStep(Template('${{ "APPROVED" in steps.review.output }}'))
    assert imported.notes == ()


def test_a_loop_over_a_list_goes_over_it() -> None:
    imported = flow(
        {
            "find": ("agent", {"userMessage": "List them"}),
            "l": ("loop", {"loopMode": "for-each", "items": "{{Find}}"}),
            "w": ("agent", {"userMessage": "Look at {{loop.currentItem}}"}),
        },
        "find > l", "l:loop-start > w",
    )  # fmt: skip
    assert 'for_each: "${{ steps.find.output }}"' in imported.text
    assert any("see whether" in note for note in imported.notes)


def test_a_notice_of_the_desktop_is_a_notice() -> None:
    imported = flow({"n": ("desktop-notification", {"title": "Done", "message": "It is ready"})})
    (step,) = made(imported).steps
    assert step.does == ToolStep("notify_user", {"text": "Done\n\nIt is ready"})
    assert imported.notes == ()


def test_what_a_node_says_that_nothing_came_of_is_told() -> None:
    imported = flow({"a": ("agent", {"agentId": "sulla-desktop", "userMessage": "A", "timeoutOverride": 30})})
    (step,) = made(imported).steps
    assert step.does == AgentStep(Template("A"))
    assert imported.notes == ("'A' also says `timeoutOverride: 30`, which has no counterpart; it was left out",)


def test_a_label_is_found_whatever_stands_in_it() -> None:
    text = LEAD.replace("label: Research", 'label: "What kind?"').replace("{{Research}}", "{{What kind?}}")
    assert "${{ steps.what_kind.output }}" in import_flow(text).text
