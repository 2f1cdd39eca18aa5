"""`sulla up`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Callable
from dataclasses import replace

from sulla.core.errors import SettingsError, SullaError, leaf
from sulla.core.redact import Redactor
from sulla.daemon.loop import new_loop
from sulla.daemon.run import run_daemon
from sulla.daemon.settings.config import Examined, Settings, examine_settings, load_settings
from sulla.host.place import Place
from sulla.host.supervision.service_manager import supervised_by
from sulla.host.supervision.stop import StartGivenUp
from sulla.telemetry.logs import Logs
from sulla.terminal.exits import Exit
from sulla.terminal.output import let_go

log = logging.getLogger(__name__)


def arguments(command: argparse.ArgumentParser) -> None:
    """The command's own arguments."""
    command.add_argument("--host", metavar="H", help="the address to listen on (default 127.0.0.1)")
    command.add_argument("--port", type=int, metavar="N", help="the port (default 8137; 0 picks a free one)")
    command.add_argument("--role", choices=("all", "gateway", "worker"), help="what it is there for (default all)")
    command.add_argument(
        "--accept-store", action="store_true", help="go on though the store was emptied, or is an empty one elsewhere"
    )


def run(given: argparse.Namespace) -> Exit:
    """Serve until told to stop."""
    flags = {
        ("gateway", "host"): given.host,
        ("gateway", "port"): given.port,
        ("work", "role"): given.role,
    }
    settings = load_settings(os.environ, flags, given.home)

    def examine() -> Examined:
        return examine_settings(os.environ, flags, settings.home)

    supervised = supervised_by(os.environ, os.getpid())

    def prepare(place: Place) -> Place:
        return replace(place, supervised=supervised)

    redactor = Redactor()
    logs = Logs(redactor, settings.daemon.log_level)
    logs.show(sys.stderr, settings.daemon.log_form)
    try:
        with asyncio.Runner(loop_factory=new_loop) as runner:
            runner.run(_serve(settings, prepare, redactor, logs, examine, accept_store=given.accept_store))
    except StartGivenUp:
        log.warning("stopped before it was ready")
    except SullaError as error:
        raise _hidden(error, redactor) from None
    except Exception as error:
        known = leaf(error)
        if isinstance(known, SettingsError):  # found out while it worked: of what stands in its place by now
            log.critical("the daemon ends: %s", known)
            raise _hidden(known, redactor) from None
        log.exception("the daemon has failed in a way that nobody foresaw")  # by way of the log: that shows no secret
        return Exit.FAILED
    finally:
        logs.close()
    try:
        sys.stdout.flush()
    except OSError:  # a terminal that was closed: the daemon has ended in order all the same
        let_go(sys.stdout)
    return Exit.OK


def _hidden(error: SullaError, redactor: Redactor) -> SullaError:
    error.message = redactor.text(error.message)
    return error


async def _serve(
    settings: Settings,
    prepare: Callable[[Place], Place],
    redactor: Redactor,
    logs: Logs,
    examine: Callable[[], Examined],
    *,
    accept_store: bool,
) -> None:
    def say(line: str) -> None:
        try:
            print(line, flush=True)
        except OSError as error:  # whoever read it has gone, or its disk is full: no reason to stop working
            let_go(sys.stdout)
            log.warning("standard output takes nothing more (%s); this is not said there: %s", error.strerror, line)

    await run_daemon(settings, say, prepare, redactor=redactor, accept_store=accept_store, logs=logs, examine=examine)
