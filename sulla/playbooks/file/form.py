"""What may stand in a playbook's file: every key, what it takes and what it is for. Pure.

The one table of it: the reader refuses what is not here (`read`), the JSON Schema is made of it (`schema`), and
docs/playbooks.md is held against it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, Literal

from sulla.core.dataclass import dataclass
from sulla.playbooks.definition import MAX_BRANCHES, MAX_PASSES, MAX_RUNS_AT_ONCE

MAX_PLAYBOOK_BYTES: Final = 512 * 1024
"""Of a playbook's file."""

Takes = Literal[
    "agent", "answer", "any", "args", "branches", "break", "budget", "check", "concurrency", "condition", "count",
    "cron", "cut", "defaults", "duration", "each", "encoding", "expires", "expression", "factor", "flag", "inputs",
    "loop", "maps", "merge", "model", "money", "name", "names", "needs", "number", "on", "on_failure", "playbook",
    "rest", "retry", "routes", "schema", "signed", "steps", "template", "text", "type", "values", "wait",
    "when_full", "word", "zone",
]  # fmt: skip
"""What may stand behind a key; `schema.SHAPES` says what each is."""


@dataclass(frozen=True, slots=True)
class Key:
    """One key."""

    name: str
    takes: Takes
    about: str
    required: bool = False
    low: int = 0
    high: int = 0
    """Of numbers."""


PLAYBOOK: Final = (
    Key("name", "playbook", "What others call it.", required=True),
    Key("description", "text", "What it is for; agents and people choose it by that."),
    Key("on", "on", "What starts it; `manual` unless said otherwise."),
    Key("inputs", "inputs", "What it is started with, by name."),
    Key("outputs", "args", "What it gives back, by name."),
    Key("secrets", "names", "The secrets that it uses; their values come from settings, never from here."),
    Key("budget", "budget", "What a run may use."),
    Key("at_once", "number", "Steps that work side by side; 50 unless said otherwise.", low=1, high=MAX_BRANCHES),
    Key("defaults", "defaults", "What holds for the steps that do not say otherwise."),
    Key("concurrency", "concurrency", "How many of its runs go on at a time; any number unless said otherwise."),
    Key("steps", "steps", "What it does.", required=True),
    Key("on_error", "steps", "What it does where it has failed, before it ends: an alarm, a clean-up."),
    Key("finally", "steps", "What it does behind that, however it came to its end."),
)

STEP: Final = (
    Key("id", "name", "Its name in the whole file; expressions say `steps.<id>`.", required=True),
    Key("title", "text", "What people are shown in its place."),
    Key("needs", "needs", "What comes before it; the step above it unless said otherwise, `[]` for nothing."),
    Key("when", "expression", "It is skipped where this is false."),
    Key(
        "retry",
        "retry",
        "How often it is tried; by the class of the failure unless said otherwise. Not at `bash` and "
        "other tools that are declared `once`.",
    ),
    Key("timeout", "duration", "An attempt that takes longer fails; it stands still while people are asked about it."),
    Key("on_failure", "on_failure", "`go_on`: what needs it goes on as if it had succeeded."),
    Key("budget", "budget", "What it may use, all attempts together."),
)
"""Of every kind of step."""

