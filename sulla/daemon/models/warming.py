"""What a daemon does when it is ready, so that the first turn waits for nothing."""

from __future__ import annotations

import gc
import logging
from collections.abc import Sequence

from sulla.daemon.models.pool import ModelPool
from sulla.daemon.settings.config import Settings
from sulla.host.host import Built
from sulla.host.place import Place
from sulla.models.catalog import OFFLINE

log = logging.getLogger(__name__)

WARM_S = 0.5
"""How long after the start the models' libraries are loaded, beside the event loop."""

WARM = "a first turn waits for nothing any more"
"""What the log says then."""


async def warm(settings: Settings, models: ModelPool, built: Sequence[Built], place: Place) -> None:
    """Do what the first turn would have to wait for, once those who waited for the start have had their turn.

    Args:
        settings: everything that can be set.
        models: what agents answer with.
        built: what the capabilities bring.
        place: what the daemon stands on.
    """
    await place.clock.sleep(WARM_S)
    try:
        await _prepare_first_turn(settings, models, built, place)
    except Exception:
        log.exception("what a first turn waits for could not be done before it; the first turn does it")
    else:
        log.info(WARM)


async def _prepare_first_turn(settings: Settings, models: ModelPool, built: Sequence[Built], place: Place) -> None:
    await models.warm()
    if models.choice.model.provider != OFFLINE:  # nobody waits for those answers; and they are to stay small
        for look in [one.before_work for one in built if one.before_work is not None]:
            try:
                await look()
            except Exception:
                log.exception("what a capability does before work failed; the first turn tries it again")
        from sulla.daemon.models.rehearsal import rehearse

        await rehearse(settings, models.choice, place)
    _leave_alone_what_is_loaded()


def _leave_alone_what_is_loaded() -> None:
    """Garbage is looked for among what is made from here on. Libraries and capabilities are loaded by now and stay:
    each look through all of them would hold up every stream of the daemon for some 50 ms.
    """
    gc.collect()
    gc.freeze()
