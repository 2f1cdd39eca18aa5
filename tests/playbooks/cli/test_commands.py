"""`sulla flow` about files: no daemon has to run, and what is wrong is told with its place."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from sulla.playbooks.cli.commands import COMMANDS, FILE_COMMANDS
from sulla.playbooks.cli.files import DOES
from sulla.playbooks.cli.run_commands import RUN_COMMANDS
from sulla.playbooks.file.check import check_playbook
from sulla.playbooks.rehearsal.cases_read import read_cases
from sulla.terminal.exits import Exit
from tests.cli.typed import typed
from tests.house.source import ROOT

Capsys = pytest.CaptureFixture[str]

TEA = """\
name: tea
description: Makes tea.
on: [manual, {schedule: "0 9 * * *", inputs: {for: all}}]
inputs: {for: string}
steps:
  - {id: kind, router: "Which tea for ${{ inputs.for }}?", routes: {green: light, black: strong}}
  - {id: boil, tool: write_file, with: {path: tea.txt, content: "${{ steps.kind.route }}"}}
  - {id: say, respond: Tea is ready.}
"""
TESTS = """\
- name: green it is
  inputs: {for: Ann}
  fixtures: {kind: green, boil: {output: done, after: 20s}}
  expect: {calls: [{tool: write_file, with: {content: green}}], told: [ready], took: 20s}
- name: black it is
  inputs: {for: Bob}
  fixtures: {kind: black, boil: done}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    (home / "workflows").mkdir(parents=True)
    monkeypatch.setenv("SULLA_HOME", str(home))
    return home


@pytest.fixture
def tea(home: Path) -> Path:
    file = home / "workflows" / "tea.yaml"
    file.write_text(TEA)
    file.with_name("tea.test.yaml").write_text(TESTS)
    return file


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_every_command_does_something() -> None:
    assert DOES.keys() == FILE_COMMANDS.keys()
    assert COMMANDS.keys() == FILE_COMMANDS.keys() | RUN_COMMANDS.keys()
    page = (ROOT / "docs" / "playbooks.md").read_text()
    assert [
        name for name in COMMANDS if f"`sulla flow {name} " not in page and f"`sulla flow {name}`" not in page
    ] == []


def test_the_list_says_what_starts_each_and_what_is_wrong(home: Path, tea: Path, capsys: Capsys) -> None:
    (home / "workflows" / "bad.yaml").write_text("name: bad\nsteps:\n  - {id: a, wiat: 3s}\n")
    shown = typed(capsys, "flow", "list")
    assert shown.code == Exit.OK
    assert [line.split()[:2] for line in shown.out.splitlines()] == [["NAME", "STEPS"], ["bad", "-"], ["tea", "3"]]
    assert "schedule 0 9 * * *" in shown.out
    assert shown.err.startswith("cannot be run: bad.yaml:3:")
    found = rows(typed(capsys, "flow", "list", "--json").out)
    assert [(row["name"], bool(row["trouble"])) for row in found] == [("bad", True), ("tea", False)]
    assert found[1]["inputs"]["for"]["required"] is True


def test_the_list_has_flows_beside_playbooks_and_says_what_is_wrong_with_them(
    home: Path, tea: Path, capsys: Capsys
) -> None:
    (home / "flows").mkdir()
    (home / "flows" / "mine.yaml").write_text("name: mine\nroot: {type: sequence, steps: [plan, simple, plan]}\n")
    (home / "flows" / "bad.yaml").write_text("name: bad\nroot: nobody_here\n")
    shown = typed(capsys, "flow", "list")
    assert shown.code == Exit.OK
    lines = [line.split() for line in shown.out.splitlines()]
    assert [line[:3] for line in lines[1:]] == [["tea", "3", "manual,"], ["bad", "-", "turns"], ["mine", "4", "turns"]]
    assert shown.out.splitlines()[3].endswith("a flow of plan, simple")
    assert shown.err.startswith("cannot be walked: bad.yaml:2:7: error: root: there is no agent 'nobody_here'")
    found = rows(typed(capsys, "flow", "list", "--json").out)
    assert [(row["name"], row["kind"], bool(row["trouble"])) for row in found] == [
        ("tea", "playbook", False),
        ("bad", "flow", True),
        ("mine", "flow", False),
    ]


