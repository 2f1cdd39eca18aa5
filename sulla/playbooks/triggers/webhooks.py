"""Webhooks as what starts playbooks: whose secret it is, and one run for each message."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.errors import NotFound
from sulla.core.ids import derived_id
from sulla.core.jsontypes import Json
from sulla.core.words import Author
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.definition import Trigger
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.webhook_key import webhook_key


class PlaybookHooks:
    """Keeps `gateway.Hooks`.

    Args:
        service: begins runs.
        catalog: the home's playbooks, as they were at the last look: but for the first, a message costs no reading.
        secrets: a secret's value by its name; None or empty for one that is not set.
    """

    def __init__(
        self, service: PlaybookService, catalog: PlaybookCatalog, secrets: Callable[[str], str | None]
    ) -> None:
        self._service = service
        self._catalog = catalog
        self._secrets = secrets

    async def secret_of(self, playbook: str) -> str | None:
        """What a playbook's messages are signed with; None if it takes none, has faults, or is not there, and if its
        secret is too short: then nobody has signed anything.
        """
        await self._catalog.known_at_all()
        trigger = self._trigger(playbook)
        secret = self._secrets(trigger.text) if trigger is not None else None
        return secret if secret is not None and webhook_key(secret) is not None else None

    async def begin(self, playbook: str, message_id: str, payload: Json) -> PlayBegun:
        """Begin a run; the same message begins it once.

        Raises:
            NotFound: the playbook takes no webhooks any more.
        """
        trigger = self._trigger(playbook)
        if trigger is None:  # its file was written while the message came
            raise NotFound(f"the playbook {playbook!r} takes no webhooks")
        begin = Begin(playbook, trigger.inputs, trigger="webhook", payload=payload, by=Author.OUTSIDE)
        return await self._service.start(begin, derived_id("hook", playbook, message_id))

    def _trigger(self, playbook: str) -> Trigger | None:
        """How it takes webhooks; the first one counts."""
        found = self._catalog.playbooks.get(playbook)
        triggers = found.definition.on if found is not None and found.definition is not None else ()
        return next((one for one in triggers if one.kind == "webhook"), None)
