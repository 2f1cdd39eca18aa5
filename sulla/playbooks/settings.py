"""The settings of playbooks, `[playbooks]`. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from sulla.host.section import Count, Section
from sulla.playbooks.webhook_key import PREFIX, webhook_key


def _filled(secret: SecretStr) -> SecretStr:
    if secret.get_secret_value().removeprefix(PREFIX).strip():
        return secret
    raise ValueError(f"Input should not be empty, nor {PREFIX!r} with nothing behind it")


class PlaybookSettings(Section):
    """Playbooks, the prepared ways to do something (docs/playbooks.md)."""

    runs: Count = 10
    """Playbooks at work at once (seed 001); those that wait for time or people hold no place."""
    steps: Count = 50
    """Agents that work on their steps at once."""
    run_tokens: Count = 5_000_000
    """Tokens of one run of a playbook that has no budget of its own, with all that it sets to work."""
    secrets: Annotated[dict[str, Annotated[SecretStr, AfterValidator(_filled)]], Field(repr=False)] = Field(default={})
    """Secrets that playbooks use by their names, in a section of its own, `[playbooks.secrets]`, or each in a variable
    `SULLA_SECRET_<NAME>`. None is empty; one that signs webhooks has at least 16 bytes."""

    def short_secrets(self) -> Iterator[str]:
        """The names of those that are too short to sign webhooks."""
        yield from (name for name, kept in self.secrets.items() if webhook_key(kept.get_secret_value()) is None)

    def more_secrets(self) -> Iterator[tuple[str, str]]:
        """Those that playbooks use."""
        yield from ((f"secrets.{name}", kept.get_secret_value()) for name, kept in self.secrets.items())
