from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from sulla.core import errors
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway import rpc, wire
from sulla.gateway.commands import Event
from sulla.gateway.methods.table import METHODS
from sulla.gateway.rpc import Fault, Request
from sulla.rpc.limits import TEXT_CHARS, WORKFLOW_CHARS
from tests.gateway.forms import check_form


def request(method: str, params: object = None, id_: object = 1) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "method": method, "params": {} if params is None else params})


def fault(text: str) -> Fault:
    found = rpc.parse(text)
    assert isinstance(found, Fault)
    return found


def params_fault(method: str, params: JsonObject) -> Fault:
    found = rpc.read_params(Request(1, method, params))
    assert isinstance(found, Fault)
    return found


def test_a_request_is_read() -> None:
    assert rpc.parse(request("turn.send", {"a": 1}, "x")) == Request("x", "turn.send", {"a": 1})


def test_params_may_be_left_out() -> None:
    assert rpc.parse('{"jsonrpc":"2.0","id":1,"method":"system.status"}') == Request(1, "system.status", {})


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "nonsense",
        '{"id":1,}',
        '{"id":NaN}',
        '"\\ud800"',
        "[" * 100_000,
        '{"params":' * 5_000,
        "\x00",
    ],
)
def test_what_is_not_json_is_a_parse_error(text: str) -> None:
    assert fault(text).code == rpc.PARSE_ERROR


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("[]", "batches"),
        (f"[{request('hello')}]", "batches"),
        ("3", "a number"),
        ("null", "null"),
        ('{"jsonrpc":"2.0","method":"hello"}', "id: missing"),
        ('{"jsonrpc":"2.0","id":null,"method":"hello"}', "id: got None"),
        ('{"jsonrpc":"2.0","id":1.5,"method":"hello"}', "id: got 1.5"),
        ('{"jsonrpc":"2.0","id":true,"method":"hello"}', "id: got True"),
        ('{"jsonrpc":"2.0","id":{},"method":"hello"}', "id: got an object"),
        (request("hello", id_="x" * 129), "id: got 'xxxx"),
        ('{"id":1,"method":"hello"}', "jsonrpc: got None"),
        ('{"jsonrpc":"1.0","id":1,"method":"hello"}', "jsonrpc: got '1.0'"),
        ('{"jsonrpc":"2.0","id":1}', "method: got None"),
        ('{"jsonrpc":"2.0","id":1,"method":7}', "method: got 7"),
        ('{"jsonrpc":"2.0","id":1,"method":"hello","extra":1}', "'extra': no such field"),
        (request("hello", [1]), "params: got a list"),
        (request("hello", "x"), "params: got a string"),
    ],
)
def test_what_is_no_request_is_refused_and_named(text: str, hint: str) -> None:
    found = fault(text)
    assert hint in found.message
    assert found.code in (rpc.INVALID_REQUEST, rpc.INVALID_PARAMS)
    assert not found.retryable


def test_a_refusal_carries_the_id_as_soon_as_it_is_known() -> None:
    assert fault('{"jsonrpc":"2.0","id":"a7","method":7}').id == "a7"
    assert fault('{"jsonrpc":"2.0","id":{},"method":"hello"}').id is None


@pytest.mark.parametrize(
    ("name", "hint"),
    [("turn.sned", "did you mean 'turn.send'?"), ("zzz", "there are agent.create|"), ("x" * 10_000, "(10000 char")],
)
def test_an_unknown_method_names_the_nearest(name: str, hint: str) -> None:
    found = params_fault(name, {})
    assert found.code == rpc.METHOD_NOT_FOUND
    assert hint in found.message
    assert len(found.message) < 2_000


