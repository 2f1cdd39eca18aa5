"""A daemon's life: claim the home, open, serve, and stop in order."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial

from sulla import __version__
from sulla.core.clock import Clock
from sulla.core.errors import SettingsError
from sulla.core.redact import Redactor
from sulla.daemon.build import System, build
from sulla.daemon.capability_tasks import go_on
from sulla.daemon.files import prepare_open_files
from sulla.daemon.home.upkeep import redate
from sulla.daemon.home.workspace import make_workspace
from sulla.daemon.instruments import Instruments, console
from sulla.daemon.models.choice import Choice, choose, how_to
from sulla.daemon.models.warming import warm
from sulla.daemon.settings import bounds
from sulla.daemon.settings.config import Examined, Settings
from sulla.daemon.settings.redaction import hide_known
from sulla.daemon.stores import store_place, store_source
from sulla.gateway.app import Brought, Gateway, GatewayConfig, build_app
from sulla.gateway.methods.observing import Observers
from sulla.gateway.server.server import Server, bind, serve
from sulla.host.exposure import check_exposure, check_owner_token, exposure_warnings
from sulla.host.home import Home, Whereabouts
from sulla.host.host import Task
from sulla.host.place import Place
from sulla.host.sections import GatewaySettings
from sulla.host.store_url import MEMORY
from sulla.host.supervision.service_manager import show_life
from sulla.host.supervision.stop import Stop, stop_signals
from sulla.host.supervision.supervised import READY, STOPPING, Supervised
from sulla.host.system import SystemClock, random_id, random_part, random_token
from sulla.host.zone import zone_or_warning
from sulla.playbooks.triggers.webhooks import PlaybookHooks
from sulla.telemetry.logs import Logs
from sulla.threads.archive.restore import undo_half_import
from sulla.threads.follower import LogFollower

log = logging.getLogger(__name__)

LOGS = "logs"
"""The folder of the home that the log is in."""

SETTLE_S = 1.0
"""How long clients get to take in what has happened, before the sockets close."""

CLOSE_S = 5.0
"""How long sockets get to say goodbye."""

FOLLOW_S = 2.0
"""How long what follows the turns gets to write what the last ones have left; the next start writes the rest."""


async def run_daemon(
    settings: Settings,
    say: Callable[[str], None],
    prepare: Callable[[Place], Place] = lambda place: place,
    *,
    redactor: Redactor | None = None,
    accept_store: bool = False,
    logs: Logs | None = None,
    examine: Callable[[], Examined] | None = None,
) -> None:
    """Serve until a signal says stop.

    The first SIGINT, SIGTERM or SIGHUP asks: no new work, running turns get `daemon.drain_s` seconds to reach a step
    border. A second SIGINT or SIGTERM cuts them off. Either way their logs stay, and the next start goes on.

    Args:
        settings: everything that can be set.
        say: takes lines for the person who started it.
        prepare: may put doubles in the place of what the daemon stands on.
        redactor: is told every secret; None if nobody else needs to know.
        accept_store: go on with a store that is not the one the home used last.
        logs: writes this process's log, from here on into the home too; None if that is somebody else's business.
        examine: reads the settings again; None if they are nowhere written down.

    Raises:
        HomeInUse: another daemon runs on the same home.
        PortInUse: the address is taken.
        StoreUnavailable: the store cannot be opened.
        StoreReplaced: the store is not the one that the home used last.
        SettingsError: a setting cannot be used.
        StartGivenUp: a signal said stop before it was ready.
    """
    home, redactor = Home(settings.home), redactor or Redactor()
    hide_known(settings, redactor)
    async with AsyncExitStack() as stack:
        home.lock()
        stack.callback(home.unlock)
        home.say_who()
        if logs is not None:
            logs.keep(settings.home / LOGS)
        place = prepare(replace(_place(settings, home, redactor), accept_store=accept_store))
        choice = await choose(settings.model, place.clock)
        sock = _bind(settings.gateway, place.supervised.listening)
        stack.callback(sock.close)
        stop = stack.enter_context(stop_signals())  # from here on there is something to put in order
        system = build(settings, choice, place, examine)
        system.lifecycle.connect(stop.ask)
        stack.push_async_callback(_put_away, system.core.instruments)
        make_workspace(settings.workspace, settings.home)
        with stop.gives_up():
            await _open_kept(stack, system)
            await _recognize(system, home, store_place(settings))
            await undo_half_import(system.host.store, place.owner)
            await _open_for_work(system)
            stack.push_async_callback(_close_accounts, system)
            stack.push_async_callback(system.core.models.close)
            await _open_access(settings, system, home, redactor)
            stack.callback(system.access.audit.close)
            app = _app(settings, system, place, logs)
            server = await serve(app, sock, place.clock, direct=settings.gateway.direct)
            stack.push_async_callback(server.stop, CLOSE_S)
            stack.push_async_callback(app.settle, SETTLE_S)
        home.announce(Whereabouts(server.url, os.getpid(), settings.daemon.zone))
        _greet(say, settings, choice, server, place.supervised)
        async with asyncio.TaskGroup() as group:
            working = group.create_task(_work(settings, system), name="work")
            beside = [group.create_task(one(), name=name) for name, one in _beside(settings, system).items()]
            for name, follower in _followers(settings, system).items():
                group.create_task(follower.run(), name=name)  # ends by itself once it is stopped
            await _stop_in_order(settings, system, server, stop, working)
            for task in beside:
                task.cancel()


async def _open_kept(stack: AsyncExitStack, system: System) -> None:
    """What a new home has to have, the store, and what capabilities keep."""
    for one in system.built:
        if one.prepare is not None:
            await asyncio.to_thread(one.prepare)
    await system.host.store.open()
    stack.push_async_callback(system.host.store.close)
    for name, one in system.core.built.items():
        if one.open is not None:
            await one.open()
        if one.close is not None:
            stack.push_async_callback(_close, name, one.close, system.host.place.clock)


async def _open_for_work(system: System) -> None:
    """Find out what may be done here, and what was used of the day."""
    await system.host.switch.open()
    await system.work.open()
    await system.account.open()


async def _close_accounts(system: System) -> None:
    """Keep a last time what was used."""
    await system.account.close()
    await system.console.usage.close()


async def _close(name: str, close: Callable[[], Awaitable[None]], clock: Clock) -> None:
    """Let go of what a capability has opened; one that does not come back holds up nothing."""
    try:
        async with clock.timeout(CLOSE_S):
            await close()
    except TimeoutError:
        log.error("the capability %r did not let go of what it has open within %s s", name, CLOSE_S)


def _place(settings: Settings, home: Home, redactor: Redactor) -> Place:
    """What the daemon stands on, with the real clock and real chance."""
    owner = f"{home.identity(random_id)}:{random_id('boot')}"
    zone = zone_or_warning(settings.daemon.zone)
    return Place(SystemClock(), random_id, owner, random_part, redactor, zone=zone)


def _followers(settings: Settings, system: System) -> dict[str, LogFollower]:
    """What reads the threads behind the turns, by name; a gateway leaves that to the workers."""
    if settings.work.role == "gateway":
        return {}
    return {name: follower for one in system.built for name, follower in one.followers.items()}


def _bind(gateway: GatewaySettings, listening: int | None) -> socket.socket:
    prepare_open_files()
    check_exposure(gateway)
    return bind(gateway.host, gateway.port, listening=listening)


async def _open_access(settings: Settings, system: System, home: Home, redactor: Redactor) -> None:
    """Find out who may come in."""

    def hidden(token: str) -> str:
        redactor.learn(token)
        return token

    token = hidden(home.token(random_token))
    check_owner_token(settings.gateway, token)
    await system.access.tokens.open(token, lambda: hidden(home.renew_token(random_token)))


def _app(settings: Settings, system: System, place: Place, logs: Logs | None) -> Gateway:
    return build_app(
        system.service,
        system.access.tokens,
        _gateway(settings),
        place.clock,
        Observers(system.access.audit, system.core.instruments.door),
        make_id=place.make_id,
        operations=console(system.core.instruments, system.work.inspect, logs, system.built),
        brought=Brought(
            system.host.needed(PlaybookHooks),
            next((one.pages for one in system.built if one.pages is not None), None),
        ),
    )


async def _recognize(system: System, home: Home, place: str) -> None:
    """See whether the store is the one that this home used last, and remember it."""
    if place == MEMORY:
        await system.watch.begin()
        return
    accept_store = system.host.place.accept_store
    known, last = home.known_store(place), home.last_store()
    begun = await system.watch.begin("" if accept_store else known)
    if not accept_store and last and not known:
        await system.watch.check_moved(last, home.known_stores())
    home.remember_store(place, begun)


def _beside(settings: Settings, system: System) -> dict[str, Task]:
    """What goes on for as long as the daemon does."""
    core, switch, clock = system.core, system.host.switch, system.host.place.clock
    own: dict[str, Task] = {
        "watch": system.watch.run,
        "account": system.account.run,
        "tokens": system.access.tokens.run,
        "audit": system.access.audit.run,
        "switch": switch.run,
        "scene": system.scene.feed.run,
        "asked": system.console.asked.board.run,
        "usage": system.console.usage.run,
        "stall": core.instruments.stall.run,
        "model_check": system.model_check.run,
        "health": system.host.health.run,
        "watchdog": lambda: show_life(system.host.place.supervised, clock),
    }
    at_gateway = settings.work.role == "gateway"
    if not at_gateway:
        own |= {
            "summaries": lambda: switch.while_on(core.summarizer.run),
            "retention": lambda: _redate(settings, system),
            "jobs": lambda: switch.while_on(core.tools.jobs.run),
            "warm": lambda: warm(settings, system.core.models, system.built, system.host.place),
        }
    for owner, one in system.core.built.items():
        for name, task in one.tasks.items():
            if at_gateway and name not in one.at_gateways:
                continue
            if name in own:
                raise SettingsError(f"the capability {owner!r} has a task {name!r}, and so has the daemon: rename it")
            own[name] = partial(go_on, owner, name, task, clock)
    return own


async def _put_away(instruments: Instruments) -> None:
    """Nothing is measured any more; what was is sent."""
    instruments.stream.close()
    await asyncio.to_thread(instruments.close)


async def _redate(settings: Settings, system: System) -> None:
    await redate(system.host.store, system.host.threads, system.work, bounds.threads(settings).retention)


async def _work(settings: Settings, system: System) -> None:
    """Find out what a command in the workspace can reach, and only then begin to work: clients need not wait for it."""
    if settings.work.role != "gateway":
        await system.core.tools.open(settings.workspace, system.host.place.clock)
    await system.work.run()


def _gateway(settings: Settings) -> GatewayConfig:
    return GatewayConfig(
        server_version=__version__,
        allowed_hosts=settings.gateway.allowed_hosts,
        allowed_origins=settings.gateway.allowed_origins,
        on_leave=settings.gateway.on_leave,
        serves_clients=settings.work.role != "worker",
        listens_at=settings.gateway.host,
    )


def _greet(
    say: Callable[[str], None], settings: Settings, choice: Choice, server: Server, supervised: Supervised
) -> None:
    say(f"sulla {__version__}, home {settings.home}, store {store_source(settings)}")
    if choice.model.provider == "offline":
        say(how_to(settings.model))
    else:
        say(f"model {choice.model} ({choice.why})")
    for warning in exposure_warnings(settings.gateway):
        say(f"warning: {warning}")
    say(f"ready {server.url}")
    supervised.tell(READY)
    log.info("started", extra={"version": __version__, "pid": os.getpid(), "url": server.url})


async def _stop_in_order(
    settings: Settings, system: System, server: Server, stop: Stop, working: asyncio.Task[None]
) -> None:
    await stop.asked.wait()
    system.host.place.supervised.tell(STOPPING)
    log.info("stopping: turns in progress get %s s to reach a step border", settings.daemon.drain_s)
    system.service.refuse_new_work()
    await server.stop_listening()
    system.turns.drain()
    async with asyncio.TaskGroup() as group:
        stopping = group.create_task(system.work.stop(settings.daemon.drain_s))
        insisting = group.create_task(stop.insisted.wait())
        await asyncio.wait((stopping, insisting), return_when=asyncio.FIRST_COMPLETED)
        insisting.cancel()
        if not stopping.done():
            log.warning("asked twice: turns in progress are cut off and go on at the next start")
            stopping.cancel()
            working.cancel()
    async with asyncio.TaskGroup() as group:
        for follower in _followers(settings, system).values():
            group.create_task(follower.stop(FOLLOW_S))
