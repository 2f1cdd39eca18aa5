"""What a file can tell of the questions that its runs will ask is told by a check."""

from __future__ import annotations

import json

import pytest

from sulla.core.jsontypes import JsonObject
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.file.check_known import KnownNames, KnownTool, WithinCalls
from sulla.playbooks.file.check_within import known_with
from sulla.playbooks.file.read import read
from sulla.tools.builtin.http import effect_of

ANY: JsonObject = {"type": "object"}
KNOWN = KnownNames(
    tools={
        "web_fetch": KnownTool(ANY, "pure", reach="outward", foreign=True),
        "send": KnownTool(ANY, "once", reach="outward"),
        "write_file": KnownTool(ANY, "idempotent", reach="inward"),
        "bash": KnownTool(ANY, "once"),
        "http": KnownTool(ANY, "once", effect_of=effect_of, reach="outward", foreign=True),
    }
)


def told(steps: str, on: str = "manual") -> list[str]:
    secrets = "secrets: [key]\n" if "webhook" in on else ""
    text = f"name: a\non: [{on}]\n{secrets}steps:\n{steps}"
    checked = check_playbook(text, KNOWN)
    assert checked.definition is not None, checked.faults
    return [f"{fault.line}: {fault.message}" for fault in checked.faults if fault.rule in ("asked", "given-up")]


PAGE = "  - {id: a, tool: web_fetch, with: {url: 'https://a.example'}}\n"


@pytest.mark.parametrize("on", ["manual", "{chat: tea}", "{schedule: 1h}", "{webhook: key}"])
def test_addresses_that_stand_in_the_file_are_read_without_a_question(on: str) -> None:
    second = "  - {id: b, tool: web_fetch, with: {url: 'https://a.example/next'}, retry: 3}\n"
    assert told(PAGE + second, on) == []


def test_what_a_page_says_in_what_reaches_out_is_asked_about() -> None:
    assert told(PAGE + "  - {id: b, tool: web_fetch, with: {url: '${{ steps.a.output }}'}}\n") == [
        "5: a person is asked here, before 'web_fetch' is called: 'a' came from outside and flows into its arguments"
    ]


@pytest.mark.parametrize(("needs", "asked"), [("", True), ("needs: [], ", False)])
def test_what_takes_effect_behind_a_page_is_asked_about(needs: str, asked: bool) -> None:
    said = told(PAGE + f"  - {{id: b, {needs}tool: send, with: {{to: ann}}}}\n")
    assert ["'a' came from outside, and it takes effect outside" in one for one in said] == [True] * asked


def test_what_takes_effect_in_a_loop_is_asked_about_from_its_second_pass_on() -> None:
    post = "tool: http, with: {url: 'https://a.example/${{ loop.index }}', method: POST, json: {}}"
    (said,) = told(f"  - id: l\n    loop:\n      count: 3\n      steps:\n        - {{id: b, {post}}}\n")
    assert said.endswith("what 'b' came to in a pass before came from outside, and it takes effect outside")
    assert told(f"  - {{id: l, loop: {{count: 3, steps: [{{id: b, {post.replace('POST', 'GET')}}}]}}}}\n") == []


POSTER = "tool: http, with: {url: '${{ inputs.u }}', method: POST, json: {}}"
READER = "tool: web_fetch, with: {url: '${{ inputs.u }}'}"


def around(inner: str, steps: str, on: str = "manual") -> list[str]:
    """What is told of a playbook that has another one within, and that one another."""
    texts = (
        f"name: inner\ninputs: {{u: {{type: string}}}}\nsteps:\n  - {{id: b, {inner}}}\n",
        "name: outer\ninputs: {u: {type: string}}\nsteps: [{id: p, playbook: inner, with: {u: '${{ inputs.u }}'}}]\n",
    )
    known = KNOWN
    for text in texts:
        made = check_playbook(text, known).definition
        assert made is not None
        known = known_with(known, {made.name: made})
    checked = check_playbook(f"name: a\non: [{on}]\nsteps:\n{steps}", known)
    assert checked.definition is not None, checked.faults
    return [f"{fault.line}: {fault.message}" for fault in checked.faults if fault.rule == "asked"]


