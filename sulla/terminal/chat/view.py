"""What a person sees of a conversation: its events, folded into lines to print, an answer that grows, and what is being
done. Pure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from datetime import datetime
from typing import Final

from sulla.core.dataclass import dataclass
from sulla.core.waiting import lasting, why
from sulla.terminal import screen
from sulla.terminal.chat.blocks import Blocks
from sulla.terminal.chat.pieces import ARGS, Event, Piece, args_line, folded, said
from sulla.terminal.flow_lines import BESIDE, branches_line, flow_line, is_answer
from sulla.terminal.screen import Screen
from sulla.terminal.table import one_line

_DROPPED: Final = "dropped"
"""The outcome's reason of a turn that never began (docs/inside/protocol.md, `turn.stop`)."""
_TAIL: Final = 4_000
"""How much of an answer that grows is looked at, in characters: more does not fit above the line that is typed."""


@dataclass(frozen=True, slots=True)
class Doing:
    """What is being done, and since when."""

    what: str
    since_s: float
    due_s: float | None = None
    """When it is over, where that is known."""


@dataclass(frozen=True, slots=True)
class Used:
    """What turns used."""

    tokens_in: int = 0
    tokens_out: int = 0
    cost_micro: int | None = None
    turns: int = 0

    def __add__(self, other: Used) -> Used:
        """Both together."""
        costs = [cost for cost in (self.cost_micro, other.cost_micro) if cost is not None]
        return Used(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            sum(costs) if costs else None,
            self.turns + other.turns,
        )

    @property
    def shown(self) -> str:
        """In words."""
        money = f", {self.cost_micro / 1_000_000:.4f} in money" if self.cost_micro is not None else ""
        return f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out{money}"