KINDS: Final[Mapping[str, tuple[Key, ...]]] = {
    "agent": (
        Key("agent", "agent", "Which agent works; nothing for the home's own.", required=True),
        Key("prompt", "template", "What it has to do.", required=True),
        Key("tools", "names", "The tools that it may use; all of its own unless said otherwise."),
        Key("before", "template", "Asked of the orchestrator first: go, go with notes, or ask."),
        Key("after", "template", "Asked of it with the result: approve, retry with notes, or ask."),
        Key("success", "template", "What counts as done."),
        Key("output", "schema", "JSON Schema that the result has to meet; else it is text."),
        Key("model", "model", "Which model works, such as `ollama:qwen3:8b`; its agent's own unless said otherwise."),
        Key("memory", "flag", "It is told what its agent remembers, and is remembered; else it knows its task alone."),
    ),
    "tool": (
        Key("tool", "word", "Which tool is called.", required=True),
        Key("with", "args", "Its arguments."),
        Key("check", "check", "`orchestrator`: the agent confirms, edits or refuses the arguments first."),
        Key("cut", "cut", "`allow`: what the tool could not give is left out; else the step fails then."),
    ),
    "router": (
        Key("router", "template", "What a model is asked.", required=True),
        Key("routes", "routes", "What each way is for, by its name; two or more.", required=True),
        Key("default", "word", "Where it goes without an answer; else it fails."),
    ),
    "condition": (
        Key("condition", "condition", "Yes or no: an expression, or `{ask: …}` for a model to say.", required=True),
    ),
    "parallel": (Key("parallel", "branches", "Several ways at once.", required=True),),
    "merge": (
        Key("merge", "merge", "`all` of what it needs that was not skipped, the `first`, or so many.", required=True),
        Key("rest", "rest", "What becomes of those that it does not wait for; `cancel` unless said otherwise."),
    ),
    "loop": (Key("loop", "loop", "Steps again and again.", required=True),),
    "break": (Key("break", "break", "Ends the loop that it stands in.", required=True),),
    "set": (Key("set", "args", "Makes values of others: its output has them by these names.", required=True),),
    "fail": (
        Key("fail", "template", "Fails with this as its reason, and the run unless that is dealt with.", required=True),
    ),
    "playbook": (
        Key("playbook", "playbook", "Another playbook, waited for.", required=True),
        Key("with", "args", "Its inputs."),
    ),
    "transfer": (
        Key("transfer", "playbook", "Ends this one and begins another in its place.", required=True),
        Key("with", "args", "Its inputs."),
    ),
    "wait": (
        Key(
            "wait",
            "wait",
            "So long, or `{until: …}`; an expression gives seconds, or a time such as `2h`.",
            required=True,
        ),
    ),
    "human": (
        Key("human", "template", "What a person is asked; yes or no unless said otherwise.", required=True),
        Key("choices", "values", "What they choose from, two or more."),
        Key("input", "schema", "JSON Schema of what they write."),
        Key("expires", "expires", "It fails without an answer by then; a day unless said otherwise, or `never`."),
    ),
    "respond": (Key("respond", "template", "Tells the thread that started it.", required=True),),
    "prompt": (Key("prompt", "template", "Asks the agent of that thread; its reply is the output.", required=True),),
}
"""What a step does: exactly one, told by its first key. (`prompt` beside `agent` is what the agent is told.)"""

