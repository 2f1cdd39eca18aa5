"""`sulla doctor`: every check in a table, run one after the other; none that breaks hides the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Final

from sulla.core.errors import NotAvailable, SullaError
from sulla.daemon.doctor import home_files as registry
from sulla.daemon.doctor import probes
from sulla.daemon.doctor import queue as doctor_queue
from sulla.daemon.doctor import shell as doctor_shell
from sulla.daemon.doctor import web as doctor_web
from sulla.daemon.doctor.probes import Patient
from sulla.host import collected
from sulla.host.capability import Capability, refuse_twice
from sulla.host.checks import CHECK_S, Check
from sulla.host.findings import Finding, fault, ok

_OWN: Final[tuple[Check[Patient], ...]] = (
    Check("home", probes.home),
    Check("settings", probes.settings),
    Check("token", probes.token),
    Check("workspace", probes.workspace),
    Check("shell", doctor_shell.shell),
    Check("agents", registry.agents),
    Check("web", doctor_web.web),
    Check("daemon", probes.daemon),
    Check("port", probes.port),
    Check("exposure", probes.exposure),
    Check("store", probes.store, probes.STORE_S + CHECK_S),
    Check("queue", doctor_queue.queue),
    Check("clock", probes.clock),
    Check("model", probes.model),
    Check("fallback", probes.fallback),
)
_ORDER: Final = (
    *("home", "settings", "token", "workspace", "shell", "agents", "skills", "projects", "playbooks"),
    # The store is not asked of a daemon that was silent, and knows the newest record for the clock.
    *(
        "intents",
        "flows",
        "routes",
        "heartbeat",
        "web",
        "mcp",
        "notify",
        "daemon",
        "port",
        "exposure",
        "store",
        "queue",
        "memory",
        "knowledge",
        "clock",
        "model",
        "fallback",
    ),
)
"""In which the checks are made and shown; those of other packages come behind them."""


def checks(brought: Iterable[Capability]) -> tuple[Check[Patient], ...]:
    """Every check, in the order in which they are run and shown.

    Args:
        brought: the capabilities, which have checks of their own.

    Raises:
        SettingsError: two checks have one name, or something else is given for one.
    """
    every: tuple[Check[Patient], ...] = (*_OWN, *collected.checks(brought))
    refuse_twice("check", ((check.name, f"{check.run.__module__}.{check.run.__name__}") for check in every))
    table = {check.name: check for check in every}
    return (*(table.pop(name) for name in _ORDER if name in table), *table.values())


async def examine(patient: Patient, table: tuple[Check[Patient], ...]) -> AsyncIterator[tuple[str, Finding]]:
    """Run the checks.

    Args:
        patient: whoever is looked at.
        table: the checks.

    Yields:
        Each finding with the name of its check, at once.
    """
    for check in table:
        for finding in await results(check, patient):
            yield check.name, finding


async def results(check: Check[Patient], patient: Patient) -> list[Finding]:
    """What one check finds, whatever becomes of it.

    Args:
        check: the check.
        patient: whoever is looked at.
    """
    try:
        async with patient.clock.timeout(check.deadline_s):
            return await check.run(patient)
    except TimeoutError:
        remedy = "look at what it waits for: the disk, the network or the daemon"
        return [fault(f"there was no result within {check.deadline_s:g} s", remedy)]
    except NotAvailable:
        return ok("not looked at from a worker, which has no door for that: `sulla doctor` at a gateway's home does")
    except SullaError as error:
        return [fault(error.message, "mend this first")]
    except OSError as error:
        return [
            fault(f"{error.filename or 'the system'}: {error.strerror or error}", "see whether this user may do that")
        ]
    except Exception as error:  # noqa: BLE001 - whatever it is, the other checks have to be made
        said = f"the check itself failed: {type(error).__name__}: {error}"
        return [fault(said, "this is a defect of Sulla: please report it")]
