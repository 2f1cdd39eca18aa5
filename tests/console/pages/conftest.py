"""One daemon and one browser for all tests of a module: what they do in it is apart by conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.console.pages.opened import Desk, chromium
from tests.daemon.clients.asking import model_that_asks, place_that_asks


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def desk(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with model_that_asks() as model:
        place = place_that_asks(tmp_path_factory.mktemp("console"), model)
        with place.up() as daemon:
            yield Desk(place, daemon, model, browser)
