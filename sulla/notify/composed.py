"""A message as it is sent: its news, and what is to be said of them. Pure."""

from __future__ import annotations

from typing import Final
from zoneinfo import ZoneInfo

from sulla.notify.values import HELD_MS, ChannelState, Message
from sulla.schedules.hours import local_time

OUTSIDE: Final = "this may hold words from outside: nobody has checked them"
DOUBTFUL: Final = "this may have been sent before: it is not known how that ended"
MORE: Final = "and {} more of the same; `sulla notices` lists them"
LEFT_OUT: Final = "{} earlier ones could not be sent; `sulla notices` lists them"

HELD: Final = "this happened on {:%Y-%m-%d at %H:%M}, {}"


def composed(message: Message, state: ChannelState, now_ms: int, zone: ZoneInfo) -> tuple[str, str]:
    """The title and the text of a message.

    Args:
        message: what.
        state: of its channel.
        now_ms: UTC milliseconds; news that were held back until now say when they happened.
        zone: by whose clock they say it.
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
    news = (_said(text, at_ms, now_ms, zone) for _, text, at_ms in message.news)
    return message.title, "\n\n".join((*news, *(f"({remark})" for remark in remarks)))


def _said(text: str, at_ms: int, now_ms: int, zone: ZoneInfo) -> str:
    if not at_ms or now_ms - at_ms <= HELD_MS:
        return text
    return f"{text}\n({HELD.format(local_time(at_ms, zone), zone.key)})"
