from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.errors import Conflict, Forbidden, InvalidInput, MessageIdReused, NotFound
from sulla.core.ids import ThreadId
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.definitions.text_file import text_digest
from sulla.playbooks import rpc_forms as wire
from sulla.playbooks.rpc import METHODS, begin_of, page_of
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.service import Begin
from sulla.rpc.form import Params
from tests.doubles.playbooks import SOURCE, STEPS, MemoryPlaybooks
from tests.gateway.asking import ask
from tests.gateway.conftest import Connect

OWNER = Principal("owner", ALL_SCOPES)
WRITER = Principal("writer", frozenset({"read", "write"}))


class Desk:
    """Asks an office as the gateway does."""

    def __init__(self) -> None:
        self.office = MemoryPlaybooks()
        self._made = count(1)

    async def ask(self, params: Params, caller: Principal = OWNER) -> Any:
        return await ask(METHODS, self.office, params, caller, lambda kind: f"{kind}_{next(self._made)}")


@pytest.fixture
def context() -> Desk:
    return Desk()


async def test_playbooks_are_listed_shown_and_checked(context: Desk) -> None:
    (row,) = (await context.ask(wire.WorkflowList()))["playbooks"]
    assert (row["playbook"], row["on"], row["inputs"]["leaf"]["type"]) == (
        "brew",
        ["manual", "webhook kettle"],
        "string",
    )
    assert await context.ask(wire.WorkflowGet(playbook="brew")) == {
        "about": row,
        "text": SOURCE,
        "saved": text_digest(SOURCE),
    }
    assert await context.ask(wire.WorkflowCheck(text=SOURCE)) == {"faults": []}
    (fault,) = (await context.ask(wire.WorkflowCheck(text="name: x", file="mine.yaml")))["faults"]
    assert fault.startswith("mine.yaml:1:1: ")


async def test_the_same_request_id_begins_the_same_run_and_without_one_each_is_another(context: Desk) -> None:
    asked = wire.WorkflowStart(playbook="brew", inputs={"leaf": "oolong"}, thread_id="thr_1", request_id="r-1")
    first, again = await context.ask(asked), await context.ask(asked)
    assert (first["first"], again) == (True, {"run": first["run"], "first": False})
    leaf: JsonObject = {"leaf": "oolong"}
    wanted = Begin("brew", leaf, thread=ThreadId("thr_1"), by=Author.PERSON, may_answer=True)
    assert context.office.begun[first["run"]] == wanted
    with pytest.raises(MessageIdReused):
        await context.ask(asked.model_copy(update={"inputs": {"leaf": "mate"}}))
    bare = wire.WorkflowStart(playbook="brew")
    assert (await context.ask(bare))["run"] != (await context.ask(bare))["run"]