PARTS: Final[Mapping[str, tuple[Key, ...]]] = {
    "retry": (
        Key("tries", "number", "Attempts in all.", required=True, low=1, high=20),
        Key("backoff", "duration", "Between the first two; 10s unless said otherwise."),
        Key("factor", "factor", "Each wait is so many times the one before; 3 unless said otherwise.", low=1, high=10),
    ),
    "budget": (
        Key(
            "tokens",
            "number",
            "Of models, in and out; for an agent no less than one reply may take (`model.reply_tokens`, 8192 unless "
            "set otherwise), and better three times that, for it reads, too.",
            low=1,
            high=1_000_000_000,
        ),
        Key("cost", "money", "In the currency of the price table."),
        Key("time", "duration", "From begin to end; it stands still while people are asked."),
    ),
    "defaults": (
        Key("retry", "retry", "Of steps that ask a model or call a tool."),
        Key("timeout", "duration", "Of the same."),
        Key("model", "model", "Of agents' steps."),
    ),
    "concurrency": (
        Key("key", "template", "Runs count together for which this is the same; all of the playbook unless said."),
        Key("limit", "number", "So many go on at a time; 1 unless said otherwise.", low=1, high=MAX_RUNS_AT_ONCE),
        Key("when_full", "when_full", "`queue`: a further one waits; `skip`: it ends; `cancel_old`: the oldest does."),
    ),
    "input": (
        Key(
            "type",
            "type",
            "`string`, `number`, `integer`, `boolean`, `list` or `object`; "
            "`string` where it is not said, whatever the default is.",
        ),
        Key("required", "flag", "True unless there is a default."),
        Key("default", "any", "Taken where nothing is given."),
        Key("choices", "maps", "The only values that it may have."),
        Key("description", "text", "What it is, for those who give it."),
    ),
    "parallel": (Key("branches", "branches", "Steps by the name of the branch.", required=True),),
    "loop": (
        Key("count", "count", "So many passes."),
        Key("while", "expression", "Another pass as long as this holds; looked at before each."),
        Key("for_each", "each", "A pass for each entry of this list."),
        Key("matrix", "args", "A pass for each combination of these lists' entries: an object by their names."),
        Key("as", "name", "What the entry is called within; `item` unless said otherwise."),
        Key(
            "at_once",
            "number",
            "Passes of `for_each` or `matrix` side by side; 1 unless said.",
            low=1,
            high=MAX_BRANCHES,
        ),
        Key("most", "number", "More passes than these are a failure; 100 unless said.", low=1, high=MAX_PASSES),
        Key("steps", "steps", "What a pass does.", required=True),
    ),
    "condition": (Key("ask", "template", "What a model answers with yes or no.", required=True),),
    "signed": (
        Key("header", "word", "The header with the signature: HMAC-SHA256 over the body.", required=True),
        Key("encoding", "encoding", "How the signature is written; `hex` unless said otherwise."),
        Key("prefix", "text", "What stands before the signature, such as `sha256=`."),
        Key("id", "word", "The header that names a message; the same body is the same message unless said otherwise."),
    ),
    "answer": (
        Key("output", "name", "The one of the outputs that is the answer, text as it is; else all of them, as JSON."),
        Key("within", "duration", "After this the answer is that the run has begun; 20s unless said, 60s at the most."),
    ),
    "wait": (
        Key(
            "until",
            "template",
            "A time as in ISO 8601, with a zone: `2030-01-31T09:00:00+01:00`, or `…Z`.",
            required=True,
        ),
    ),
}
"""What stands within a key."""

TRIGGERS: Final[Mapping[str, tuple[Key, ...]]] = {
    "manual": (Key("manual", "flag", "A person or an agent starts it."),),
    "heartbeat": (Key("heartbeat", "flag", "An agent may start it by itself, at its heartbeat."),),
    "schedule": (
        Key("schedule", "cron", "A cron expression or a period, such as `0 9 * * 1-5` or `30m`.", required=True),
        Key("zone", "zone", "Whose clock counts; that of the home unless said otherwise."),
    ),
    "chat": (Key("chat", "text", "What a message has to be about.", required=True),),
    "webhook": (
        Key("webhook", "name", "The name of the secret that signs it.", required=True),
        Key("signed", "signed", "How it is signed; as Standard Webhooks says unless said otherwise."),
        Key("tolerance", "duration", "How far its time may be from ours; 5m unless said otherwise."),
        Key("answer", "answer", "`run`: the answer waits for the run; else it is that the run has begun."),
    ),
    "event": (Key("event", "word", "The type of the event.", required=True),),
}
"""What may start a playbook; each also takes `inputs`."""
TRIGGER_INPUTS: Final = Key("inputs", "maps", "What it is started with then.")