@dataclass(slots=True)
class View:
    """One conversation as it is seen from here; it lives as long as the conversation is looked at."""

    own: set[str] = field(default_factory=set)
    """The messages that were sent from here, by id: they stand in the terminal already."""
    used: Used = field(default_factory=Used, init=False)
    """What the turns used whose end was seen."""
    running: str = field(default="", init=False)
    """The run that goes on; empty for none."""
    queued: dict[str, bool] = field(default_factory=dict, init=False)
    """The runs whose messages wait for their turn, each with whether a stop holds it back."""
    asks: bool = field(default=False, init=False)
    """Whether the run that goes on waits for a person."""
    _began_at: str = field(default="", init=False)
    _doing: Doing | None = field(default=None, init=False)
    _calls: dict[str, str] = field(default_factory=dict, init=False)
    """Tool calls that run, as they are shown, by id."""
    _broke_off: str = field(default="", init=False)
    """Why the last answer broke off, where that was told: what goes on then need not say it again."""
    _follows: bool = field(default=False, init=False)
    """Whether something of the text that comes was printed for good."""
    _blocks: Blocks = field(default_factory=Blocks, init=False)
    _screen: Screen = field(default_factory=lambda: Screen(""), init=False)

    @property
    def held(self) -> int:
        """How many messages a stop holds back."""
        return sum(self.queued.values())

    @property
    def tail(self) -> str:
        """The end of the answer that grows: what is not printed for good yet."""
        return self._blocks.open[-_TAIL:]

    def doing(self, now_s: float) -> str:
        """What is being done, and for how long; empty for nothing.

        Args:
            now_s: the time by the clock that `take` was told of.
        """
        more = len(self.queued)
        waits = f" · {more} message{'s' if more > 1 else ''} wait{'s' if more == 1 else ''}" if more else ""
        doing = self._doing
        if doing is None:
            return ""
        if doing.due_s is not None:
            # Why is told above already: it comes last, where a narrow terminal cuts it.
            return f"again in {lasting(max(0.0, doing.due_s - now_s))}{waits} · Ctrl-C stops · {doing.what}"
        return f"{doing.what} {lasting(now_s - doing.since_s)}{waits} · Ctrl-C stops"

    def broken_off(self) -> list[Piece]:
        """Nobody looks any more: what of the answer was shown, and is not printed for good yet."""
        return self._rest()

    def sent(self, run_id: str, mode: str) -> list[Piece]:
        """A message was taken; a word if it does not begin at once.

        Args:
            run_id: its run.
            mode: how it was sent.
        """
        if not self.running or self.running == run_id:
            return []
        before = len(self.queued.keys() - {run_id})
        first = f"; {before} that wait{'s' if before == 1 else ''} already come{'s' if before == 1 else ''} first"
        says = {
            "steer": "joins the answer that comes, at its next tool call; if there is none, it waits",
            "interrupt": f"ends the answer that comes{first if before else ''}",
        }
        return [_faint(f"[the message {says.get(mode, 'waits behind the answer that comes; /stop ends that one')}]")]

    def take(self, event: Event, now_s: float) -> list[Piece]:
        """What to print for an event of the conversation.

        Args:
            event: it.
            now_s: the time.
        """
        if not self.running and event["type"] in _AT_WORK:  # its beginning lies further back than was read
            self.running = str(event.get("run_id") or "")
        known = _TAKES.get(event["type"])
        return [] if known is None else known(self, event, event["data"], str(event.get("run_id") or ""), now_s)

    # ------------------------------------------------------------------------------------------------ messages and runs

    def _on_input(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        self.queued = dict.fromkeys([*self.queued, run_id], False)
        if data["message_id"] in self.own:
            return []
        return said(event, "you, elsewhere")

    def _on_run_started(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        self.queued = dict.fromkeys((one for one in self.queued if one != run_id), False)
        self.running, self.asks, self._began_at = run_id, False, str(event.get("at", ""))
        self._doing = Doing("begins", now_s)
        return []

    def _on_inputs_joined(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        for joined in data["run_ids"]:
            self.queued.pop(joined, None)
        return [_faint("[the answer takes along what was said meanwhile]")]

    def _on_stopped(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        before, self.queued = self.held, dict.fromkeys(self.queued, True)
        return [_faint(screen.held_words(self.held))] if self.held != before else []

    def _on_run_finished(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        ended = str(data.get("run_id", run_id))
        self.queued.pop(ended, None)
        if data.get("joined"):
            return []
        outcome = data.get("outcome", {})
        if outcome.get("reason") == _DROPPED:
            return [_faint("[a message that waited is dropped]")]
        status, pieces = str(outcome.get("status", "done")), []
        if status == "blocked":
            why_not, *needed = screen.blocked_lines(outcome, self._screen.said) or [""]
            pieces += [*([Piece("strong", why_not)] if why_not else []), *(Piece("plain", line) for line in needed)]
        word = str(outcome.get("reason") or status) if status in ("cancelled", "failed") else status
        return [*pieces, *self._end(event, data, ended, word)]

    def _on_run_error(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        ended = str(data.get("run_id", run_id))
        self.queued.pop(ended, None)
        failed = Piece("strong", f"failed ({data['code']}): {data['message']}")
        return [failed, *self._end(event, data, ended, "failed")]

    def _end(self, event: Event, data: Event, run_id: str, word: str) -> list[Piece]:
        usage = data.get("usage", {})
        cached = usage.get("cache_read_tokens", 0) + usage.get("cache_write_tokens", 0)
        used = Used(
            usage.get("input_tokens", 0) + cached, usage.get("output_tokens", 0), usage.get("cost_micro"), turns=1
        )
        self.used += used
        ended = data.get("outcome", {}).get("status") == "cancelled"
        cut = ended and self._doing is not None and self._doing.what.startswith("the model ")
        spent = spent_words(used, int(data.get("counted") or 0), cut=cut)
        rest = self._rest()
        if run_id != self.running:
            return [*rest, _faint(f"[{word}]")]
        took = _between(self._began_at, str(event.get("at", "")))
        self.running, self.asks, self._doing = "", False, None
        if any(call.startswith(BESIDE) for call in self._calls.values()):
            spent += ", without what its branches used"
        self._calls.clear()
        return [*rest, _faint(f"[{word}: {spent}{took}]")]

    def _rest(self) -> list[Piece]:
        pieces = self._formed(self._blocks.end())
        self._follows = False
        return pieces

    def _formed(self, blocks: list[str]) -> list[Piece]:
        """Blocks of one text, with an empty line between two of them."""
        pieces: list[Piece] = []
        for block in blocks:
            pieces += [*([Piece("plain", "")] if self._follows else []), Piece("answer", block)]
            self._follows = True
        return pieces

    # ------------------------------------------------------------------------------------------------------- the answer

    def _on_model_started(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        attempt = data.get("attempt", 1)
        again = f" (attempt {attempt})" if attempt > 1 else ""
        what = "the model is asked whether that is all" if data.get("purpose") == "nudge" else "the model thinks"
        self._doing = Doing(f"{what}{again}", now_s)
        return []

    def _on_text_message_content(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        if self._doing is not None and self._doing.what.startswith("the model thinks"):
            self._doing = Doing("the model writes", now_s)
        return self._formed(self._blocks.add(self._told(event, run_id)[0]))

    def _on_text_message_end(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        text, told = self._told(event, run_id)
        if told == f"{screen.TAKEN_BACK}\n":
            self._rest()  # what is not printed for good yet is never printed
            return [_faint(screen.TAKEN_BACK)]
        pieces = [*self._formed(self._blocks.add(text)), *self._rest()]
        if cut := screen.cut_at_limit(data):
            pieces.append(_faint(cut))
        if data.get("stand_in"):
            pieces.append(_faint(f"[answered by {data['stand_in']}]"))
        return pieces

    def _told(self, event: Event, run_id: str) -> tuple[str, str]:
        if self._screen.run_id != run_id:
            self._screen = Screen(run_id)
        return self._screen.show(event)

    def _on_model_abandoned(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        told = self._told(event, run_id)[1].splitlines()
        self._broke_off = str(data.get("reason", "")) if told else ""
        return [*self._rest(), *map(_faint, told)]

    def _on_run_waiting(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        call = self._calls.get(str(data.get("call_id", "")), "")
        what = f"{call} failed" if call else why(str(data["reason"]))
        if run_id != self.running:
            return [_faint(f"sub-agent: {screen.waiting_line(data)}")]
        self._doing = Doing(what, now_s, now_s + float(data["wait_s"]))
        return [*self._rest(), _faint(screen.waiting_line(data))]

    # ------------------------------------------------------------------------------------------------ tools and waiting

    def _on_tool_call_start(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        shown = f"{data['name']} {args_line(data.get('args', {}))}".rstrip()
        self._calls[str(data["call_id"])] = "" if is_answer(data) else branches_line(data) or shown
        self._name_calls(now_s)
        return []

    def _on_tool_call_result(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        call = self._calls.pop(str(data["call_id"]), "a call")
        self._name_calls(now_s)
        if call.startswith(BESIDE):
            if str(data.get("text", "")).startswith(_CUT_OFF):
                self._calls[str(data["call_id"])] = call  # it is under way for whoever says what the turn used
            return [Piece("fold", f"· {call}")]
        result = folded(str(data.get("text", "")), is_error=bool(data.get("is_error")))
        return [Piece("fold", f"· {call} {result}")] if call else []

    def _name_calls(self, now_s: float) -> None:
        calls = list(filter(None, self._calls.values()))
        what = f"{calls[0]} runs" if len(calls) == 1 else f"{len(calls)} tools run" if calls else "the model is next"
        self._doing = Doing(one_line(what, ARGS), now_s)

    def _on_child_started(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        return [Piece("fold", f"· sub-agent {data.get('agent', '')}: {data.get('task', '')}")]

    def _on_agent_routed(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        return [*self._rest(), _faint(screen.routed_line(data))]

    def _on_flow(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        said = flow_line(str(event["type"]), data)
        return [*self._rest(), _faint(f"[{said}]")] if said else []

    def _on_suspended(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        kinds = {str(wait["wait_id"]).partition(":")[0] for wait in data["waits"]}
        self.asks = not kinds <= {"child", "ask", "time"}
        others = "sub-agents" if "child" in kinds else "an answer" if "ask" in kinds else "its time"
        self._doing = Doing("waits for your answer" if self.asks else f"waits for {others}", now_s)
        return []

    def _on_resumed(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        self.asks = False
        self._doing = Doing("goes on", now_s)
        reason, told, self._broke_off = str(data["reason"]), self._broke_off, ""
        return (
            [_faint(f"[goes on: {reason}]")] if reason in ("crashed", "drained", "expired") and reason != told else []
        )

    def _on_run_paused(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        self._doing = Doing("all work is paused", now_s)
        return [_faint(screen.paused_line(data))]

    def _on_notice(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        if data.get("wait_id"):  # what a sub-agent asks is put to whoever sits here
            return []
        return [notice_piece(data)]

    def _on_playbook_began(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        return [_faint(f"[playbook {data['name']} begins: {data['thread_id']}]")]

    def _on_playbook_ended(self, event: Event, data: Event, run_id: str, now_s: float) -> list[Piece]:
        return [_faint(f"[playbook {data['name']} {data['status']}]")]


_CUT_OFF: Final = "The turn was "
"""How the result begins of a call that was under way as its turn was ended."""
_AT_WORK: Final = ("MODEL_STARTED", "TOOL_CALL_START", "SUSPENDED", "RESUMED")
"""What only a run does that goes on."""

_TAKES: Final[dict[str, Callable[[View, Event, Event, str, float], list[Piece]]]] = {
    "INPUT": View._on_input,
    "RUN_STARTED": View._on_run_started,
    "INPUTS_JOINED": View._on_inputs_joined,
    "STOPPED": View._on_stopped,
    "RUN_FINISHED": View._on_run_finished,
    "RUN_ERROR": View._on_run_error,
    "MODEL_STARTED": View._on_model_started,
    "TEXT_MESSAGE_CONTENT": View._on_text_message_content,
    "TEXT_MESSAGE_END": View._on_text_message_end,
    "MODEL_ABANDONED": View._on_model_abandoned,
    "RUN_WAITING": View._on_run_waiting,
    "TOOL_CALL_START": View._on_tool_call_start,
    "TOOL_CALL_RESULT": View._on_tool_call_result,
    "CHILD_STARTED": View._on_child_started,
    "AGENT_ROUTED": View._on_agent_routed,
    "FLOW_PART_STARTED": View._on_flow,
    "FLOW_MOVED": View._on_flow,
    "SUSPENDED": View._on_suspended,
    "RESUMED": View._on_resumed,
    "RUN_PAUSED": View._on_run_paused,
    "NOTICE": View._on_notice,
    "PLAYBOOK_BEGAN": View._on_playbook_began,
    "PLAYBOOK_ENDED": View._on_playbook_ended,
}
"""What is made of each type of event; the others say nothing to people."""


def notice_piece(data: Event, where: str = "") -> Piece:
    """What an agent tells people beside its answer.

    Args:
        data: the notice.
        where: in which conversation, if that is not the one that is looked at.
    """
    head = screen.notice_head(data) + (f", in {where}" if where else "")
    return Piece("strong", f"! {head}: {data['text']}".replace("\n", "\n  "))


def spent_words(used: Used, counted: int, *, cut: bool = False) -> str:
    """What a turn used.

    Args:
        used: as the model's service says, with an estimate of a call that was cut off.
        counted: what it counts for, with sub-agents and calls that were cut off: no service says what those took.
        cut: whether a call was.
    """
    if cut and (counted or used.tokens_in + used.tokens_out):
        return f"about {max(counted, used.tokens_in + used.tokens_out):,} tokens (an estimate)"
    if counted <= used.tokens_in + used.tokens_out:
        return used.shown
    if not used.tokens_in + used.tokens_out:
        return f"about {counted:,} tokens (an estimate)"
    return f"{used.shown}, {counted:,} counted in all"


def _faint(text: str) -> Piece:
    return Piece("faint", text)


def _between(begin: str, end: str) -> str:
    if not begin or not end:
        return ""
    return f", {lasting((datetime.fromisoformat(end) - datetime.fromisoformat(begin)).total_seconds())}"