def test_a_name_that_a_playbook_and_a_flow_have_means_both_to_check(home: Path, tea: Path, capsys: Capsys) -> None:
    (home / "flows").mkdir()
    (home / "flows" / "tea.yaml").write_text("name: tea\nroot: nobody_here\n")
    shown = typed(capsys, "flow", "check", "tea")
    assert shown.code == Exit.FAILED
    assert "there is no agent 'nobody_here'" in shown.out
    assert shown.out.splitlines()[-1] == "1 playbook, 1 flow, 1 error, 0 warnings"
    (home / "flows" / "tea.yaml").write_text("name: tea\nroot: simple\n")
    assert typed(capsys, "flow", "check", "tea").out == "1 playbook, 1 flow, 0 errors, 0 warnings\n"


def test_looking_makes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys) -> None:
    monkeypatch.setenv("SULLA_HOME", str(tmp_path))
    for words in (["list"], ["check"], ["test"]):
        assert typed(capsys, "flow", *words).code == Exit.OK
    assert list(tmp_path.iterdir()) == []


def test_check_tells_faults_of_playbooks_and_of_tests_with_their_places(tea: Path, capsys: Capsys) -> None:
    assert typed(capsys, "flow", "check").out == "1 playbook, 0 errors, 0 warnings\n"
    tea.with_name("tea.test.yaml").write_text("- {name: a, fixtures: {kid: green}}\n")
    shown = typed(capsys, "flow", "check", "tea")
    assert shown.code == Exit.FAILED
    tests = tea.with_name("tea.test.yaml")
    assert shown.out.splitlines() == [
        f"{tests}:1:24: error: there is no step 'kid'. Did you mean 'kind'? [unknown-step]",
        "1 playbook, 1 error, 0 warnings",
    ]
    tea.write_text(TEA.replace("write_file", "write_fil"))
    shown = typed(capsys, "flow", "check", str(tea), "--json")
    assert shown.code == Exit.FAILED
    (row,) = rows(shown.out)
    assert (row["file"], row["line"], row["column"], row["rule"]) == (str(tea), 7, 22, "unknown-tool")


@pytest.mark.parametrize("named", ["whole path", "."])
def test_every_file_of_a_folder_is_checked_also_beside_one_that_cannot_be_read(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys, *, named: str
) -> None:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "a.yaml").write_bytes(b"\xff\xfe")
    (folder / "b.yaml").write_text("name: b\nsteps:\n  - {id: a, wiat: 3s}\n")
    hook = "name: c\non: [{webhook: key}]\nsecrets: [key]\nsteps:\n  - {id: a, wait: 3s}\n"
    (folder / "c.yaml").write_text(hook)
    monkeypatch.chdir(folder)
    shown = typed(capsys, "flow", "check", str(folder) if named == "whole path" else named)
    assert shown.code == Exit.FAILED
    told = [line.rpartition("repository/")[2] for line in shown.out.splitlines()]
    what = "cannot be read: it is not UTF-8 text: byte 0 cannot be read [unreadable]"
    assert told[0].removeprefix("./") == f"a.yaml:1:1: error: {what}"
    assert told[1].startswith("b.yaml:3:")
    assert told[2].removeprefix("./").startswith("c.yaml:3:11: warning: this home has no secret 'key'.")
    assert told[3:] == ["3 playbooks, 2 errors, 1 warning"]
    (home / "workflows" / "c.yaml").write_text(hook)
    assert typed(capsys, "flow", "check", "c").out.splitlines()[0].endswith(told[2].partition(":")[2])  # as by its path


def test_check_says_what_keeps_a_home_from_its_playbooks(home: Path, tea: Path, capsys: Capsys) -> None:
    (home / "workflows" / "link.yaml").symlink_to(tea)
    (home / "workflows" / "two.yaml").write_text(TEA)
    shown = typed(capsys, "flow", "check", "all")
    assert shown.code == Exit.FAILED
    assert "link.yaml: it is a link" in shown.out
    assert "two.yaml is called 'tea' too" in shown.out


