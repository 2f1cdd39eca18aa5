"""The policy, row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from sulla.core.jsontypes import FrozenJson
from sulla.tools.base import Effect, Reach, Tool, ToolContext
from sulla.tools.policy import RULES, Allow, AskFirst, CallContext, Deny, FiledCall, Trust, digest_of, judge, targets_of
from tests.doubles.attacks import Hooks
from tests.tools.contexts import context_in

HERE = context_in(Path("workspace"))
EFFECTS: tuple[Effect, ...] = ("pure", "idempotent", "once")
TRUSTS: tuple[Trust, ...] = ("person", "unattended")
CLEAN = CallContext(tainted=False)
TAINTED = CallContext(tainted=True)
ALONE = CallContext("unattended", tainted=False)


def tool(effect: Effect = "once", reach: Reach = "outward") -> Tool:
    return Hooks().tool("act", "url", effect=effect, reach=reach)


ROWS: tuple[tuple[str, Tool, CallContext, type], ...] = (
    ("secret", tool(), replace(CLEAN, secret=True), Deny),
    ("secret", tool(), replace(TAINTED, secret=True, allowed=True), Deny),
    ("secret", tool("pure"), replace(TAINTED, secret=True, known_target=True), Deny),
    ("secret", replace(tool(), asks=lambda args, context: "May I?"), replace(CLEAN, secret=True), Deny),
    ("unclear", replace(tool("pure", "inward"), asks=lambda args, context: str(args["none"])), CLEAN, Deny),
    ("own_question", replace(tool("pure", "inward"), asks=lambda args, context: "May I?"), CLEAN, AskFirst),
    ("own_question", replace(tool(), asks=lambda args, context: "May I?"), replace(CLEAN, allowed=True), AskFirst),
    ("inward", tool(reach="inward"), TAINTED, Allow),
    ("inward", tool(reach="inward"), ALONE, Allow),
    ("inward", tool(reach="inward"), replace(TAINTED, secret=True), Allow),
    ("inward", replace(tool(), asks=lambda args, context: "", reach="inward"), TAINTED, Allow),
    ("allowed_before", tool(), replace(TAINTED, allowed=True), Allow),
    ("allowed_before", tool(), replace(ALONE, allowed=True), Allow),
    ("unattended", tool(), ALONE, AskFirst),
    ("unattended", tool("idempotent"), ALONE, AskFirst),
    ("unattended", tool(), replace(ALONE, tainted=True, known_target=True), AskFirst),
    ("known_read", tool("pure"), replace(TAINTED, known_target=True), Allow),
    ("tainted", tool(), replace(TAINTED, known_target=True), AskFirst),
    ("tainted", tool("idempotent"), replace(TAINTED, known_target=True), AskFirst),
    ("tainted", tool("pure"), TAINTED, AskFirst),
    ("tainted", tool("pure"), replace(ALONE, tainted=True), AskFirst),
    ("tainted", tool(), TAINTED, AskFirst),
    ("trusted", tool(), CLEAN, Allow),
    ("trusted", tool("pure"), ALONE, Allow),
)


@pytest.mark.parametrize(("rule", "what", "standing", "verdict"), ROWS)
def test_each_row(rule: str, what: Tool, standing: CallContext, verdict: type) -> None:
    found = judge(what, {}, HERE, standing)
    assert (found.rule, type(found)) == (rule, verdict)


def test_each_rule_has_its_row() -> None:
    assert {row[0] for row in ROWS} == {rule.name for rule in RULES}


def test_no_combination_lets_a_secret_out_or_skips_a_tools_own_question() -> None:
    for effect, trust, tainted, known, allowed in product(EFFECTS, TRUSTS, (False, True), (False, True), (False, True)):
        standing = CallContext(trust, tainted=tainted, secret=True, known_target=known, allowed=allowed)
        assert isinstance(judge(tool(effect), {}, HERE, standing), Deny)
        asking = replace(tool(effect), asks=lambda args, context: "May I?")
        assert not isinstance(judge(asking, {}, HERE, replace(standing, secret=False)), Allow)


def test_nothing_tainted_takes_effect_outside_unless_a_person_said_so_before() -> None:
    for effect, trust, known in product(EFFECTS[1:], TRUSTS, (False, True)):
        standing = CallContext(trust, tainted=True, known_target=known)
        assert isinstance(judge(tool(effect), {}, HERE, standing), AskFirst)


def test_a_tool_that_cannot_say_where_it_reaches_reaches_out() -> None:
    def lost(args: FrozenJson, context: ToolContext) -> Reach:
        raise KeyError("path")

    def odd(args: FrozenJson, context: ToolContext) -> Reach:
        return "sideways"  # type: ignore[return-value]  # a tool may be wrong

    for reach in (lost, odd):
        assert isinstance(judge(replace(tool(), reach=reach), {}, HERE, TAINTED), AskFirst)


def test_where_it_reaches_may_depend_on_the_arguments() -> None:
    def reach(args: FrozenJson, context: ToolContext) -> Reach:
        return "inward" if args.get("url") == "here" else "outward"

    here = replace(tool(), reach=reach)
    assert isinstance(judge(here, {"url": "here"}, HERE, TAINTED), Allow)
    assert isinstance(judge(here, {"url": "there"}, HERE, TAINTED), AskFirst)


ARGS: Mapping[str, FrozenJson] = {"as asked": {"url": "https://a.example/1", "more": [1, {"b": None}]}}


@pytest.mark.parametrize(
    "args",
    [
        {"url": "https://a.example/2", "more": [1, {"b": None}]},
        {"url": "https://a.example/1", "more": [True, {"b": None}]},
        {"url": "https://a.example/1", "more": ["1", {"b": None}]},
        {"url": "https://a.example/1", "more": [1, {"b": None}], "x": 0},
        {"url": "https://a.example/1"},
    ],
    ids=str,
)
def test_a_yes_is_bound_to_every_byte_of_the_arguments(args: FrozenJson) -> None:
    asked = digest_of(tool(), ARGS["as asked"], HERE, "")
    assert digest_of(tool(), args, HERE, "") != asked
    assert digest_of(tool(), dict(reversed([*ARGS["as asked"].items()])), HERE, "") == asked


def test_a_yes_is_bound_to_the_tool_its_place_and_its_question() -> None:
    asked = digest_of(tool(), {}, HERE, "Now?")
    one = HERE
    changed = [
        digest_of(replace(tool(), name="other"), {}, one, "Now?"),
        digest_of(replace(tool(), description="Does more."), {}, one, "Now?"),
        digest_of(replace(tool(), schema={"type": "object"}), {}, one, "Now?"),
        digest_of(tool("idempotent"), {}, one, "Now?"),
        digest_of(tool(reach="inward"), {}, one, "Now?"),
        digest_of(tool(), {}, replace(one, workspace=one.workspace / "x"), "Now?"),
        digest_of(tool(), {}, replace(one, agent="other"), "Now?"),
        digest_of(tool(), {}, replace(one, call_id=type(one.call_id)("c2")), "Now?"),
        digest_of(tool(), {}, one, "Then?"),
    ]
    assert asked not in changed
    assert len(set(changed)) == len(changed)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://a.example/x?y#z", "host:https://a.example"),
        ("HTTPS://A.Example:8443", "host:https://a.example:8443"),
        ("http://[::1]:80/x", "host:http://[::1]:80"),
        ("https://a.example?x", "host:https://a.example"),
        ("https://me@a.example/x", ""),
        ("https://a.example\\@b.example/", ""),
        ("https://a.example:/x", ""),
        ("ftp://a.example/x", ""),
        ("//a.example/x", ""),
        ("https:///x", ""),
        (" https://a.example/", ""),
    ],
)
def test_always_names_the_host_of_a_plain_address_and_else_the_very_arguments(url: str, host: str) -> None:
    (target,) = targets_of(tool(), {"url": url})
    assert target == host if host else target.startswith("args:")


def test_always_is_good_for_a_host_only_where_nothing_but_the_address_is_said() -> None:
    said: FrozenJson = {"url": "https://example.org/", "body": "one"}
    (target,) = targets_of(tool(), said)
    assert target.startswith("args:")
    assert targets_of(tool(), {**said, "body": "another"}) != (target,)


# ------------------------------------------------------------------------------------------- calls in playbooks

KEY = "secret_0a1b"
SENDS = replace(tool(), addressed=True)
STEP = "the step s of the playbook p (0123, begun by schedule)"
POST: FrozenJson = {"url": "https://a.example/x", "method": "POST", "headers": {"Key": f"Bearer {KEY}"}, "body": "one"}


def target(args: FrozenJson, *, sends: Tool = SENDS, step: str = STEP, key: str = KEY, name: str = "k") -> str:
    return targets_of(sends, args, FiledCall(step, {key: name}))[0]


def test_always_is_good_at_a_step_for_the_method_the_host_and_the_secrets_whatever_else_is_said() -> None:
    assert target(POST) == f"POST to https://a.example with the secret k, by {STEP}"
    others: FrozenJson = {**POST, "url": "https://a.example/y?z=1", "body": "two"}
    assert target(others) == target(POST)
    another_run: FrozenJson = {**POST, "headers": {"Key": "Bearer secret_ffff"}}
    assert target(another_run, key="secret_ffff") == target(POST)


@pytest.mark.parametrize(
    "other",
    [
        {"args": {**POST, "method": "DELETE"}},
        {"args": {**POST, "url": "https://b.example/x"}},
        {"args": {**POST, "url": "http://a.example/x"}},
        {"args": {**POST, "headers": {}}},
        {"args": POST, "name": "other"},
        {"args": POST, "step": "the step t of the playbook p (0123, begun by schedule)"},
        {"args": POST, "sends": tool()},
        {"args": POST, "step": ""},
        {"args": {**POST, "url": "https://a.example\\@b.example/"}},
        {"args": {**POST, "method": "POST to https://b.example"}},
    ],
)
def test_always_at_a_step_is_good_for_nothing_else(other: dict[str, Any]) -> None:
    assert target(**other) != target(POST)


@pytest.mark.parametrize("step", [STEP, ""])
def test_always_at_a_step_that_reads_a_page_is_good_for_that_page_and_one_for_its_host_counts_there(step: str) -> None:
    page, other = ({"url": f"https://a.example/{name}"} for name in ("page", "other"))
    always, *before = targets_of(tool(), page, FiledCall(step, {}))
    assert (always[:5], before) == ("args:", ["host:https://a.example"])
    assert targets_of(tool(), other, FiledCall(step, {}))[0] != always


def test_a_rule_for_exactly_the_same_arguments_still_counts_at_a_step() -> None:
    assert targets_of(SENDS, {**POST, "headers": {}}, FiledCall(STEP, {}))[1:] == targets_of(
        tool(), {**POST, "headers": {}}
    )


def test_exactly_the_same_arguments_are_the_same_in_another_run_by_the_names_of_their_secrets() -> None:
    here, there = target({"to": KEY}, step=""), target({"to": "secret_ffff"}, step="", key="secret_ffff")
    assert here == there
    assert target({"to": KEY}, step="", name="other") != here


@pytest.mark.parametrize("text", ["k", "[secret k]", "\0:k;", "\0\0:k;", "secret_ffff"])
def test_no_text_passes_for_a_secret(text: str) -> None:
    assert target({"to": text}, step="") != target({"to": KEY}, step="")
