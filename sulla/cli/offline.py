"""What commands of capabilities need of a home on which no daemon has to run: made as the daemon makes it."""

from __future__ import annotations

import argparse
from functools import cached_property

from sulla.cli.settings import settings_of
from sulla.core.errors import SullaError
from sulla.daemon.core import offline_core
from sulla.daemon.doctor.prompt import prompt_of
from sulla.daemon.models.prices import reading_cost
from sulla.host.host import Host
from sulla.host.system import SystemClock
from sulla.models.catalog import parse_model


class OfflineHome:
    """A home, by its settings. Commands of capabilities get it as `given.offline(given)`.

    Args:
        given: the command line.

    Raises:
        SettingsError: a setting is wrong.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self._settings = settings_of(given)
        self._clock = SystemClock()

    @cached_property
    def host(self) -> Host:
        """What its capabilities are built with, and provide; nothing of it has begun."""
        return offline_core(self._settings, self._clock).host

    @cached_property
    def prompt_tokens(self) -> int:
        """How much the home's own agent is told before anything else, its tools included; an estimate."""
        return prompt_of(self._settings, self._clock).told_tokens

    def reading_cost(self, tokens: int) -> float | None:
        """What it costs that the home's model reads so many tokens, in the unit of `[prices]`; None if unpriced."""
        try:
            model = parse_model(self._settings.model.name)
        except SullaError:
            return None  # none is set: which one answers is found out when the daemon starts
        return reading_cost(self._settings, model, tokens)
