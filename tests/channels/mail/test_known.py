"""What a channel keeps of the last mails has a bound, and falls back to what is known of their place."""

from __future__ import annotations

from sulla.channels.base import Place
from sulla.channels.mail.known import KnownMails


def test_the_oldest_are_forgotten() -> None:
    known = KnownMails()
    for number in range(1_001):
        known.note(Place(f"{number}@x.example", "<1@x>", name=f"subject {number}"), f"<{number}@x>")
    asked = Place("0@x.example", "<1@x>", name="newest")
    assert (known.last(asked), known.subject("<0@x>", asked)) == ("", "newest")
    assert known.subject("<1@x>", asked) == "subject 1"
    assert known.last(Place("1000@x.example", "<1@x>")) == "<1000@x>"