@pytest.mark.parametrize(
    ("words", "said", "code"),
    [
        (("check", "tee"), "there is no playbook 'tee'. Did you mean 'tea'", Exit.REFUSED),
        (("check", "./none.yaml"), "there is no file 'none.yaml'", Exit.REFUSED),
        (("graph", "tee"), "there is no playbook 'tee'", Exit.REFUSED),
        (("test", "./none.yaml"), "there is no file", Exit.REFUSED),
        (("dry-run", "tea", "--choose", "kind"), "--choose: expected step=value, found 'kind'", Exit.REFUSED),
        (("dry-run", "tea", "--trigger", "webhok"), "Did you mean 'webhook'", Exit.REFUSED),
        (("dry-run", "tea", "--query", "x"), "--query: expected name=value, found 'x'", Exit.REFUSED),
        (("dry-run", "tea", "--choose", "kind=red"), "no way 'red'; it has green, black", Exit.REFUSED),
        (("dry-run", "tea", "--input", "fro=x"), "it has no input 'fro'; did you mean 'for'?", Exit.REFUSED),
        (("new", "Tea"), "NAME: expected small letters", Exit.USAGE),
        (("new", "tea"), "there is a playbook 'tea' already", Exit.REFUSED),
        (("new", "x", "--from", "morning"), "Did you mean 'morning-brief'", Exit.REFUSED),
        (("import", "none.json"), "there is no file 'none.json'", Exit.REFUSED),
    ],
)
def test_what_cannot_be_is_explained(tea: Path, capsys: Capsys, words: tuple[str, ...], said: str, code: Exit) -> None:
    shown = typed(capsys, "flow", *words)
    assert (shown.code, shown.out) == (code, "")
    assert said in shown.err


def test_tests_are_run_and_what_differs_is_told_with_its_line(tea: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "flow", "test", "tea")
    assert shown.code == Exit.OK
    assert shown.out == "tea\n  ok    green it is  (20s, simulated)\n  ok    black it is\n2 tests, 0 failed\n"
    tests = tea.with_name("tea.test.yaml")
    tests.write_text(TESTS.replace("took: 20s", "took: 25s"))
    shown = typed(capsys, "flow", "test")
    assert shown.code == Exit.FAILED
    assert f"        {tests}:4:86: expected it to take 25s; it took 20s\n" in shown.out
    assert shown.out.endswith("2 tests, 1 failed\n")
    found = rows(typed(capsys, "flow", "test", "tea", "--json").out)
    assert [(row["test"], row["ok"]) for row in found] == [("green it is", False), ("black it is", True)]
    assert found[0]["misses"][0]["line"] == 4


def test_some_of_the_tests_are_run_where_that_is_asked_for(tea: Path, capsys: Capsys) -> None:
    assert typed(capsys, "flow", "test", "tea", "--only", "black").out.endswith("1 test, 0 failed\n")


def test_a_playbook_or_tests_with_faults_fail(tea: Path, capsys: Capsys) -> None:
    tests = tea.with_name("tea.test.yaml")
    tests.write_text("- {name: a, fixture: {}}")
    shown = typed(capsys, "flow", "test")
    assert (shown.code, "Did you mean 'fixtures'" in shown.out) == (Exit.FAILED, True)
    tests.write_text(TESTS)
    tea.write_text(TEA.replace("write_file", "write_fil"))
    shown = typed(capsys, "flow", "test")
    assert (shown.code, "tea.yaml:7:22: error" in shown.out) == (Exit.FAILED, True)


def test_who_names_a_playbook_without_tests_is_told(tea: Path, capsys: Capsys) -> None:
    tea.with_name("tea.test.yaml").unlink()
    assert typed(capsys, "flow", "test").out == "0 tests, 0 failed\n"
    shown = typed(capsys, "flow", "test", "tea")
    assert (shown.code, "tea.yaml has no tests: write some in" in shown.err) == (Exit.REFUSED, True)


def test_a_file_finds_what_lies_beside_it(home: Path, tmp_path: Path, capsys: Capsys) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "outer.yaml").write_text("name: outer\nsteps:\n  - {id: sub, playbook: middle}\n")
    (folder / "middle.yaml").write_text("name: middle\nsteps:\n  - {id: sub, playbook: inner, with: {n: 3}}\n")
    (folder / "inner.yaml").write_text("name: inner\ninputs: {n: integer}\nsteps:\n  - {id: say, respond: hi}\n")
    (folder / "outer.test.yaml").write_text("- {name: a, expect: {path: [sub/sub/say], told: [hi]}}\n")
    assert typed(capsys, "flow", "check", str(folder)).out == "3 playbooks, 0 errors, 0 warnings\n"
    for name in ("outer.yaml", "outer.test.yaml"):
        assert typed(capsys, "flow", "test", str(folder / name)).out == "outer\n  ok    a\n1 test, 0 failed\n"


