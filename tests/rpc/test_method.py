"""A row of the table is done by its handler, with the service of its group, and answered in the form that it says."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.core.jsontypes import JsonObject
from sulla.rpc.caller import Caller, Context
from sulla.rpc.form import Params
from sulla.rpc.method import Method, Methods

CONTEXT = Context(Caller(Principal("ann", ALL_SCOPES), "127.0.0.1", "ws", "ses_1"), 7, 100, lambda kind: f"{kind}_1")


class Pour(Params):
    """`tea.pour`."""

    cups: int


@dataclass(frozen=True, slots=True)
class Poured:
    """The answer to `tea.pour`."""

    cups: int
    by: str


class Pot:
    """A service."""

    def __init__(self) -> None:
        self.cups = 0

    def pour(self, cups: int) -> int:
        self.cups += cups
        return self.cups


async def pour(service: Pot, params: Pour, context: Context) -> Poured:
    return Poured(service.pour(params.cups), context.caller.name)


async def pour_json(service: Pot, params: Pour, context: Context) -> JsonObject:
    return {"cups": service.pour(params.cups), "by": "json"}


METHODS: Methods[Pot] = Methods(
    "tea",
    (
        Method("tea.pour", Pour, Poured, "write", pour),
        Method("tea.pour_json", Pour, Poured, "write", pour_json),
        Method("tea.by_itself", Pour, Poured, None, None),
    ),
)


async def test_a_handler_has_the_service_the_caller_and_the_parameters() -> None:
    pot = Pot()
    assert await METHODS.rows[0].answer(pot, Pour(cups=2), CONTEXT) == {"cups": 2, "by": "ann"}
    assert await METHODS.rows[1].answer(pot, Pour(cups=1), CONTEXT) == {"cups": 3, "by": "json"}


async def test_what_a_connection_does_by_itself_is_done_by_no_service() -> None:
    with pytest.raises(TypeError, match=r"'tea\.by_itself' is in the table of methods, but no handler does it"):
        await METHODS.rows[2].answer(Pot(), Pour(cups=1), CONTEXT)


def test_a_service_is_found_by_the_name_of_its_capability() -> None:
    pot = Pot()
    services = dict([METHODS.done_by(pot)])
    assert services == {"tea": pot}
    assert METHODS.service_in(services) is pot
