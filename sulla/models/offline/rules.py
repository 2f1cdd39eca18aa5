"""The few requests that work without a language model. Pure; a new request is one more row in `RULES`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import JsonObject
from sulla.core.pattern import late_pattern


@dataclass(frozen=True, slots=True)
class OfflineRule:
    """One kind of request, and the tool that serves it."""

    usage: str
    """How to ask for it, as help shows it."""
    pattern: re.Pattern[str]
    """Must fit the whole request."""
    tool: str
    args: Callable[[dict[str, str]], JsonObject]
    """The tool's arguments, from the pattern's named groups (empty where one did not take part)."""
    intro: str
    """Stands before the tool's result; may name groups in braces."""


@dataclass(frozen=True, slots=True)
class OfflineCommand:
    """A request that a rule fits."""

    rule: OfflineRule
    groups: dict[str, str]

    @property
    def args(self) -> JsonObject:
        """The tool's arguments."""
        return self.rule.args(self.groups)

    @property
    def intro(self) -> str:
        """What stands before the tool's result."""
        return self.rule.intro.format(**self.groups)


def _pattern(text: str) -> re.Pattern[str]:
    return late_pattern(text, re.IGNORECASE | re.DOTALL)


_PATH = r"[\"'`]?(?P<path>[^\"'`\n]+?)[\"'`]?"

RULES: tuple[OfflineRule, ...] = (
    OfflineRule(
        "what time is it [in Europe/Berlin]",
        _pattern(
            r"(?:what(?:'s|s| is)? )?(?:the )?(?:time|date|day)(?: is it)?(?: now)?(?: in (?P<zone>[\w/+-]+))?[ ?.!]*"
        ),
        "get_time_date",
        lambda found: {"timezone": found["zone"]} if found["zone"] else {},
        "The clock says:",
    ),
    OfflineRule(
        "list files [in notes]",
        _pattern(rf"(?:list|show|ls)(?: (?:the |my |all )*files)?(?: in {_PATH})?[ ?!]*"),
        "list_dir",
        lambda found: {"path": found["path"] or "."},
        "The files there:",
    ),
    OfflineRule(
        "read notes.txt",
        _pattern(rf"(?:read|show|open|cat)(?: the)?(?: file)? {_PATH}[ ?!]*"),
        "read_file",
        lambda found: {"path": found["path"]},
        "{path} holds:",
    ),
    OfflineRule(
        "write notes.txt: any text",
        _pattern(r"write(?: to)?(?: the)?(?: file)? [\"'`]?(?P<path>[^\"'`:\n]+?)[\"'`]?\s*:[ \t]*\n?(?P<text>.+)"),
        "write_file",
        lambda found: {"path": found["path"], "content": found["text"]},
        "About writing {path}:",
    ),
    OfflineRule(
        "search any words",
        _pattern(r"(?:search|find)(?: files| my files| the files)?(?: for)? (?P<text>[^\n]+?)[ ?!]*"),
        "search_files",
        lambda found: {"pattern": found["text"], "ignore_case": True},
        "Found for {text}:",
    ),
)


def wish_of(request: str) -> OfflineCommand | None:
    """The first rule that fits a person's words; None if none does."""
    for rule in RULES:
        match = rule.pattern.fullmatch(request.strip())
        if match is not None:
            return OfflineCommand(rule, {name: value or "" for name, value in match.groupdict().items()})
    return None


def help_text(tools: frozenset[str], more: Sequence[str] = ()) -> str:
    """What can be asked for with these tools, and `more` that no single tool does."""
    usable = [f"- {usage}" for usage in (*(rule.usage for rule in RULES if rule.tool in tools), *more)]
    return "\n".join(["I understand these requests and nothing else:", *usable, "- help"])