@pytest.mark.parametrize(
    ("asked", "said"), [({}, "found neither"), ({"playbook": "brew", "source": SOURCE}, "found both")]
)
def test_one_says_which_playbook_and_in_one_way(asked: JsonObject, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        begin_of(wire.WorkflowStart.model_validate(asked), OWNER)


async def test_a_playbook_that_is_brought_along_is_a_program_and_needs_admin(context: Desk) -> None:
    asked = wire.WorkflowStart(source=SOURCE, inputs={"leaf": "mate"})
    with pytest.raises(Forbidden, match="admin"):
        await context.ask(asked, WRITER)
    assert context.office.begun == {}
    begun = await context.ask(asked)
    assert context.office.begun[begun["run"]].source == SOURCE
    assert (await context.ask(wire.WorkflowStart(playbook="brew"), WRITER))["first"]


@pytest.mark.parametrize("asker", [OWNER, WRITER])
async def test_what_passes_over_a_question_is_for_tokens_that_may_answer(
    context: Desk, asker: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[bool] = []

    async def note(*_: object, may_answer: bool) -> PlayBegun:
        told.append(may_answer)
        return PlayBegun("thr_1", True)

    monkeypatch.setattr(context.office, "resume", note)
    monkeypatch.setattr(context.office, "fork", note)
    begun = await context.ask(wire.WorkflowStart(playbook="brew", outputs={"a": 1}), asker)
    await context.ask(wire.WorkflowResume(run="thr_1", outputs={"a": 1}), asker)
    await context.ask(wire.WorkflowFork(run="thr_1", steps=["a"]), asker)
    may = asker is OWNER
    assert (context.office.begun[begun["run"]].may_answer, told) == (may, [may, may])


async def test_pages_lead_to_each_run_once_and_a_status_is_kept_to(context: Desk) -> None:
    for name in "abc":
        context.office.make(name, "failed")
    found: list[str] = []
    after: str | None = None
    while True:
        page = await context.ask(wire.WorkflowRuns(after=after, limit=2, status="failed"))
        found += [row["run"] for row in page["runs"]]
        after = page["next"]
        if after is None:
            break
    assert found == ["a", "b", "c"]
    (row,) = (await context.ask(wire.WorkflowRuns(status="paused")))["runs"]
    assert (row["run"], row["started_at"], row["ended_at"], row["open"]) == (
        "run_1", "2027-01-15T08:00:00.000Z", None, ["taste"],
    )  # fmt: skip
    assert (row["tokens"], row["cost"]) == (12, 0.034)


async def test_a_run_is_shown_with_its_steps_page_by_page(context: Desk) -> None:
    first = await context.ask(wire.WorkflowStatus(run="run_1", limit=1))
    assert ([row["at"] for row in first["steps"]], first["next"]) == (["boil"], 1)
    rest = await context.ask(wire.WorkflowStatus(run="run_1", after=1))
    assert ([(row["at"], row["note"]) for row in rest["steps"]], rest["next"]) == ([("taste", "a person")], None)
    assert rest["inputs"] == {"leaf": "green"}


async def test_a_page_is_cut_by_size_and_holds_one_step_however_large(context: Desk) -> None:
    detail = await context.office.status("run_1")
    cut = page_of(detail, 0, 500, most_bytes=10)
    assert (len(cut.steps), cut.next) == (1, 1)
    whole = page_of(detail, 0, 500, most_bytes=10_000)
    assert (len(whole.steps), whole.next) == (len(STEPS), None)


async def test_runs_are_steered(context: Desk) -> None:
    await context.ask(wire.WorkflowStep(run="run_1"))
    await context.ask(wire.WorkflowResume(run="run_1", steps=["boil"]))
    await context.ask(wire.WorkflowPause(run="run_1", why="look"))
    assert await context.ask(wire.WorkflowCancel(run="run_1", why="cold")) == {"run": "run_1"}
    assert context.office.asked == [
        ("step", "run_1"),
        ("resume", "run_1", ("boil",)),
        ("pause", "run_1", "look"),
        ("cancel", "run_1", "cold"),
    ]
    with pytest.raises(Conflict, match="not paused"):
        await context.ask(wire.WorkflowStep(run="run_1"))
    with pytest.raises(NotFound):
        await context.ask(wire.WorkflowPause(run="run_2"))


async def test_a_fork_is_another_run_once(context: Desk) -> None:
    asked = wire.WorkflowFork(run="run_1", steps=["taste"], inputs={"leaf": "mate"}, request_id="f")
    first, again = await context.ask(asked), await context.ask(asked)
    assert (first["first"], again) == (True, {"run": first["run"], "first": False})
    found = await context.ask(wire.WorkflowStatus(run=first["run"]))
    assert (found["forked_from"], found["inputs"]) == ("run_1", {"leaf": "mate"})


async def test_over_a_socket_it_is_the_same(connect: Connect) -> None:
    peer = await connect()
    begun = await peer.call("workflow.start", playbook="brew", inputs={"leaf": "mate"}, request_id="r")
    assert begun["first"] is True
    listed = await peer.call("workflow.runs", status="running")
    assert [row["run"] for row in listed["runs"]] == [begun["run"]]
    for wrong in ("../x", "two words", "boil@", "@1", "boil@1.", "1boil"):
        error = await peer.fail("workflow.resume", run="run_1", steps=[wrong])
        assert "expected a step's address" in error["message"], wrong
    await peer.call("workflow.resume", run="run_1", steps=["boil@2.0"])
    assert (await peer.fail("workflow.start", playbook="tea"))["data"]["code"] == "not_found"
