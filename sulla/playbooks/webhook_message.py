"""What the door for webhooks and the playbooks behind it tell each other. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from sulla.core.dataclass import dataclass
from sulla.core.jsontypes import Json, JsonObject
from sulla.playbooks.definition import WebhookForm


@dataclass(frozen=True, slots=True)
class HookTerms:
    """On which terms a playbook takes messages."""

    secret: str
    """What they are signed with."""
    form: WebhookForm


@dataclass(frozen=True, slots=True)
class HookMessage:
    """A message whose signature is good. Nobody trusts what it says."""

    id: str
    """Names it: the same one may come several times."""
    payload: Json
    headers: Mapping[str, str]
    """By small letters, without those that prove something."""
    query: JsonObject
    """What stands behind the `?` of the address."""


@dataclass(frozen=True, slots=True)
class HookEnd:
    """What came of a run."""

    completed: bool
    output: Json
    """All outputs by name, or the one that is the answer."""
