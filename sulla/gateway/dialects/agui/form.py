"""What is asked of ``/agui``, and how it is refused there (AG-UI 1.0, "Run Input"). Pure."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from sulla.core.dataclass import dataclass
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json, JsonObject
from sulla.gateway.commands import Verdict
from sulla.gateway.dialects.conversation import ChatMessage, ChatRequest, application_words
from sulla.gateway.problems import Malformed, Problem
from sulla.gateway.rpc import show
from sulla.gateway.wire import QuestionRow

MESSAGES = 10_000
"""Of one request; more are refused. The body's limit is felt long before."""
RESUMES = 100


@dataclass(frozen=True, slots=True)
class AguiMessage:
    """One message of the conversation as the client has it."""

    id: str
    role: str
    text: str
    whole: JsonObject
    """As it came."""

    @property
    def mark(self) -> str:
        """A name that it has as long as its words are the same."""
        return derived_id("msg", "agui", self.id, self.text)


@dataclass(frozen=True, slots=True)
class AguiResume:
    """An answer to an interrupt."""

    id: str
    """The question's."""
    resolved: bool
    """False if the person gave none."""
    payload: Json


@dataclass(frozen=True, slots=True)
class RunInput:
    """What is asked for."""

    thread: str
    """What the client calls the conversation."""
    run: str
    """What it calls this run."""
    parent: str
    """The run that it says to have begun this one; empty for none."""
    messages: tuple[AguiMessage, ...]
    """The whole conversation."""
    context: str
    """What its application knows beside it."""
    resume: tuple[AguiResume, ...]

    @property
    def newest(self) -> AguiMessage | None:
        """The person's last message."""
        return next((one for one in reversed(self.messages) if one.role == "user"), None)

    @property
    def answered(self) -> bool:
        """Whether something was said after that."""
        return bool(self.messages) and self.messages[-1].role in ("assistant", "tool", "reasoning")

    def chat(self, passed: str = "", *, again: bool = False) -> ChatRequest:
        """The conversation, taken apart.

        Args:
            passed: the mark of the person's message that was passed on last; empty if nobody knows.
            again: whether it is to be passed on once more.
        """
        known = [place for place, one in enumerate(self.messages) if passed and one.mark == passed]
        known = known or [place for place, one in enumerate(self.messages) if one.role == "assistant"]
        first = known[-1] + (not again) if known else 0
        system, later = application_words([(one.role, one.text) for one in self.messages])
        before, fresh = self.messages[:first], self.messages[first:]
        return ChatRequest(
            "\n\n".join(system),
            tuple(ChatMessage(one.role, one.text) for one in before if one.role in ("user", "assistant") and one.text),
            tuple(ChatMessage(one.role, one.text) for one in fresh if one.role == "user" and one.text),
            "\n\n".join([*later, self.context] if self.context else later),
        )

    def restated(self, mark: str = "") -> list[JsonObject]:
        """The messages as a snapshot has them; what the agent thought is the client's to keep.

        Args:
            mark: of one of the person's messages, behind which nothing but the person's is left; empty for all.
        """
        place = next((at for at, one in enumerate(self.messages) if one.mark == mark), len(self.messages))
        kept = [one for at, one in enumerate(self.messages) if at <= place or one.role == "user"]
        return [one.whole for one in kept if one.role not in ("activity", "reasoning")]


def error_body(problem: Problem) -> bytes:
    """An error in this protocol's form: the event that a run would end with."""
    return orjson.dumps({"type": "RUN_ERROR", "message": problem.message, "code": problem.code})


def read_input(body: JsonObject) -> RunInput:
    """What a request's body says. What the protocol does not know is passed over.

    Raises:
        Malformed: something that it knows is of another form.
    """
    return RunInput(
        thread=_text(body, "threadId", "", needed=True),
        run=_text(body, "runId", "", needed=True),
        parent=_text(body, "parentRunId", ""),
        messages=tuple(_message(item, at) for item, at in _objects(body, "messages", MESSAGES, needed=True)),
        context="\n\n".join(_context(item, at) for item, at in _objects(body, "context", MESSAGES)),
        resume=_resumes(body),
    )


# ------------------------------------------------------------------------------------------------------------- answers


def answer_schema(kind: str, choices: Sequence[str], *, target: bool) -> JsonObject:
    """What an answer to a question has to look like, as JSON Schema.

    Args:
        kind: of the question.
        choices: what it has to be one of, if anything.
        target: whether its like can be allowed from now on.
    """
    if kind == "review":
        verdict: JsonObject = {"type": "string", "enum": ["run_again", "give_up", "result"]}
        result: JsonObject = {"type": "string", "description": "What the call came to, for the verdict result."}
        return _schema({"verdict": verdict, "result": result}, "verdict")
    if kind in ("approval", "human"):
        fields: JsonObject = {"approved": {"type": "boolean"}}
        if kind == "approval" and target:
            fields["always"] = {"type": "boolean", "description": "Allow its like from now on."}
        return _schema(fields, "approved")
    said: JsonObject = {"type": "string", "enum": [*choices]} if choices else {"type": "string"}
    return _schema({"answer": said}, "answer")