@pytest.mark.parametrize("name", ["inner", "outer"])
def test_what_a_playbook_within_calls_is_told_of_where_it_is_a_step(name: str) -> None:
    step = f"  - {{id: p, playbook: {name}, with: {{u: '${{{{ steps.a.output }}}}'}}}}\n"
    (said,) = around(POSTER, PAGE + step)
    assert said.startswith(f"5: a person is asked here, before 'http' is called within {name!r}: 'a' came from outside")
    (said,) = around(READER, PAGE + step)
    assert said.endswith("'a' came from outside, and inputs flow into its arguments")
    assert around("tool: web_fetch, with: {url: 'https://a.example'}", PAGE + step) == []
    alone = f"  - {{id: p, playbook: {name}, with: {{u: 'https://a.example'}}}}\n"
    (said,) = around(POSTER, alone, "{schedule: 1h}")
    assert "nobody is there who started it by 'schedule'" in said
    assert around(POSTER, alone) == []
    assert around(READER, PAGE + alone) == []


def test_a_playbook_within_in_a_loop_is_told_of_from_its_second_pass_on() -> None:
    step = "{id: p, playbook: inner, with: {u: 'https://a.example'}}"
    (said,) = around(POSTER, f"  - {{id: l, loop: {{count: 2, steps: [{step}]}}}}\n")
    assert "what 'p' came to in a pass before came from outside" in said


def test_of_a_playbook_with_faults_nothing_is_told() -> None:
    sketched = read("name: inner\nsteps: [{id: b, tool: web_fetch, needs: [b], with: {url: '${{ x( }}'}}]\n")
    assert not isinstance(sketched, list)
    assert known_with(KNOWN, {"inner": sketched.definition, "other": None}).calls == {"inner": WithinCalls()}


@pytest.mark.parametrize("tool", ["write_file", "bash"])
def test_what_stays_inside_or_hangs_on_the_call_is_not_told_of(tool: str) -> None:
    assert told(PAGE + f"  - {{id: b, tool: {tool}, with: {{x: '${{{{ steps.a.output }}}}'}}}}\n") == []


@pytest.mark.parametrize(("on", "kind"), [("{schedule: 1h}", "schedule"), ("{webhook: key}", "webhook")])
def test_what_takes_effect_where_nobody_is_there_is_asked_about(on: str, kind: str) -> None:
    (said,) = told("  - {id: a, tool: send, with: {to: ann}}\n", on)
    assert f"nobody is there who started it by {kind!r}" in said


@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_what_a_command_came_to_in_what_reaches_out_may_be_asked_about(method: str) -> None:
    command = "  - {id: enc, tool: bash, with: {command: base64 pic.bin}}\n"
    call = "  - {id: up, tool: http, with: {url: 'https://a.example/DATA', method: METHOD}}\n".replace("METHOD", method)
    (said,) = told(command + call.replace("DATA", "${{ steps.enc.result.text }}"))
    assert said.startswith("5: a person may be asked here, before 'http' is called: 'enc' flows into its arguments")
    assert "as soon as anything from outside lies in the workspace" in said
    assert told(command + call) == []


@pytest.mark.parametrize(("method", "asked"), [("GET", False), ("POST", True)])
def test_a_request_that_changes_nothing_is_not_one_that_takes_effect(method: str, asked: bool) -> None:
    said = told(f"  - {{id: a, tool: http, with: {{url: 'https://a.example', method: {method}}}}}\n", "{schedule: 1h}")
    assert bool(said) is asked


def test_what_a_webhook_says_in_an_address_is_asked_about() -> None:
    (said,) = told(
        "  - {id: a, tool: web_fetch, with: {url: 'https://a.example/${{ run.payload.id }}'}}\n", "{webhook: key}"
    )
    assert "what starts it came from outside" in said


@pytest.mark.parametrize(
    ("tools", "asked"), [("", True), ("tools: [web_fetch], ", True), ("tools: [write_file], ", False)]
)
def test_what_an_agent_says_may_be_asked_about_where_it_can_have_read_something(tools: str, asked: bool) -> None:
    agent = f"  - {{id: a, agent: , {tools}prompt: Begin}}\n"
    said = told(agent + "  - {id: b, tool: web_fetch, with: {url: '${{ steps.a.output }}'}}\n", "{schedule: 1h}")
    assert [("may be asked" in one) for one in said] == [True] * asked


