"""Hushes libraries that would write addresses, which hold secrets, or what people say into the log."""

from __future__ import annotations

import logging

from sulla.channels.kinds import ChannelKind


def hush_all() -> None:
    """Let no library write to the terminal by itself, as Python has them do where nobody keeps a log: whoever is asked
    something there is told what went wrong in the daemon's own words.
    """
    logging.getLogger().addHandler(logging.NullHandler())


def hush(kind: ChannelKind) -> None:
    """Let the libraries of a kind of channels say warnings and nothing below.

    Args:
        kind: it.
    """
    for name in kind.loggers:
        logger = logging.getLogger(name)
        if logger.getEffectiveLevel() < logging.WARNING:
            logger.setLevel(logging.WARNING)