GOOD: dict[str, JsonObject] = {
    "hello": {"client": {"name": "t", "version": "1"}, "protocol": 1},
    "system.check": {},
    "system.stop": {},
    "system.reload": {},
    "thread.create": {},
    "thread.list": {},
    "thread.get": {"thread_id": "thr_1"},
    "thread.history": {"thread_id": "thr_1"},
    "thread.delete": {"thread_id": "thr_1"},
    "turn.send": {"thread_id": "thr_1", "message_id": "m1", "text": "hi"},
    "turn.stop": {"thread_id": "thr_1"},
    "turn.continue": {"thread_id": "thr_1"},
    "events.subscribe": {"thread_id": "thr_1"},
    "events.unsubscribe": {"thread_id": "thr_1"},
    "speech.chunk": {"thread_id": "thr_1", "utterance_id": "u:1", "seq": 0, "kind": "delta", "text": "hi"},
    "speech.flush": {"thread_id": "thr_1"},
    "speech.cancel": {"thread_id": "thr_1"},
    "speech.status": {"thread_id": "thr_1"},
    "approval.watch": {},
    "approval.unwatch": {},
    "live.watch": {},
    "flow.list": {},
    "flow.get": {"flow": "default"},
    "route.get": {},
    "memory.search": {"agent": "sulla", "words": "Ana"},
    "memory.notes": {"agent": "sulla"},
    "memory.note.forget": {"agent": "sulla", "ids": ["fact_1"]},
    "workflow.save": {"playbook": "brew", "text": "name: brew"},
    "workflow.delete": {"playbook": "brew", "digest": "sha256:0"},
    "workflow.test": {"playbook": "brew"},
    "workflow.dry_run": {"playbook": "brew"},
    "project.task.move": {"project": "garden", "number": 1, "state": "completed", "digest": "0" * 16},
    "thread.fork": {"thread_id": "thr_1", "at_seq": 2},
    "thread.export": {"thread_id": "thr_1"},
    "calendar.list": {"since_ms": 1_800_000_000_000, "until_ms": 1_800_086_400_000},
    "schedule.update": {"schedule": "sch_1", "every_s": 60, "message": "hi"},
    "schedule.preview": {"every_s": 60},
    "log.read": {},
    "audit.read": {},
    "usage.days": {},
    "live.unwatch": {},
    "agent.list": {},
    "agent.get": {"agent": "reader"},
    "agent.create": {"agent": "reader", "files": {"soul.md": "You read."}},
    "agent.update": {"agent": "reader", "files": {"soul.md": None}, "digest": "sha256:0"},
    "agent.delete": {"agent": "reader", "digest": "sha256:0"},
    "model.list": {},
    "tool.list": {},
    "skill.list": {},
    "route.try": {"text": "I want my money back."},
    "route.audit": {},
    "route.purge": {"before_ms": 1_800_000_000_000},
    "memory.graph": {"agent": "sulla"},
    "memory.entity": {"agent": "sulla", "entity": "Ana"},
    "memory.correct": {"agent": "sulla", "entity": "Ana", "what": "lives in", "value": "Malmö"},
    "memory.merge": {"agent": "sulla", "entity": "Ana", "other": "Ana Berg"},
    "memory.forget": {"agent": "sulla", "named": ["st_1"]},
    "thread.recent": {},
    "thread.search": {"words": "rome"},
    "thread.rename": {"thread_id": "thr_1", "title": "Rome"},
    "thread.resolve": {"begins": "thr_1"},
    "safety.explain": {"thread_id": "thr_1"},
    "safety.forget": {"thread_id": "thr_1"},
    "changes.list": {},
    "changes.show": {"changes": "changes_1"},
    "changes.keep": {"changes": "changes_1"},
    "changes.drop": {"changes": "changes_1"},
    "safety.trust": {"path": "notes/rome.md"},
    "environment.report": {"thread_id": "thr_1", "events": [{"kind": "page"}]},
    "approval.rules": {},
    "approval.forget": {"rule": "rule_1"},
    "presence.report": {"idle_s": 4},
    "presence.list": {},
    "notice.subscribe": {},
    "notice.list": {},
    "notice.seen": {"ids": ["ntc_1"]},
    "project.list": {},
    "project.get": {"project": "garden"},
    "notify.list": {},
    "notify.test": {"channel": "mail"},
    "channel.list": {},
    "channel.test": {"channel": "home"},
    "channel.people": {},
    "channel.codes": {},
    "channel.refuse": {"code": "K7QM2XPD"},
    "channel.pair": {"code": "K7QM2XPD", "person": "ann"},
    "channel.forget": {"person": "ann"},
    "project.plan": {"project": "garden", "goal": "beds"},
    "project.work": {"project": "garden"},
    "schedule.list": {},
    "schedule.add": {"every_s": 60, "message": "hi"},
    "schedule.remove": {"schedule": "s1"},
    "schedule.run": {"schedule": "s1"},
    "schedule.pause": {"schedule": "s1"},
    "schedule.resume": {"schedule": "s1"},
    "workflow.list": {},
    "workflow.get": {"playbook": "brew"},
    "workflow.check": {"text": "name: brew"},
    "workflow.start": {},
    "workflow.runs": {},
    "workflow.status": {"run": "thr_1"},
    "workflow.pause": {"run": "thr_1"},
    "workflow.resume": {"run": "thr_1"},
    "workflow.step": {"run": "thr_1"},
    "workflow.cancel": {"run": "thr_1"},
    "workflow.fork": {"run": "thr_1", "steps": ["boil@2.0"]},
    "heartbeat.status": {},
    "heartbeat.trigger": {},
    "heartbeat.pause": {},
    "heartbeat.resume": {},
    "heartbeat.log": {},
    "token.create": {"name": "bob", "scopes": ["read"]},
    "token.list": {},
    "token.revoke": {"name": "bob"},
    "token.ticket": {},
    "system.status": {},
    "system.pause": {},
    "system.resume": {},
    "approval.list": {},
    "approval.answer": {"thread_id": "thr_1", "id": "review:tool_1"},
}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_each_method_takes_its_smallest_parameters(method: str) -> None:
    assert isinstance(rpc.read_params(Request(1, method, GOOD[method])), METHODS[method].params)


