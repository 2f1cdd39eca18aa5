"""A message as it is sent: its news, and what is to be said of them. Pure."""

from __future__ import annotations

from typing import Final

from sulla.notify.values import ChannelState, Message

OUTSIDE: Final = "this may hold words from outside: nobody has checked them"
DOUBTFUL: Final = "this may have been sent before: it is not known how that ended"
MORE: Final = "and {} more of the same; `sulla notices` lists them"
LEFT_OUT: Final = "{} earlier ones could not be sent; `sulla notices` lists them"


def composed(message: Message, state: ChannelState) -> tuple[str, str]:
    """The title and the text of a message.

    Args:
        message: what.
        state: of its channel.
    """
    remarks = []
    if message.more:
        remarks.append(MORE.format(message.more))
    if message.outside:
        remarks.append(OUTSIDE)
    if message.doubtful:
        remarks.append(DOUBTFUL)
    if state.left_out:
        remarks.append(LEFT_OUT.format(state.left_out))
    return message.title, "\n\n".join((*(text for _, text in message.news), *(f"({remark})" for remark in remarks)))
