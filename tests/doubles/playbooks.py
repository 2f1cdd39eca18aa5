"""Playbooks that nobody works on: an office that answers, and remembers what it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sulla.core.errors import Conflict, MessageIdReused, NotFound
from sulla.core.ids import derived_id
from sulla.core.jsontypes import FrozenJson
from sulla.playbooks.rpc_forms import PlayBegun, PlaybookRow, PlaybookText, PlayDetail, PlayRow, PlayStatus, StepRow
from sulla.playbooks.service import Begin

_AT_MS = 1_800_000_000_000
_DIGEST = "sha256:0"
_BREW = PlaybookRow(
    "brew",
    "Makes tea.",
    _DIGEST,
    "workflows/brew.yaml",
    2,
    ("manual", "webhook kettle"),
    {"leaf": {"type": "string", "required": True, "default": None, "description": ""}},
    "",
)
SOURCE = "name: brew\non: [manual, {webhook: kettle}]\nsteps:\n  - id: boil\n    tool: kettle\n"
STEPS = (
    StepRow("boil", "tool", "completed", 1, _AT_MS, _AT_MS + 2_000, {"degrees": 100}, "", "", 0, 0, ""),
    StepRow("taste", "human", "waiting", 1, _AT_MS + 2_000, None, None, "", "", 12, 34_000, "a person"),
)
"""What a run of it has done."""
_ENDED = ("completed", "failed", "cancelled", "transferred")


class MemoryPlaybooks:
    """Keeps `PlaybookService` in a dictionary, which knows the playbook `brew` and its run `run_1`.

    Attributes:
        listed: the playbooks, by name.
        details: the runs, by id.
        asked: what was asked about runs, in order.
        begun: what the runs were begun with, by id.
    """

    def __init__(self) -> None:
        self.listed: dict[str, PlaybookRow] = {_BREW.playbook: _BREW}
        self.details: dict[str, PlayDetail] = {}
        self.asked: list[tuple[object, ...]] = []
        self.begun: dict[str, Begin] = {}
        self.make("run_1", "paused")

    def make(self, run: str, status: PlayStatus = "waiting", steps: Sequence[StepRow] = STEPS) -> None:
        """There is a run of that id."""
        ended_ms = _AT_MS + 9_000 if status in _ENDED else None
        open_ = tuple(step.at for step in steps if not step.ended_ms)
        done, tokens, cost = (
            len(steps) - len(open_),
            sum(s.tokens for s in steps),
            sum(s.cost_micro or 0 for s in steps),
        )
        row = PlayRow(
            run, "brew", _DIGEST, status, "manual", "thr_1", _AT_MS, ended_ms, len(steps), done, tokens, cost, open_,
            "", "", 0, False, False,
        )  # fmt: skip
        self.details[run] = PlayDetail(row, {"leaf": "green"}, {}, "", tuple(steps), None)

    async def list(self) -> Sequence[PlaybookRow]:
        """Those that it knows."""
        return [self.listed[name] for name in sorted(self.listed)]

    async def get(self, name: str, run: str = "") -> PlaybookText:
        """One of them; its runs began with the same text."""
        if name not in self.listed:
            raise NotFound(f"no playbook {name!r}")
        return PlaybookText(self.listed[name], SOURCE)

    async def check(self, text: str, file: str) -> Sequence[str]:
        """A text without steps has a fault."""
        return [] if "steps:" in text else [f"{file}:1:1: `steps` is missing [missing-key]"]

    def run_of(self, key: str) -> str:
        """The id of the run that a key begins."""
        return derived_id("thr", key)

    async def start(self, begin: Begin, key: str) -> PlayBegun:
        """Remember one; the same key begins it once."""
        if not begin.source:
            await self.get(begin.playbook)
        run = self.run_of(key)
        if (known := self.begun.get(run)) is not None:
            if known != begin:
                raise MessageIdReused(f"{key!r} began another run before: use a new one")
            return PlayBegun(run, first=False)
        self.make(run, "running", ())
        self.begun[run] = begin
        return PlayBegun(run, first=True)

    async def runs(self, *, after: str = "", limit: int = 100, status: str = "") -> Sequence[PlayRow]:
        """Those that it knows."""
        rows = [self.details[run].about for run in sorted(self.details) if run > after]
        return [row for row in rows if status in ("", row.status)][:limit]

    async def status(self, run: str) -> PlayDetail:
        """One of them."""
        if run not in self.details:
            raise NotFound(f"no run {run!r} of a playbook")
        return self.details[run]

    async def cancel(self, run: str, why: str = "") -> None:
        """Show it as cancelled."""
        await self._turn(run, "cancelled", "cancel", why)

    async def pause(self, run: str, why: str = "") -> None:
        """Show it as paused."""
        await self._turn(run, "paused", "pause", why)

    async def resume(
        self, run: str, steps: Sequence[str] = (), outputs: FrozenJson | None = None, *, may_answer: bool = False
    ) -> None:
        """Show it as running."""
        await self._turn(run, "running", "resume", tuple(steps), *((outputs,) if outputs else ()))

    async def step(self, run: str) -> None:
        """Remember it, if it is paused."""
        if (await self.status(run)).about.status != "paused":
            raise Conflict(f"the run {run!r} is not paused")
        self.asked.append(("step", run))

    async def fork(
        self, run: str, steps: Sequence[str], inputs: FrozenJson | None, key: str, *, may_answer: bool = False
    ) -> PlayBegun:
        """Remember another one."""
        found = await self.status(run)
        made = derived_id("thr", key)
        first = made not in self.details
        self.asked.append(("fork", run, tuple(steps), inputs))
        self.make(made, "running", ())
        self.details[made] = replace(
            self.details[made], forked_from=run, inputs=found.inputs if inputs is None else dict(inputs)
        )
        return PlayBegun(made, first)

    async def _turn(self, run: str, status: PlayStatus, *asked: object) -> None:
        found = await self.status(run)
        self.asked.append((asked[0], run, *asked[1:]))
        self.details[run] = replace(found, about=replace(found.about, status=status))