def test_a_dry_run_says_which_address_this_home_does_not_ask(home: Path, capsys: Capsys) -> None:
    text = (
        'name: poll\ninputs: {base: string}\nsteps:\n  - {id: get, tool: http, with: {url: "${{ inputs.base }}/x"}}\n'
    )
    (home / "workflows" / "poll.yaml").write_text(text)
    shown = typed(capsys, "flow", "dry-run", "poll", "--input", "base=http://127.0.0.1:9")
    assert "  which this home refuses: port 9 is not one of 80, 443, 8080, 8443" in shown.out
    (row,) = rows(typed(capsys, "flow", "dry-run", "poll", "--input", "base=http://127.0.0.1", "--json").out)
    assert "and those are not fetched" in row["calls"][0]["refused"]
    (row,) = rows(typed(capsys, "flow", "dry-run", "poll", "--input", "base=https://example.org", "--json").out)
    assert "refused" not in row["calls"][0]


def test_a_dry_run_says_that_a_person_is_asked_where_an_input_names_a_file_that_programs_run(
    home: Path, capsys: Capsys
) -> None:
    (home / "workflows" / "keep.yaml").write_text(
        "name: keep\ninputs: {file: string}\nsteps:\n"
        "  - {id: get, tool: web_fetch, with: {url: 'https://example.org'}}\n"
        '  - {id: put, tool: write_file, with: {path: "${{ inputs.file }}", content: x}}\n'
    )
    why = "'get' came from outside, and programs run or obey 'a.end'"
    said = f"a person is asked at 'put', before 'write_file' is called: {why}"
    shown = typed(capsys, "flow", "dry-run", "keep", "--input", "file=a.end")
    assert f"  {said}" in shown.out.splitlines()
    for file, asked in (("a.end", [said]), ("a.txt", [])):
        (row,) = rows(typed(capsys, "flow", "dry-run", "keep", "--input", f"file={file}", "--json").out)
        assert row["asked"] == asked


def test_a_dry_run_is_begun_with_what_a_message_says(home: Path, capsys: Capsys) -> None:
    (home / "workflows" / "hook.yaml").write_text(
        "name: hook\nsteps:\n"
        "  - {id: big, condition: \"${{ run.payload.total > 10 and run.trigger == 'webhook' }}\"}\n"
        "  - {id: say, respond: \"${{ run.payload.who }} ${{ run.query.to }} ${{ run.headers['x-a'] }}\"}\n"
    )
    began = ("--trigger", "webhook", "--query", "to=live", "--header", "x-a=b")
    payload = {"total": 12, "who": "Ann"}
    (row,) = rows(typed(capsys, "flow", "dry-run", "hook", *began, "--payload", json.dumps(payload), "--json").out)
    assert (row["chosen"], row["status"], row["told"]) == ({}, "completed", ["Ann live b"])
    (row,) = rows(typed(capsys, "flow", "dry-run", "hook", *began, "--payload", '{"total": 12}', "--json").out)
    assert (row["status"], row["assumed"]) == ("failed", [])


def test_what_a_message_brings_along_goes_every_way_where_nobody_says_it(home: Path, capsys: Capsys) -> None:
    (home / "workflows" / "hook.yaml").write_text(
        "name: hook\non: [{webhook: key}]\nsecrets: [key]\nsteps:\n"
        '  - {id: fine, condition: "${{ (run.payload.total | default(0)) > 10 }}"}\n'
        '  - {id: say, needs: [fine.yes], respond: "for ${{ run.payload.who }}:\\n${{ 1 + 1 }}"}\n'
    )
    for began in ((), ("--trigger", "webhook")):
        found = rows(typed(capsys, "flow", "dry-run", "hook", *began, "--json").out)
        assert [row["chosen"] for row in found] == [{"fine": "yes"}, {"fine": "no"}]
        assert found[0]["told"] == ["for <text of ${{ run.payload.who }}>:\n2"], "what stands around it is kept"
    (row,) = rows(typed(capsys, "flow", "dry-run", "hook", "--trigger", "manual", "--json").out)
    assert (row["chosen"], row["told"]) == ({}, [])


