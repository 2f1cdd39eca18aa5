"""`sulla up`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os

from sulla.cli.exits import Exit
from sulla.daemon import load_settings
from sulla.daemon.run import run_daemon


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--host", metavar="H", help="the address to listen on (default 127.0.0.1)")
    command.add_argument("--port", type=int, metavar="N", help="the port (default 8137; 0 picks a free one)")


def run(given: argparse.Namespace) -> Exit:
    """Serve until told to stop."""
    flags = {("gateway", "host"): given.host, ("gateway", "port"): given.port}
    settings = load_settings(os.environ, flags, given.home)
    # Other people's libraries only when they complain: at INFO some log every request to a model's service.
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("sulla").setLevel(settings.daemon.log_level.upper())
    asyncio.run(run_daemon(settings, lambda line: print(line, flush=True)))
    return Exit.OK