STEP_FIELDS: Final[Mapping[str, str]] = {
    "output": "what it came to; null until then, and where it was skipped or failed",
    "result": "what a tool gave as values: `text`, `truncated`, and "
    "[those of each tool](tools.md#arguments-and-results); null of all other steps",
    "route": "which way it went: of a router, a condition, an approval or a choice; of a merge of the `first` the step "
    "that came first; null of all others, and where it went none: `| default('other')` says what then",
    "status": "`pending`, `running`, `waiting`, `completed`, `failed`, `skipped` or `cancelled`",
    "error": "`{kind, reason, message}` of its failure; null where a try succeeded in the end",
    "tries": "how often it was tried",
}
"""What `steps.<id>` holds."""
LOOP_FIELDS: Final[Mapping[str, str]] = {
    "index": "the number of the pass, from 0",
    "last": "the output of the pass before: of the step that is written last among those that completed; null at first",
}
RUN_FIELDS: Final[Mapping[str, str]] = {
    "id": "of this run",
    "playbook": "its name",
    "started_at": "when it was asked for, ISO 8601, UTC; of a run that was queued that is before it began",
    "trigger": "what started it: `manual`, `schedule`, …",
    "payload": "what a webhook or an event carried, or the message of a chat; else null",
    "status": "`running`; in `on_error` and `finally` how it will end: `completed`, `failed`, `cancelled` …",
    "error": "there `{kind, reason, message}` of its failure: the message names the step first (`step 'load' failed: "
    "…`), the step's own is `steps.<id>.error.message`; with the reason of the step that failed and not "
    "`upstream`; else null, so in `finally` say `run.error.message | default('')`",
    "headers": "the headers of a webhook's message, by name in small letters; without those that prove something",
    "query": "what stands behind the `?` of a webhook's address, by name",
}

NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")
PLAYBOOK_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
WORD: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.:/-]{0,127}")
ROUTE: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
TAKEN_NAMES: Final = frozenset(
    {"inputs", "steps", "loop", "secrets", "run", "true", "false", "none", "null", "not", "in", "is"}
)
"""What an entry of a loop cannot be called."""

ELSEWHERE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("run", "script", "shell", "command"), " Write `tool: bash` and `with: {command: …}`."),
    **dict.fromkeys(("uses", "action", "call"), " Write `tool:` and a tool's name, with its arguments in `with`."),
    **dict.fromkeys(("foreach", "repeat"), " Write `loop:`, and `for_each` or `count` within it."),
    **dict.fromkeys(("if", "only_if", "unless"), " Write `when: ${{ … }}`."),
    **dict.fromkeys(
        ("then", "else"), " What comes behind says which way it is for: `needs: [<id>.yes]`, `needs: [<id>.no]`."
    ),
    **dict.fromkeys(("depends_on", "dependsOn", "depends", "after_step"), " Write `needs:`."),
    **dict.fromkeys(("switch", "choose"), " Write `router:` and `routes:`, or `condition:`."),
    **dict.fromkeys(
        ("sleep", "delay", "pause"), " A step that waits is `wait:`; between two attempts it is `retry: {backoff: …}`."
    ),
    **dict.fromkeys(
        ("on_error", "on-error", "continue-on-error", "continue_on_error", "continue"), " Write `on_failure: go_on`."
    ),
    **dict.fromkeys(("max_attempts", "attempts", "times", "max_tries"), " Write `tries:`, within `retry`."),
    **dict.fromkeys(("concurrency", "parallelism", "max_parallel", "max-parallel"), " Write `at_once:`."),
    **dict.fromkeys(("cron", "every"), " Write `schedule:`, a period or five fields."),
    **dict.fromkeys(("until", "do_until"), " Write `while: ${{ not … }}`, or a `break` step."),
    **dict.fromkeys(
        ("jobs", "workflow", "stages"),
        " Write `steps:`, a list of steps, each `{id: …, tool: …, with: {…}}`; a command is `tool: bash`.",
    ),
    **dict.fromkeys(("max", "max_iterations"), " In a `loop` write `most:`, in a `retry` `tries:`."),
    "type": " A step's kind is the key itself, such as `agent:` or `tool:`.",
}
"""What other systems call things, and what is written here."""
