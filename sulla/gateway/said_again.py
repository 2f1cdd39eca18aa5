"""How a client names the message that another one says again. Pure."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from sulla.rpc.form import MOST_SEQ, Id, Params


class SaidAgain(Params):
    """A message of a thread."""

    thread_id: Id
    seq: Annotated[int, Field(ge=1, le=MOST_SEQ)]
    """The number of its `INPUT`."""