@pytest.mark.parametrize("method", sorted(METHODS))
def test_no_method_takes_an_unknown_field(method: str) -> None:
    assert "no such field" in params_fault(method, GOOD[method] | {"colour": "red"}).message


@pytest.mark.parametrize(
    ("method", "change", "message"),
    [
        ("turn.send", {"text": 3}, "params.text: got 3, expected a valid string"),
        ("turn.send", {"text": ""}, "params.text: got '', expected at least 1 character"),
        ("turn.send", {"text": "x" * 100_001}, "params.text: got 100001 characters, expected at most 100000"),
        ("turn.send", {"mode": "quue"}, "params.mode: got 'quue', expected 'queue', 'steer' or 'interrupt'"),
        ("turn.send", {"tetx": "x"}, "params.tetx: no such field; did you mean 'text'?"),
        ("turn.send", {"message_id": "../../etc"}, "params.message_id: got '../../etc', expected letters, digits"),
        ("turn.send", {"message_id": ".."}, "params.message_id: got '..', expected letters, digits"),
        ("turn.send", {"message_id": "m" * 129}, "params.message_id: got 129 characters, expected at most 128"),
        ("turn.send", {"message_id": "a\n"}, "params.message_id: got 'a\\n', expected letters"),
        ("turn.send", {"thread_id": None}, "params.thread_id: got None, expected a valid string"),
        ("thread.create", {"title": "x" * 201}, "params.title: got 201 characters, expected at most 200"),
        ("thread.create", {"title": "two\nlines"}, "expected one line without control characters"),
        ("thread.list", {"limit": 0}, "params.limit: got 0, expected greater than or equal to 1"),
        ("thread.list", {"limit": True}, "params.limit: got True, expected a valid integer"),
        ("thread.list", {"limit": 2.0}, "params.limit: got 2.0, expected a valid integer"),
        ("thread.list", {"limit": "2"}, "params.limit: got '2', expected a valid integer"),
        ("thread.history", {"after": -1}, "params.after: got -1"),
        ("thread.history", {"after": 2**60}, "params.after: got 1152921504606846976"),
        ("hello", {"protocol": 2}, "params.protocol: got 2, expected 1"),
        ("hello", {"protocol": True}, "params.protocol: got True, expected 1"),
        ("hello", {"protocol": 1.0}, "params.protocol: got 1.0, expected 1"),
        ("hello", {"client": {"name": "t"}}, "params.client.version: missing"),
    ],
)
def test_a_wrong_parameter_is_named_with_what_came_and_what_was_expected(
    method: str, change: JsonObject, message: str
) -> None:
    found = params_fault(method, GOOD[method] | change)
    assert message in found.message
    assert found.code == rpc.INVALID_PARAMS
    assert found.word == ("too_large" if "at most" in message else "invalid_input")


