"""What of a conversation is from outside, and which addresses stood in it before the model wrote anything. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from sulla.core.jsontypes import FrozenJson
from sulla.core.message import Text, ToolCall, ToolResult
from sulla.core.redact import Redactor
from sulla.threads import OpenRun, Transcript
from sulla.tools import Trust

MAX_URLS: Final = 10_000
"""Addresses of one conversation that are looked at; one beyond them counts as unknown."""

_URL = re.compile(r"https?://[^\s<>\"'`\\|^{}\[\]()]{1,2000}", re.IGNORECASE)
_AFTER = ".,;:!?*_~"
"""What stands behind an address in a sentence and is no part of it."""


def trust_of(run: OpenRun) -> Trust:
    """Who started a run: a person is there for what a person wrote, and nobody for anything else."""
    return "person" if run.origin in ("user", "operator") else "unattended"


def holds_secret(redactor: Redactor, args: FrozenJson) -> bool:
    """Whether arguments hold a secret of the daemon's, in any spelling that the redactor knows."""
    whole = dict(args)
    return redactor.json(whole) != whole


def is_known_target(args: FrozenJson, transcript: Transcript, quotes: Callable[[str], bool]) -> bool:
    """Whether a call says nothing but an address that stood in the conversation before the model wrote it.

    Such an address cannot carry anything away: whoever made it up knew nothing of what was said here.

    Args:
        args: the call's arguments; beside ``url`` only numbers and switches may be among them.
        transcript: the conversation as the model saw it.
        quotes: whether a tool's results hold nothing of its arguments but only what lay elsewhere before the call.
    """
    url = args.get("url")
    others = [value for name, value in args.items() if name != "url"]
    if not isinstance(url, str) or any(isinstance(value, str | list | dict) for value in others):
        return False
    found = False
    for count, (known, own) in enumerate(_addresses(transcript, quotes)):
        if count >= MAX_URLS:
            return False
        if url in (known, _bare(known)):
            if own:  # the model wrote it first: what quotes it after that proves nothing
                return found
            found = True
    return found


def _addresses(transcript: Transcript, quotes: Callable[[str], bool]) -> Iterator[tuple[str, bool]]:
    """Every address in order, and whether the model wrote it."""
    names: dict[str, str] = {}
    for message in transcript:
        for part in message.parts:
            match part:
                case Text(origin="user") if message.role == "user":
                    for url in _urls(part.text):
                        yield url, False
                case ToolCall():
                    names[part.id] = part.name
                    for text in _texts(part.args):
                        for url in _urls(text):
                            yield url, True
                case ToolResult() if not part.is_error and quotes(names.get(part.call_id, "")):
                    for url in _urls(part.text):
                        yield url, False
                case _:
                    pass


def _urls(text: str) -> Iterator[str]:
    return (match[0] for match in _URL.finditer(text))


def _bare(url: str) -> str:
    return url.rstrip(_AFTER)


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for inner in value.values():
                yield from _texts(inner)
        case list():
            for inner in value:
                yield from _texts(inner)
        case _:
            return
