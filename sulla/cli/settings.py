"""The settings, for the few commands that do what a daemon would do."""

from __future__ import annotations

import argparse
import os

from sulla.daemon.settings.config import Examined, Settings, examine_settings, load_settings
from sulla.terminal.place import home_of


def settings_of(arguments: argparse.Namespace) -> Settings:
    """All settings, for the few commands that do what a daemon would do.

    Raises:
        SettingsError: one of them is wrong.
    """
    return load_settings(os.environ, {}, arguments.home)


def examined_of(arguments: argparse.Namespace, *, file: bool = True) -> Examined:
    """All settings, and what is wrong with them, for the commands that help to mend them.

    Args:
        arguments: name the home.
        file: whether to look at its `sulla.toml`.
    """
    return examine_settings(os.environ, {}, home_of(arguments), file=file)