def test_the_longest_allowed_text_passes() -> None:
    params = GOOD["turn.send"] | {"text": "🦉" * 100_000, "message_id": "m" * 128}
    assert isinstance(rpc.read_params(Request(1, "turn.send", params)), wire.TurnSend)


@pytest.mark.parametrize("token", ["s3cret" * 100, {"s3cret": 1}, ["s3cret"], ""])
def test_a_wrong_token_is_never_repeated(token: Json) -> None:
    assert "s3cret" not in params_fault("hello", GOOD["hello"] | {"token": token}).message


def test_many_mistakes_make_no_endless_message() -> None:
    params: JsonObject = {f"{i}" * 300: i for i in range(60)}
    assert len(params_fault("turn.send", params).message) < 2000


@pytest.mark.parametrize(
    ("method", "field"), [("turn.send", "text"), ("approval.answer", "text"), ("thread.create", "title")]
)
def test_a_text_that_is_too_long_is_named_with_its_length_and_the_most_that_is_taken(method: str, field: str) -> None:
    most = {"text": 100_000, "title": 200}[field]
    given: JsonObject = {**GOOD[method], field: "\N{FIRE}" * most}
    assert isinstance(rpc.read_params(rpc.Request(1, method, given)), METHODS[method].params)
    fault = params_fault(method, given | {field: "\N{FIRE}" * (most + 1)})
    assert (fault.code, fault.word) == (rpc.INVALID_PARAMS, "too_large")
    assert fault.message.startswith(f"params.{field}: got {most + 1} characters, expected at most {most}")
    assert ("put it in a file of the workspace" in fault.message) is (field == "text")


def _strings(schema: Json) -> Iterator[JsonObject]:
    """Every place of a schema that takes any text."""
    if isinstance(schema, list):
        for item in schema:
            yield from _strings(item)
    elif isinstance(schema, dict):
        if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
            yield schema
        for item in schema.values():
            yield from _strings(item)


@pytest.mark.parametrize("method", METHODS)
def test_no_method_takes_a_text_without_an_end(method: str) -> None:
    for place in _strings(METHODS[method].params.model_json_schema()):
        most = place.get("maxLength")
        assert isinstance(most, int), place
        assert most <= (WORKFLOW_CHARS if method.startswith("workflow.") else TEXT_CHARS), place


@pytest.mark.parametrize(
    ("error", "code", "word", "retryable"),
    [
        (errors.InvalidInput("x"), -32602, "invalid_input", False),
        (errors.TooLarge("x"), -32602, "too_large", False),
        (errors.Unauthorized("x"), -32001, "unauthorized", False),
        (errors.Forbidden("x"), -32003, "forbidden", False),
        (errors.NotFound("x"), -32004, "not_found", False),
        (errors.NotAvailable("x"), -32005, "not_available", False),
        (errors.MessageIdReused("x"), -32009, "message_id_reused", False),
        (errors.QueueFull("x"), -32029, "queue_full", True),
        (errors.RateLimited("x"), -32029, "rate_limited", True),
        (errors.StoreUnavailable("x"), -32053, "store_unavailable", True),
        (errors.ShuttingDown("x"), -32053, "shutting_down", True),
        (errors.CorruptRecord("x"), -32000, "corrupt_record", False),
        (errors.SullaError("x"), -32603, "internal", False),
    ],
)
def test_each_error_keeps_its_word(error: errors.SullaError, code: int, word: str, retryable: bool) -> None:
    found = rpc.fault_of(7, error)
    assert (found.id, found.code, found.word, found.retryable) == (7, code, word, retryable)


