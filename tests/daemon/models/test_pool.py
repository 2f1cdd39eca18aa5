"""Models are loaded before anybody works with them, each once, and nobody's time is spent on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sulla.agent.limits.ledger import DayLimits, Ledger
from sulla.agent.model.breaker import Admitted, Blocked
from sulla.core.errors import SettingsError
from sulla.core.ids import ThreadId
from sulla.daemon.models.choice import Choice
from sulla.daemon.models.lazy import LazyProvider
from sulla.daemon.models.pool import ModelPool
from sulla.daemon.models.providers import exact_count
from sulla.daemon.models.ranks import LazyRanks
from sulla.daemon.settings.config import load_settings
from sulla.host.place import Place
from sulla.models.base import Provider
from sulla.models.catalog import ModelName
from sulla.testing.clock import ManualClock
from sulla.testing.provider import ScriptedProvider


class SlowLibrary:
    """What a provider needs: it loads when the test says so."""

    def __init__(self, error: SettingsError | None = None) -> None:
        self.loaded = 0
        self._error = error
        self.may_load = asyncio.Event()

    def wrap(self, provider: Provider) -> Provider:
        lazy = LazyProvider(provider.name, lambda: ScriptedProvider([]))
        load = lazy.warm

        async def warm() -> None:
            await self.may_load.wait()
            self.loaded += 1
            if self._error is not None:
                raise self._error
            await load()

        lazy.warm = warm  # type: ignore[method-assign]  # takes its time
        return lazy


def pool(home: Path, wrap: Callable[[Provider], Provider], environ: dict[str, str] | None = None) -> ModelPool:
    settings = load_settings(environ or {}, {}, home)
    place = Place(ManualClock(), lambda prefix: prefix, "home:boot", lambda: 0.0, wrap_provider=wrap)
    choice = Choice(ModelName("anthropic", "any"), "the test says so")
    return ModelPool(settings, choice, place, Ledger(DayLimits()), LazyRanks(exact_count), str)


async def test_no_turn_begins_before_its_model_is_loaded_and_it_is_loaded_once(tmp_path: Path) -> None:
    library, begun = SlowLibrary(), list[str]()
    models = pool(tmp_path, library.wrap)

    async def attend(thread_id: ThreadId) -> None:
        begun.append(thread_id)

    async with asyncio.TaskGroup() as group:
        for name in ("one", "two"):
            group.create_task(models.before(attend, ThreadId(name)))
        for _ in range(10):
            await asyncio.sleep(0)
        assert begun == []
        library.may_load.set()
    await models.before(attend, ThreadId("three"))
    assert (begun, library.loaded) == (["one", "two", "three"], 1)


async def test_a_model_that_comes_later_is_loaded_before_its_first_turn(tmp_path: Path) -> None:
    library = SlowLibrary()
    library.may_load.set()
    models = pool(tmp_path, library.wrap)
    await models.warm()
    models.of("ollama:other")
    await models.warm()
    assert library.loaded == 2


async def test_one_that_cannot_be_loaded_is_told_of_once_and_holds_nobody_up(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    library, begun = SlowLibrary(SettingsError("no such library")), list[str]()
    library.may_load.set()
    models = pool(tmp_path, library.wrap)

    async def attend(thread_id: ThreadId) -> None:
        begun.append(thread_id)

    for name in ("one", "two"):
        await models.before(attend, ThreadId(name))
    assert begun == ["one", "two"]
    assert caplog.text.count("the model anthropic:any cannot be asked: no such library") == 1


@pytest.mark.parametrize(
    ("variables", "model", "left_alone_s"),
    [
        ({}, "ollama:a", 2.0),
        ({"OLLAMA_HOST": "http://there:11434"}, "ollama:a", 30.0),
        ({"OPENAI_BASE_URL": "http://127.0.0.1:8000/v1"}, "openai:a", 2.0),
        ({}, "openai:a", 30.0),
        ({}, "anthropic:a", 30.0),
    ],
)
def test_a_service_on_this_machine_is_left_alone_for_seconds_only(
    tmp_path: Path, variables: dict[str, str], model: str, left_alone_s: float
) -> None:
    breaker = pool(tmp_path, lambda provider: provider, variables).of(model).breaker
    for _ in range(5):
        admitted = breaker.admit(0.0)
        assert isinstance(admitted, Admitted)
        breaker.failed(admitted.ticket, 0.0)
    assert breaker.admit(0.0) == Blocked(left_alone_s)
