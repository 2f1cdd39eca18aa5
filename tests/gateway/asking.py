"""Asks services of capabilities as the gateway does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from sulla.access.principal import ALL_SCOPES, Principal
from sulla.rpc.caller import Caller, Context
from sulla.rpc.form import Params
from sulla.rpc.limits import Limits
from sulla.rpc.method import Methods

S = TypeVar("S")
OWNER = Principal("owner", ALL_SCOPES)


async def ask(
    methods: Methods[S],
    service: S,
    params: Params,
    principal: Principal = OWNER,
    make_id: Callable[[str], str] = lambda kind: f"{kind}_1",
) -> Any:
    """What a client is answered."""
    (row,) = (row for row in methods.rows if row.params is type(params))
    caller = Caller(principal, "127.0.0.1", "ws", "ses_1")
    return await row.answer(service, params, Context(caller, 1_800_000_000_000, Limits().history_bytes, make_id))