def test_an_error_says_when_to_come_back() -> None:
    frame = json.loads(rpc.fault_frame(rpc.fault_of(7, errors.Busy("later", retry_after_s=1.5))))
    data = {"code": "busy", "retryable": True, "retry_after_s": 1.5}
    assert frame == {"jsonrpc": "2.0", "id": 7, "error": {"code": -32029, "message": "later", "data": data}}
    check_form(wire.Error, frame["error"])


def test_an_event_frame_has_the_published_form() -> None:
    event = Event("thr_1", 4, "run_1", None, "sulla", 0, "INPUT", 1_800_000_000_123, {"text": "hé🦉", "n": [1, None]})
    frame = json.loads(rpc.event_frame(event))
    assert frame["method"] == "event"
    assert check_form(wire.EventParams, frame["params"]).at_ms == 1_800_000_000_123


def test_the_end_of_a_subscription_has_the_published_form() -> None:
    frame = json.loads(rpc.ended_frame("thr_1", rpc.fault_of(None, errors.NotFound("gone"))))
    assert frame["method"] == "events.ended"
    check_form(wire.EndedParams, frame["params"])


@pytest.mark.parametrize(
    ("method", "params", "where"),
    [
        ("system.status", {f"k{number}": 0 for number in range(65)}, "params"),
        ("hello", {"client": {f"k{number}": 0 for number in range(65)}, "protocol": 1}, "params.client"),
    ],
)
def test_more_fields_than_any_model_has_are_counted_and_not_explained_one_by_one(
    method: str, params: JsonObject, where: str
) -> None:
    assert params_fault(method, params).message == f"{where}: got 65 fields, expected at most 64"


@pytest.mark.parametrize("field", ["inputs", "outputs"])
@pytest.mark.parametrize(
    "value", [[{"a": 1}] * 3000, {f"k{number}": 0 for number in range(3000)}, [[0] * 100] * 900], ids=type
)
def test_what_a_playbook_is_given_may_be_long(field: str, value: Json) -> None:
    found = rpc.read_params(Request(1, "workflow.start", {"playbook": "p", field: {"rows": value}}))
    assert getattr(found, field) == {"rows": value}


@pytest.mark.parametrize("value", [[0] * 100_000, [[0] * 1000] * 100, {"deep": [[[0] * 100_000]]}])
def test_the_entries_of_what_a_playbook_is_given_are_counted_in_all(value: Json) -> None:
    assert params_fault("workflow.start", {"playbook": "p", "inputs": {"rows": value}}).message == (
        "params.inputs: its lists and objects have more than 100000 entries in all, the most there may be"
    )


def test_names_of_inputs_are_as_few_as_fields() -> None:
    inputs: JsonObject = {f"k{number}": 0 for number in range(65)}
    said = params_fault("workflow.start", {"playbook": "p", "inputs": inputs}).message
    assert said == "params.inputs: got 65 fields, expected at most 64"


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ([1] * 300_000, "params.events: got 300000 items, expected at most 64"),
        ([{str(number): 1 for number in range(75_000)}], "params.events.0: got 75000 fields, expected at most 64"),
    ],
)
def test_a_crowd_within_a_list_is_refused_and_not_explained(events: list[Json], said: str) -> None:
    assert params_fault("environment.report", {"thread_id": "thr_1", "events": events}).message == said