def verdict_of(question: QuestionRow, resume: AguiResume) -> tuple[Verdict, str]:
    """The answer that an entry of ``resume`` is to its question: the verdict, and its text.

    Raises:
        Malformed: it is none: nothing is guessed.
    """
    kind = question.id.partition(":")[0]
    if not resume.resolved:
        return ("reject" if kind == "approval" else "give_up"), ""
    field = "approved" if kind in ("approval", "human") else "verdict" if kind == "review" else "answer"
    payload: JsonObject = resume.payload if isinstance(resume.payload, dict) else {field: resume.payload}
    schema = answer_schema(kind, question.choices, target=bool(question.target))
    known = schema["properties"]
    unknown = sorted(set(payload) - set(known)) if isinstance(known, dict) else []
    found = None if unknown else _verdict(field, payload)
    if found is None:
        expected = orjson.dumps(schema).decode()
        message = f"resume: the payload for {show(resume.id)} is {show(resume.payload)}, expected {expected}"
        raise _wrong("resume", message)
    return found


def _verdict(field: str, payload: JsonObject) -> tuple[Verdict, str] | None:
    said, always, result = payload.get(field), payload.get("always", False), payload.get("result", "")
    if field == "approved":
        if not isinstance(said, bool) or not isinstance(always, bool) or (always and not said):
            return None
        return ("always" if always else "approve" if said else "reject"), ""
    if not isinstance(said, str) or not isinstance(result, str):
        return None
    if field == "answer":
        return "result", said
    if said == "give_up":
        return "give_up", ""
    if said == "run_again":
        return "run_again", ""
    return ("result", result) if said == "result" and result.strip() else None


def _schema(properties: JsonObject, required: str) -> JsonObject:
    return {"type": "object", "properties": properties, "required": [required], "additionalProperties": False}


# --------------------------------------------------------------------------------------------------------------- parts


def _message(item: JsonObject, where: str) -> AguiMessage:
    role = _text(item, "role", f"{where}.", needed=True)
    return AguiMessage(_text(item, "id", f"{where}.", needed=True), role, _content(item.get("content"), where), item)


def _content(value: Json, where: str) -> str:
    """What of a message can be read; of what cannot it is said that it was there."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""  # calls of tools, and what a program shows: nothing that is said
    texts = list[str]()
    for place, part in enumerate(value):
        if not isinstance(part, dict):
            raise _wrong(f"{where}.content[{place}]", f"{where}.content[{place}]: got {show(part)}, expected an object")
        kind, text = part.get("type"), part.get("text")
        if kind == "text" and not isinstance(text, str):
            raise _wrong(f"{where}.content[{place}].text", f"{where}.content[{place}].text: expected a text")
        texts.append(text if kind == "text" and isinstance(text, str) else f"(Left out: {show(kind)}.)")
    return "\n".join(texts)


def _context(item: JsonObject, where: str) -> str:
    description = _text(item, "description", f"{where}.", needed=True, bound=None)
    return f"{description}: {_text(item, 'value', f'{where}.', needed=True, bound=None)}"


def _resumes(body: JsonObject) -> tuple[AguiResume, ...]:
    found = {entry.id: entry for entry in (_resume(item, at) for item, at in _objects(body, "resume", RESUMES))}
    said = body.get("resume")
    if isinstance(said, list) and len(found) < len(said):
        raise _wrong("resume", "resume: got two answers to one interrupt, expected one")
    return tuple(found.values())


def _resume(item: JsonObject, where: str) -> AguiResume:
    status = item.get("status")
    if status not in ("resolved", "cancelled"):
        message = f"{where}.status: got {show(status)}, expected 'resolved' or 'cancelled'"
        raise _wrong(f"{where}.status", message)
    return AguiResume(_text(item, "interruptId", f"{where}.", needed=True), status == "resolved", item.get("payload"))


def _objects(body: JsonObject, name: str, limit: int, *, needed: bool = False) -> list[tuple[JsonObject, str]]:
    value = body.get(name)
    if value is None and not needed:
        return []
    if not isinstance(value, list) or len(value) > limit:
        got = f"{len(value)} of them" if isinstance(value, list) else show(value) if name in body else "nothing"
        raise _wrong(name, f"{name}: got {got}, expected a list of at most {limit}")
    found = list[tuple[JsonObject, str]]()
    for place, item in enumerate(value):
        if not isinstance(item, dict):
            raise _wrong(f"{name}[{place}]", f"{name}[{place}]: got {show(item)}, expected an object")
        found.append((item, f"{name}[{place}]"))
    return found


def _text(body: JsonObject, name: str, where: str, *, needed: bool = False, bound: int | None = 1000) -> str:
    value = body.get(name)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value) or (bound is not None and len(value) > bound):
        got = f"got {show(value)}, " if name in body else ""
        size = "" if bound is None else f" of at most {bound} characters"
        raise _wrong(f"{where}{name}", f"{where}{name}: {got}expected a text{size}")
    return value


def _wrong(param: str, message: str) -> Malformed:
    return Malformed(422, "invalid_input", message, param)