def test_a_dry_run_shows_every_way_and_what_it_would_do(tea: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "flow", "dry-run", "tea")
    assert shown.code == Exit.OK
    assert shown.out.splitlines()[0] == "way 1 of 2: kind=green"
    assert '  would call write_file (idempotent) {"path": "tea.txt", "content": "green"}' in shown.out
    assert "  would say Tea is ready." in shown.out
    assert "  1 model call at the least, about " in shown.out
    assert not (tea.parents[1] / "workspace").exists()
    found = rows(typed(capsys, "flow", "dry-run", "tea", "--choose", "kind=black", "--json").out)
    assert [row["chosen"] for row in found] == [{"kind": "black"}]
    assert found[0]["calls"] == [
        {"at": "boil", "tool": "write_file", "effect": "idempotent", "args": {"path": "tea.txt", "content": "black"}}
    ]
    assert [step["status"] for step in found[0]["steps"]] == ["completed"] * 3


def test_a_tool_that_the_home_has_no_setting_for_is_told_before_a_run(home: Path, capsys: Capsys) -> None:
    (home / "workflows" / "news.yaml").write_text(
        "name: news\nsteps:\n  - {id: a, tool: web_search, with: {query: tea}}\n"
    )
    said = "news.yaml:3:19: warning: the tool 'web_search' cannot be used in this home: no web search is set up"
    checked = typed(capsys, "flow", "check", "news")
    assert checked.code == Exit.OK
    assert said in checked.out
    tried = typed(capsys, "flow", "dry-run", "news")
    assert tried.code == Exit.OK
    assert said in tried.err
    (home / "sulla.toml").write_text('[web]\nsearch = "searxng"\nsearxng_url = "http://127.0.0.1:8888"\n')
    assert typed(capsys, "flow", "check", "news").out == "1 playbook, 0 errors, 0 warnings\n"


def test_an_estimate_has_a_price_where_the_model_has_one(
    tea: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capsys
) -> None:
    tea.write_text("name: tea\nsteps:\n  - {id: a, agent: sulla, prompt: Make tea}\n")
    (row,) = rows(typed(capsys, "flow", "dry-run", "tea", "--json").out)
    assert (row["model_calls"], row["cost"]) == (1, None)
    assert row["tokens"] > 1000  # its prompt and its tools
    (tea.parents[1] / "sulla.toml").write_text(
        '[model]\nname = "anthropic:x"\n\n[prices."anthropic:x"]\ninput = 1000\noutput = 1\n'
    )
    (priced,) = rows(typed(capsys, "flow", "dry-run", "tea", "--json").out)
    assert priced["cost"] == priced["tokens"] / 1000


def test_a_playbook_is_drawn(tea: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "flow", "graph", "tea")
    assert shown.out.startswith("flowchart TD\n")
    assert "  s_kind --> s_boil\n" in shown.out
    assert rows(typed(capsys, "flow", "graph", "tea", "--json").out)[0]["mermaid"] == shown.out


def test_a_new_one_is_whole_and_its_tests_pass(home: Path, capsys: Capsys) -> None:
    shown = typed(capsys, "flow", "new", "mine")
    file = home / "workflows" / "mine.yaml"
    assert (shown.code, shown.err) == (Exit.OK, "")
    assert f"made     {file}" in shown.out
    assert file.read_text().startswith("# yaml-language-server: $schema=http://127.0.0.1:8137/schemas/playbook.json\n")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert typed(capsys, "flow", "check").out == "1 playbook, 0 errors, 0 warnings\n"
    assert typed(capsys, "flow", "test").out.endswith("2 tests, 0 failed\n")


def test_a_new_one_of_a_starter_has_its_name_and_its_tests(home: Path, capsys: Capsys) -> None:
    assert typed(capsys, "flow", "new", "my-leads", "--from", "lead-triage").code == Exit.OK
    assert typed(capsys, "flow", "list", "--json").out.startswith('{"name": "my-leads"')
    assert typed(capsys, "flow", "test", "my-leads").code == Exit.OK


