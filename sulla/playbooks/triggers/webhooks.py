"""Webhooks as what starts playbooks: on which terms, one run for each message, and what came of it."""

from __future__ import annotations

from collections.abc import Callable

from sulla.core.errors import NotFound
from sulla.core.ids import derived_id
from sulla.core.jsontypes import JsonObject
from sulla.core.words import Author
from sulla.playbooks.catalog import PlaybookCatalog
from sulla.playbooks.definition import Trigger, WebhookForm
from sulla.playbooks.rpc_forms import PlayBegun
from sulla.playbooks.service import Begin, PlaybookService
from sulla.playbooks.webhook_key import webhook_key
from sulla.playbooks.webhook_message import HookEnd, HookMessage, HookTerms


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

    async def terms_of(self, playbook: str) -> HookTerms | None:
        """On which terms a playbook takes messages; None if it takes none, has faults, or is not there, and if its
        secret is too short: then nobody has signed anything.
        """
        await self._catalog.known_at_all()
        trigger = self._trigger(playbook)
        if trigger is None or (secret := self._secrets(trigger.text)) is None:
            return None
        form = trigger.webhook or WebhookForm()
        return HookTerms(secret, form) if webhook_key(secret, decodes=form.signed == "standard") is not None else None

    async def begin(self, playbook: str, message: HookMessage) -> PlayBegun:
        """Begin a run; the same message begins it once.

        Raises:
            NotFound: the playbook takes no webhooks any more.
        """
        trigger = self._trigger(playbook)
        if trigger is None:  # its file was written while the message came
            raise NotFound(f"the playbook {playbook!r} takes no webhooks")
        request: JsonObject = {"headers": {**message.headers}, "query": message.query}
        payload, by = message.payload, Author.OUTSIDE
        begin = Begin(playbook, trigger.inputs, trigger="webhook", payload=payload, request=request, by=by)
        return await self._service.start(begin, derived_id("hook", playbook, message.id))

    async def ended(self, run: str, form: WebhookForm) -> HookEnd | None:
        """What came of a run, and of those that it handed over to; None while one of them goes on."""
        detail = await self._service.status(run)
        while detail.about.status == "transferred" and detail.successor:
            try:
                detail = await self._service.status(detail.successor)
            except NotFound:
                return None  # it is about to begin
        if detail.about.ended_ms is None:
            return None
        outputs = detail.outputs
        return HookEnd(detail.about.status == "completed", outputs.get(form.output) if form.output else outputs)

    def _trigger(self, playbook: str) -> Trigger | None:
        """How it takes webhooks; the first one counts."""
        found = self._catalog.playbooks.get(playbook)
        triggers = found.definition.on if found is not None and found.definition is not None else ()
        return next((one for one in triggers if one.kind == "webhook"), None)
