"""What may stand in a file of tests: every key and what it is for; docs/playbooks.md is held against it. Pure."""

from __future__ import annotations

from typing import Final

from sulla.playbooks.file.form import Key

MAX_CASES: Final = 500

CASE: Final = (
    Key("name", "text", "What has to hold, in words.", required=True),
    Key("inputs", "maps", "What it is started with."),
    Key("trigger", "word", "What starts it, for `run.trigger`; `manual` unless said otherwise."),
    Key("payload", "any", "`run.payload`."),
    Key("headers", "maps", "`run.headers`."),
    Key("query", "maps", "`run.query`."),
    Key("at", "text", "When it begins, as in ISO 8601 with a zone; 2030-01-01T09:00:00Z unless said otherwise."),
    Key("fixtures", "maps", "What steps come to: by step, `tool:<name>` or `agent:<id>`."),
    Key("expect", "maps", "What has to come of it; that it completes unless said otherwise."),
)
"""What stands in a case."""

FIXTURE: Final = (
    Key("output", "any", "What it comes to; for a router, a condition and a person the answer."),
    Key("result", "maps", "What a tool gives as values; its `text` is the output where none is said."),
    Key("answer", "any", "The same as `output`."),
    Key("route", "any", "The same as `output`."),
    Key("error", "any", "It fails: a text, or `{kind, reason, message}`."),
    Key(
        "after", "duration", "How long it takes; `never` for what never ends by itself. At once unless said otherwise."
    ),
    Key("tokens", "number", "What models use for it."),
    Key("cost", "money", "The same in money."),
)
"""What says more of a fixture than the bare value."""

ERROR: Final = (
    Key(
        "kind",
        "word",
        "What may be done about it: one of [these](#kinds-of-failures), `permanent` unless said otherwise.",
    ),
    Key(
        "reason",
        "word",
        "A stable word, of a tool's step one that [it has](#reasons); `fixture` unless said otherwise.",
    ),
    Key("message", "text", "For people."),
)
"""What stands in a fixture's error."""

EXPECT: Final = (
    Key("status", "word", "`completed`, `failed`, or `waiting` for what never comes."),
    Key(
        "reason",
        "word",
        "The stable word of the failure of the run; where it has not failed, of one of its steps.",
    ),
    Key("outputs", "maps", "These outputs have these values; others may be there."),
    Key("path", "names", "These steps were completed, begun in this order; others may lie between."),
    Key("skipped", "names", "These were skipped."),
    Key("failed", "names", "These failed."),
    Key("calls", "any", "The calls of tools, all of them in their order: `{tool, with}`."),
    Key("told", "names", "What the conversation is told, all of it in its order: texts that each have to be in it."),
    Key("took", "duration", "How long it took."),
)
"""What can be expected."""

CALL: Final = (
    Key("tool", "word", "Which.", required=True),
    Key("with", "maps", "The arguments that count, and of objects in them the fields that count; lists are whole."),
)
"""What stands in an expected call."""