def test_what_is_there_is_not_written_over(home: Path, tmp_path: Path, capsys: Capsys) -> None:
    out = tmp_path / "some" / "where.yaml"
    assert typed(capsys, "flow", "new", "mine", "--out", str(out)).code == Exit.OK
    before = out.read_text()
    shown = typed(capsys, "flow", "new", "other", "--out", str(out))
    assert (shown.code, "is there already" in shown.err) == (Exit.REFUSED, True)
    assert out.read_text() == before


def test_a_workflow_of_the_desktop_is_made_a_playbook_and_what_to_look_at_is_told(
    home: Path, tmp_path: Path, capsys: Capsys
) -> None:
    flow = {
        "name": "My Flow",
        "nodes": [
            {"id": "1", "data": {"subtype": "schedule", "category": "trigger", "label": "Begin", "config": {}}},
            {"id": "2", "data": {"subtype": "user-input", "label": "Ask them", "config": {"promptText": "Well?"}}},
            {"id": "3", "data": {"subtype": "no-such-thing", "label": "Odd", "config": {}}},
        ],
        "edges": [{"source": "1", "target": "2"}, {"source": "2", "target": "3"}],
    }
    source = tmp_path / "flow.json"
    source.write_text(json.dumps(flow))
    shown = typed(capsys, "flow", "import", str(source))
    assert shown.code == Exit.OK
    made = home / "workflows" / "my-flow.yaml"
    assert f"made     {made}" in shown.out
    assert "look at: " in shown.err
    assert made.read_text().startswith("# yaml-language-server")
    assert typed(capsys, "flow", "import", str(source)).code == Exit.REFUSED
    source.write_text("[1]")
    wrong = typed(capsys, "flow", "import", str(source))
    assert (wrong.code, f"{source}: expected a workflow of Sulla Desktop" in wrong.err) == (Exit.REFUSED, True)


def test_the_workflows_of_a_folder_refer_to_each_other(home: Path, tmp_path: Path, capsys: Capsys) -> None:
    folder, out = tmp_path / "flows", tmp_path / "made"
    folder.mkdir()
    ask = {"id": "1", "data": {"subtype": "user-input", "label": "Ask", "config": {"promptText": "Well?"}}}
    run = {"id": "2", "data": {"subtype": "sub-workflow", "label": "Run", "config": {"workflowId": "wf-7"}}}
    for id_, name, node in (("wf-7", "Inner Flow", ask), ("wf-8", "Outer Flow", run)):
        (folder / f"{id_}.json").write_text(json.dumps({"id": id_, "name": name, "nodes": [node], "edges": []}))
    (folder / "other.json").write_text("[1]")
    shown = typed(capsys, "flow", "import", str(folder), "--out", str(out))
    assert shown.code == Exit.OK, shown.err
    assert sorted(file.name for file in out.iterdir()) == ["inner-flow.yaml", "outer-flow.yaml"]
    assert 'playbook: "inner-flow"' in (out / "outer-flow.yaml").read_text()
    assert "other.json is no workflow" in shown.err
    assert "look at: " not in shown.err


def test_a_playbook_within_that_has_faults_is_there(tmp_path: Path, home: Path, capsys: Capsys) -> None:
    (tmp_path / "inner.yaml").write_text("name: inner\nsteps: [{id: a, respnd: hi}]\n")
    outer = tmp_path / "outer.yaml"
    outer.write_text("name: outer\nsteps: [{id: a, playbook: inner}]\n")
    shown = typed(capsys, "flow", "check", str(outer))
    assert shown.code == Exit.FAILED
    assert "the playbook 'inner' has faults of its own" in shown.out


def test_control_characters_of_others_reach_no_terminal(tea: Path, capsys: Capsys) -> None:
    tea.write_text(TEA.replace("Tea is ready.", '"Tea \\u001b[2J is ready"'))
    definition = check_playbook(tea.read_text()).definition
    assert definition is not None
    assert read_cases(TESTS, definition, lambda name: definition)[1] == ()
    for words in (["list"], ["check"], ["dry-run", "tea"], ["test", "tea"], ["graph", "tea"]):
        assert "\x1b" not in typed(capsys, "flow", *words).out
