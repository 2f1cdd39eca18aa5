"""Playbooks with and without faults, and what they are held against."""

from __future__ import annotations

import re
from pathlib import Path

from sulla.core.jsontypes import JsonObject
from sulla.playbooks.definition import InputSpec
from sulla.playbooks.file.check_known import KnownNames, KnownTool

SEND: JsonObject = {
    "type": "object",
    "properties": {
        "to": {"type": "string", "description": "Who gets it."},
        "body": {"type": "string"},
        "copies": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["to"],
    "additionalProperties": False,
}
KNOWN = KnownNames(
    tools={
        "send_email": KnownTool(SEND, "once"),
        "post_note": KnownTool(SEND, "once", reach="outward"),
        "read_file": KnownTool(
            {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
            "pure",
            gives={"lines": {"type": "integer"}},
            remarks=True,
        ),
        "bash": KnownTool({"type": "object", "properties": {"command": {"type": "string"}}}, "once"),
        "http": KnownTool(
            {"type": "object", "properties": {"url": {"type": "string"}}},
            "pure",
            refuses=lambda args: "it is your own" if str(args.get("url")).startswith("http://localhost") else "",
        ),
        "web_search": KnownTool({"type": "object"}, "pure", "no web search is set up"),
    },
    agents={"researcher", "writer"},
    playbooks={"lead-triage": {"lead": InputSpec(), "size": InputSpec("integer", required=False)}},
    secrets={"smtp_key", "hook_key", "short_key"},
    short_secrets={"short_key"},
    reply_tokens=8192,
)


def _texts(file: str) -> dict[str, str]:
    parts = re.split(r"^### (.+)\n", (Path(__file__).parent / file).read_text(), flags=re.MULTILINE)[1:]
    return {heading: body.rstrip("\n") + "\n" for heading, body in zip(parts[::2], parts[1::2], strict=True)}


GOOD = _texts("good_playbooks.txt")
"""By what they show."""

SEEDED = {
    what: (text, rule, said)
    for heading, text in _texts("seeded_faults.txt").items()
    for what, rule, said in [heading.split(" | ")]
}
"""By what is wrong: the text with its mark, the rule, and a part of what is told."""


def marked(text: str) -> tuple[str, int, int]:
    """A text without its mark, and where that stood."""
    before, after = text.split("§")
    return before + after, before.count("\n") + 1, len(before) - before.rfind("\n")
