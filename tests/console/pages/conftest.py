"""One daemon and one browser for all tests of a module: what they do in it is apart by conversation."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.console.pages.opened import Desk, chromium
from tests.daemon.clients.asking import model_that_asks, place_that_asks


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    # The browser's library keeps a loop of its own in this thread as long as it is open, so it comes last and goes first.
    with model_that_asks() as model:
        place = place_that_asks(tmp_path_factory.mktemp("console"), model)
        with place.up() as daemon, chromium() as browser:
            yield Desk(place, daemon, model, browser)
