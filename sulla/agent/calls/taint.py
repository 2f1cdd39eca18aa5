"""What of a conversation is from outside, and which addresses stood in it before the model wrote anything. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Literal

from sulla.agent.spec import SULLA
from sulla.core.addresses import ADDRESS, forms, texts_in
from sulla.core.ids import CallId
from sulla.core.message import Part, Role, Text, ToolCall, ToolResult
from sulla.threads.log.open_run import OpenRun
from sulla.threads.log.plays import PLAYBOOK
from sulla.threads.log.state import ModelContext, ThreadState
from sulla.threads.log.transcript import Transcript
from sulla.tools.policy import Trust

MAX_URLS: Final = 10_000
"""Addresses of one conversation that are looked at; one beyond them counts as unknown."""
MOST_READS: Final = 20
"""Addresses that pages offered which are read on one message of a person. Which of many are read, and in which order,
can spell something out: this many are enough to follow some links, and too few for a letter."""


def trust_of(run: OpenRun) -> Trust:
    """Who started a run: a person is there for what a person wrote, and nobody for anything else."""
    return "person" if run.message.origin in ("user", "operator") else "unattended"


def is_unattended(state: ThreadState) -> bool:
    """Whether nobody is there who wrote to a thread, or to the one that all its work comes from."""
    birth = state.identity.birth
    if birth is not None and (birth.unattended or not state.kind.waits_while_working):
        return birth.unattended
    # A playbook within another one is begun as that was: its first message says whether a person is there.
    return state.run is not None and trust_of(state.run) == "unattended"


def answerable(agent: str, state: ThreadState) -> tuple[str, ...]:
    """The agents that all have to be allowed a call, the one that makes it first: in a mistrusted conversation words
    that nobody trusts may have chosen who makes it.

    What a playbook's own step may do for good was said of that step, whoever starts the playbook.

    Args:
        agent: the agent that makes it.
        state: its thread.
    """
    if state.identity.graph == PLAYBOOK:
        return (agent,)
    return tuple(dict.fromkeys((agent, *(asking(state) if state.context.tainted else _askers(state)))))


def asking(state: ThreadState) -> tuple[str, ...]:
    """The agents that a thread works for: those whose mistrusted conversations ask for what it does, the first one
    first, then its own, if it is a sub-agent's, the one for which another speaks now, and the home's own, if a client's
    model has said something in it.

    Args:
        state: the thread.
    """
    own = (state.identity.agent,) if state.identity.birth is not None else ()
    behalf = (state.walk.behalf,) if state.walk.behalf else ()
    # A client's model may talk to any agent, and so choose whose permissions count: it has those of the home's own.
    home = (SULLA.id,) if state.context.by_model else ()
    return tuple(dict.fromkeys((*_askers(state), *own, *behalf, *home)))


def _askers(state: ThreadState) -> tuple[str, ...]:
    return state.identity.birth.askers if state.identity.birth is not None else ()


def is_known_target(call: ToolCall, context: ModelContext, quotes: Callable[[str], bool]) -> bool:
    """Whether a call says nothing but an address that stood in the conversation before the model wrote it.

    Such an address cannot carry anything away: whoever made it up knew nothing of what was said here. That it was this
    one and no other says a little, so of those that no person named only the first `MOST_READS` are known.

    Args:
        call: the call; beside ``url`` only numbers and switches may be among its arguments.
        context: the conversation as the model saw it, and who named its addresses, also in what is not shown any more.
        quotes: whether a tool's results hold nothing of its arguments but only what lay elsewhere before the call.
    """
    url = call.args.get("url")
    others = [value for name, value in call.args.items() if name != "url"]
    if not isinstance(url, str) or any(isinstance(value, str | list | dict) for value in others):
        return False
    whose = _first_named(url, context, quotes)
    return whose == "person" or (whose == "page" and _reads_before(call.id, context.transcript, quotes) < MOST_READS)


_Whose = Literal["person", "page", "model", ""]


def _first_named(url: str, context: ModelContext, quotes: Callable[[str], bool]) -> _Whose:
    """Who named an address before the model did; what quotes it after that proves nothing."""
    script, named = context.transcript, context.named
    if named is None:  # such a thread's messages are all that is known of it
        return "" if script.shortened or context.summary.seq else _first_shown(url, script, quotes, _ALL)
    if named.is_persons(url):
        return "person"
    if named.was_models(url) or (script.shortened and named.is_models(url)):
        return "model"
    return _first_shown(url, script, quotes, _NO_PERSON)


_ALL: Final = frozenset(("person", "page", "model"))
_NO_PERSON: Final = _ALL - {"person"}


def _first_shown(url: str, script: Transcript, quotes: Callable[[str], bool], whom: frozenset[str]) -> _Whose:
    """The same by the messages that are there, of those who count."""
    found: _Whose = ""
    for count, (known, whose) in enumerate(_addresses(script, quotes)):
        if count >= MAX_URLS:
            return ""
        if whose in whom and url in forms(known):
            if whose == "model":
                return found or whose
            if whose == "person":
                return whose
            found = whose
    return found


def _reads_before(call_id: CallId, transcript: Transcript, quotes: Callable[[str], bool]) -> int:
    """How many addresses were to be read since a person's last message, and before a call."""
    count = 0
    for message in transcript:
        for part in message.parts:
            match part:
                case Text(origin="user") if message.role == "user":
                    count = 0
                case ToolCall(id=one) if one == call_id:
                    return count
                case ToolCall(args={"url": str()}) if quotes(part.name):
                    count += 1
                case _:
                    pass
    return count


def _addresses(transcript: Transcript, quotes: Callable[[str], bool]) -> Iterator[tuple[str, _Whose]]:
    """Every address in order, and whose words it stands in."""
    names: dict[str, str] = {}
    for message in transcript:
        for part in message.parts:
            if isinstance(part, ToolCall):
                names[part.id] = part.name
            quoted = isinstance(part, ToolResult) and quotes(names.get(part.call_id, ""))
            whose, texts = _said(part, message.role, quoted=quoted)
            for text in texts:
                for found in ADDRESS.finditer(text):
                    yield found[0], whose


def _said(part: Part, role: Role, *, quoted: bool) -> tuple[_Whose, Iterable[str]]:
    """Whose words a part holds, as far as they say anything of addresses."""
    match part:
        case Text(origin="user") if role == "user":
            return "person", (part.text,)
        case Text() if role == "assistant":
            return "model", (part.text,)
        case ToolCall():
            return "model", texts_in(part.args)
        case ToolResult(is_error=False) if quoted:
            return "page", (part.text,)
        case _:
            return "", ()
