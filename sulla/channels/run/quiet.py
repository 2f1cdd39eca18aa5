"""Hushes libraries that would write addresses, which hold secrets, or what people say into the log."""

from __future__ import annotations

import logging

from sulla.channels.kinds import ChannelKind


def hush(kind: ChannelKind) -> None:
    """Let the libraries of a kind of channels say warnings and nothing below.

    Args:
        kind: it.
    """
    for name in kind.loggers:
        logger = logging.getLogger(name)
        if logger.getEffectiveLevel() < logging.WARNING:
            logger.setLevel(logging.WARNING)