@pytest.mark.parametrize(("method", "asked"), [("GET", False), ("POST", True)])
def test_whether_a_request_takes_effect_follows_from_its_method(method: str, asked: bool) -> None:
    step = f"  - {{id: a, tool: http, with: {{url: 'https://a.example', method: {method}}}}}\n"
    assert bool(told(step, "{schedule: 1h}")) is asked


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("echo all > Makefile", "Makefile"),
        ("make && date >> yarn.lock", "yarn.lock"),
        ("rm -f deploy.run", "deploy.run"),
        ("rm -rf out sub/Makefile", "sub/Makefile"),
        ("rm -rf out; date >> orders.lock; rm -f orders.lock orders.claim", ""),
        ("git add out.txt && git commit -m new", ".git"),
        ("touch out.txt sub/run.sh", "sub/run.sh"),
        ("curl x | tee setup.py", "setup.py"),
        ("cp new.json package.json", "package.json"),
        ("sed -i s/a/b/ Dockerfile", "Dockerfile"),
        ("echo ${{ steps.a.result.text | quote }} > config.ini", "config.ini"),
        ("echo all > out.txt 2>&1", ""),
        ("cat Makefile > /dev/null; git log > log.txt", ""),
        ("cp new.json out", ""),
        ("echo x > ${{ steps.a.result.text | quote }}.sh", ""),
        ("./build.sh 2> $NAME.run", ""),
        ("echo x > out-${{ steps.a.result.text }}.run", "out-….run"),
    ],
)
def test_a_command_behind_a_page_is_told_of_that_names_a_file_which_programs_run(command: str, name: str) -> None:
    said = told(PAGE + f"  - {{id: b, tool: bash, with: {{command: {json.dumps(command)}}}}}\n")
    assert [f"'a' came from outside, and programs run or obey {name!r}" in one for one in said] == [True] * bool(name)


def test_a_command_that_no_page_stands_before_is_not_told_of() -> None:
    command = "tool: bash, with: {command: 'echo all > Makefile'}"
    assert told(f"  - {{id: b, {command}}}\n") == []
    assert told(PAGE + f"  - {{id: b, needs: [], {command}}}\n") == []
    (said,) = told(f"  - {{id: b, {command}}}\n", "{webhook: key}")
    assert said.startswith("5: what starts it came from outside, and programs run or obey 'Makefile': all that")


def test_a_file_that_programs_run_is_asked_about_where_write_file_writes_it_behind_a_page() -> None:
    (said,) = told(PAGE + "  - {id: b, tool: write_file, with: {path: Makefile, content: x}}\n")
    assert said == (
        "5: a person is asked here, before 'write_file' is called: 'a' came from outside, and programs run or obey "
        "'Makefile'"
    )
    assert told(PAGE + "  - {id: b, tool: write_file, with: {path: out.md, content: x}}\n") == []


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("out-${{ inputs.n }}.end", "out-….end"),
        ("${{ inputs.n }}/Makefile", "…/Makefile"),
        ("out-${{ inputs.n }}.csv", ""),
        ("out.${{ inputs.n }}", ""),
        ("out-${{ inputs.n }}", ""),
    ],
)
def test_a_path_with_an_expression_is_told_of_where_its_ending_says_that_programs_run_it(path: str, name: str) -> None:
    write = f"  - {{id: b, tool: write_file, with: {{path: '{path}', content: x}}}}\n"
    checked = check_playbook(f"name: a\ninputs: {{n: string}}\nsteps:\n{PAGE}{write}", KNOWN)
    assert checked.definition is not None
    said = [fault.message for fault in checked.faults]
    assert [f"programs run or obey {name!r}" in one for one in said] == [True] * bool(name)


def test_a_file_that_is_written_at_the_end_of_a_run_is_told_of() -> None:
    write = "  - {id: b, tool: write_file, with: {path: '${{ run.status }}.end', content: x}}\n"
    (said,) = told(f"{PAGE}finally:\n{write}")
    assert "'a' came from outside, and programs run or obey '….end'" in said
