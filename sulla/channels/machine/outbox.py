"""Decides what goes out at each place and when, one after the other, and what becomes of what may have arrived. Pure.

Whoever drives it keeps the book after each call that changes it, and before he does what it said: so a kill at any
moment leaves a book that says what may have been sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from sulla.agent.approvals.literal import literal
from sulla.channels.base import Button, Manners, NotSent, Outcome, Sent, Unknown
from sulla.channels.machine.book import Book
from sulla.channels.machine.cutting import Room, beginning, cut_up, letters
from sulla.channels.machine.exact import apart
from sulla.channels.machine.legible import in_a_line
from sulla.channels.machine.quoting import broken_off
from sulla.channels.machine.values import (
    MOST_ITEMS,
    MOST_ITEMS_EACH,
    Asks,
    GivenUp,
    Item,
    Preview,
    Question,
    Shown,
)
from sulla.core.cut import cut
from sulla.core.ids import derived_id

BACKOFF_S: Final = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0)
"""How long is waited after each failed attempt in a row, in seconds; then always the last. What an answer waits for is
given up only when the service says that it is of no use."""
MOST_LOOKS: Final = 8
"""How often a service is asked for a message before it is sent again without knowing."""
MOST_CALLED_CHARS: Final = 60
"""Of a place's name that is kept with a message that was given up."""
_NEW: Final = frozenset({"text", "final", "file"})
"""Kinds of items that are a message of their own: one that is sent twice is there twice."""
DOUBTFUL: Final = "*(This may have been sent before.)*\n\n"
"""What stands before a message of which nobody can find out whether it arrived."""
DOUBTFUL_BEGINNING: Final = "*(This may have been sent before; what stands above may be its beginning.)*\n\n"
"""The same before one of which a preview may have arrived."""

PART: Final = "*(Part {} of {}.)*"
"""What stands below each message of what is said to the letter and too long for one."""


class Outbox:
    """What waits to be sent by one channel. It lives as long as its book is open.

    Args:
        book: is changed in place.
        manners: the service's.
        measure: see `Channel.measure`.
    """

    def __init__(self, book: Book, manners: Manners, measure: Room = letters) -> None:
        self._book = book
        self._manners = manners
        self._measure = measure

    # -------------------------------------------------------------------------------------------------- what happens

    def opened(self) -> None:
        """It is taken up: nobody knows what became of what was being sent."""
        for item in list(self._book.items.values()):
            if item.status == "sending":
                self._put(replace(item, status="unknown", due_ms=0))
        for key, preview in list(self._book.previews.items()):
            if preview.status == "sending":
                self._book.previews[key] = replace(preview, status="unknown")

    @property
    def full(self) -> bool:
        """Whether nothing more is to be planned for now, but short words of the daemon's own."""
        waiting = Counter(item.place for item in self._book.items.values())
        return sum(min(each, MOST_ITEMS_EACH) for each in waiting.values()) >= MOST_ITEMS

    def waits_at(self, place: str) -> bool:
        """Whether anything waits to be sent at a place."""
        return any(item.place == place for item in self._book.items.values())

    def say(self, place: str, text: str, key: str, *, reply_to: str = "", exact: Sequence[str] = ()) -> None:
        """Plan a message, cut where it is too long; what was planned under its key before stays as it is. Where much
        waits, and the same words among it, nothing is planned.

        Args:
            place: where.
            text: CommonMark.
            key: the same for the same message.
            reply_to: what it answers.
            exact: what somebody else has chosen, which stands above it to the letter; as `literal` made it.
        """
        if any(exact):
            self._say_exactly(key, place, Shown(tuple(exact), text), Asks(), reply_to)
            return
        parts = self._parts(text)
        here = [item.text for item in self._book.items.values() if item.place == place]
        if len(here) >= MOST_ITEMS_EACH and set(parts) <= set(here):
            return
        for number, part in enumerate(parts):
            reply = reply_to if number == 0 else ""
            self._add(Item(derived_id("out", key, str(number)), place, part, reply_to=reply))

    def send_file(self, place: str, path: str, caption: str, key: str) -> None:
        """Plan a file.

        Args:
            place: where.
            path: below the workspace.
            caption: what is said with it.
            key: the same for the same file.
        """
        self._add(Item(derived_id("out", key, "file"), place, caption, "file", ref=path))

    def answer(self, place: str, message_id: str, text: str, reply_to: str = "") -> None:
        """Plan an answer that was shown while it was written, or was not: its first part takes the preview's place.

        Args:
            place: where.
            message_id: the reply's.
            text: all of it.
            reply_to: what it answers, where that is said.
        """
        preview = self._book.previews.pop(place, None)
        parts = self._parts(text)
        if preview is not None and preview.ref and parts:
            self._add(Item(derived_id("out", message_id, "0"), place, parts[0], "edit", ref=preview.ref))
            parts, first = parts[1:], 1
        else:
            first = 0
            if preview is not None and parts:
                self._take_up(preview, place, parts[0])
                parts, first = parts[1:], 1
            elif preview is not None and preview.ref:
                self._withdraw(preview)
        for number, part in enumerate(parts, first):
            self._add(Item(derived_id("out", message_id, str(number)), place, part, reply_to=reply_to))

    def parts(self, shown: Shown) -> int:
        """How many messages a question takes."""
        return len(self._exact_parts(shown))

    def ask(self, question: Question, shown: Shown) -> None:
        """Plan a question: all of it, in as many messages as it takes; the last has the buttons."""
        buttons = tuple(_button(choice.token, choice.label, self._manners.button_chars) for choice in question.choices)
        asks = Asks(question.id, buttons if self._manners.most_buttons else ())
        self._say_exactly(question.id, question.place, shown, asks)

    def ask_no_more(self, question: Question, how: str) -> None:
        """A question is no longer open: where its message can be changed, it says so, and has no buttons any more. One
        that may have arrived, nobody knows under which number, is looked for as an answer is of which that holds.

        Args:
            question: it.
            how: it was answered.
        """
        over = Asks(exact=(self._exact_parts(Shown((literal(question.prompt), literal(how)))) or [("?",)])[-1])
        asked = next((item for item in self._book.items.values() if item.asks.question == question.id), None)
        if asked is not None:
            tried = asked.doubtful or (asked.tries and self._manners.takes_key)  # under a key nothing is doubtful
            if (asked.status == "planned" and not tried) or not self._manners.edits:
                del self._book.items[asked.id]  # nobody has seen it, or it stays as it was asked
            else:
                self._put(replace(asked, kind="final", text="", asks=over))
        elif question.ref and self._manners.edits:
            id_ = derived_id("out", question.id, "over")
            self._add(Item(id_, question.place, "", "edit", over, ref=question.ref))

    def ask_others(self, question: Question, shown: Shown) -> None:
        """A question is still open, and nobody may answer it any more where it is asked: it has no buttons there."""
        exact = (self._exact_parts(shown) or [("?",)])[-1]
        asked = next((item for item in self._book.items.values() if item.asks.question == question.id), None)
        if asked is not None:
            self._put(replace(asked, text=shown.text, asks=Asks(question.id, exact=exact)))
        elif question.ref and self._manners.edits:
            id_ = derived_id("out", question.id, "others")
            self._add(Item(id_, question.place, shown.text, "edit", Asks(exact=exact), ref=question.ref))

    def show(self, place: str, message_id: str, text: str) -> Preview:
        """A preview is about to be sent."""
        preview = Preview(derived_id("out", message_id, "0"), place, message_id, text=text)
        self._book.previews[place] = preview
        return preview

    def shown(self, place: str, outcome: Outcome) -> None:
        """What came of sending a preview."""
        if (preview := self._book.previews.get(place)) is None:
            return
        match outcome:
            case Sent(ref):
                self._book.previews[place] = replace(preview, ref=ref, status="shown")
            case NotSent():
                del self._book.previews[place]
            case Unknown():
                self._book.previews[place] = replace(preview, status="unknown")

    def goes_on(self, place: str, message_id: str, text: str) -> None:
        """A preview is about to show more, or another reply in the place of one that is void."""
        if (preview := self._book.previews.get(place)) is not None and preview.ref:
            self._book.previews[place] = replace(preview, message_id=message_id, text=text)

    def drop_preview(self, place: str) -> None:
        """What a preview showed came to nothing."""
        if (preview := self._book.previews.pop(place, None)) is not None and preview.ref:
            self._withdraw(preview)

    def break_off(self, place: str, begins: str = "") -> None:
        """What a preview shows will not be written to its end: it stays where it is, and says so.

        Args:
            place: where.
            begins: the beginning of the message that it answers (`quoting.begins`).
        """
        preview = self._book.previews.pop(place, None)
        if preview is None or not preview.text:
            return
        mark = f"\n\n{broken_off(begins)}"
        most = self._manners.most_chars - self._measure(mark) - self._room()
        text = beginning(preview.text, most, self._measure) + mark
        if preview.ref:
            self._add(Item(derived_id("out", preview.id, "broken"), place, text, "edit", ref=preview.ref))
        elif self._manners.tells_sent or self._manners.takes_key:
            self._take_up(preview, place, text)

    # ------------------------------------------------------------------------------------------------------- sending

    def heads(self) -> Iterator[Item]:
        """The next item of each place, in the order in which they were planned."""
        places: set[str] = set()
        for item in self._book.items.values():
            if item.place not in places:
                places.add(item.place)
                yield item

    def head(self, place: str) -> Item | None:
        """The next item of a place."""
        return next((item for item in self._book.items.values() if item.place == place), None)

    def looks_up(self, item: Item) -> bool:
        """Whether the service is asked for an item before it is sent."""
        if item.status != "unknown" or item.kind not in _NEW or item.tries > MOST_LOOKS:
            return False
        return self._manners.tells_sent

    def found(self, item: Item, outcome: Outcome, now_ms: int) -> None:
        """What the service said of one that may have arrived.

        Args:
            item: it.
            outcome: `Unknown` where it could not tell, or did not answer.
            now_ms: UTC milliseconds.
        """
        item = self._book.items.get(item.id, item)  # a question may have become one that is no longer open
        match outcome:
            case Sent(ref) if item.kind == "final":
                self._put(replace(item, kind="edit", ref=ref, status="planned", tries=0, due_ms=now_ms))
            case Sent():
                self.ended(item, outcome, now_ms)
            case NotSent():
                self._put(replace(item, status="planned", due_ms=now_ms))
            case Unknown():
                self._put(replace(item, tries=item.tries + 1, due_ms=now_ms + self._wait_ms(item, None)))

    def begin(self, item: Item) -> Item:
        """An attempt is about to be made; what is then sent."""
        again = item.status == "unknown" and item.kind in _NEW and not self._manners.takes_key
        begun = replace(item, status="sending", doubtful=item.doubtful or again)
        self._put(begun)
        return begun

    def ended(self, item: Item, outcome: Outcome, now_ms: int) -> None:
        """What came of an attempt.

        Args:
            item: as `begin` gave it.
            outcome: see there.
            now_ms: UTC milliseconds.
        """
        was, item = item, self._book.items.get(item.id, item)
        match outcome:
            case Sent(ref) if item.kind == "final" and (self._manners.takes_key or was.kind != "final"):
                # Under this key the service may have what the preview showed; or it has a question that was open yet.
                self._put(replace(item, kind="edit", ref=ref, status="planned", tries=0, due_ms=now_ms))
            case Sent(ref):
                self._book.items.pop(item.id, None)
                if (question := self._book.questions.get(item.asks.question)) is not None:
                    self._book.questions[question.id] = replace(question, ref=ref)
            case NotSent(final=True):
                self._book.items.pop(item.id, None)
                if item.kind in _NEW:
                    self._give_up(item, outcome.why, now_ms)
                self._in_its_place(item)
            case NotSent(retry_after_s=retry_after_s):
                due_ms = now_ms + self._wait_ms(item, retry_after_s)
                # Before it may have arrived, and nobody knows: that stays so.
                self._put(replace(item, status="planned", tries=item.tries + 1, due_ms=due_ms))
            case Unknown():
                due_ms = now_ms + self._wait_ms(item, None)
                self._put(replace(item, status="unknown", tries=item.tries + 1, due_ms=due_ms))

    def text_of(self, item: Item) -> str:
        """What of an item is sent."""
        if not item.doubtful:
            return item.text
        answers = item.kind == "final" and not item.asks.exact
        marked = (DOUBTFUL_BEGINNING if answers else DOUBTFUL) + item.text
        return marked if self._measure(marked, *item.asks.exact) <= self._manners.most_chars else item.text

    # ------------------------------------------------------------------------------------------------------- private

    def _parts(self, text: str) -> Sequence[str]:
        return cut_up(text, max(64, self._manners.most_chars - self._room()), self._measure)

    def _room(self) -> int:
        """What is left for the mark of a doubtful message."""
        return max(map(self._measure, (DOUBTFUL, DOUBTFUL_BEGINNING)))

    def _exact_parts(self, shown: Shown) -> list[tuple[str, ...]]:
        below = DOUBTFUL + PART.format(99, 99) + "\n\n" + shown.text
        return apart(shown.exact, below, self._manners.most_chars, self._measure)

    def _say_exactly(self, key: str, place: str, shown: Shown, asks: Asks, reply_to: str = "") -> None:
        """Plan what it takes to say something to the letter; the last message has what is asked, and the words."""
        parts = self._exact_parts(shown) or [("?",)]
        for number, blocks in enumerate(parts, 1):
            last, text = number == len(parts), PART.format(number, len(parts)) if len(parts) > 1 else ""
            said = "\n\n".join(filter(None, (text, shown.text))) if last else text
            asked = replace(asks if last else Asks(), exact=blocks)
            reply = reply_to if number == 1 else ""
            self._add(Item(derived_id("out", key, str(number - 1)), place, said, asks=asked, reply_to=reply))

    def _add(self, item: Item) -> None:
        self._book.items.setdefault(item.id, item)

    def _put(self, item: Item) -> None:
        if item.id in self._book.items:
            self._book.items[item.id] = item

    def _take_up(self, preview: Preview, place: str, text: str) -> None:
        """The preview may have arrived, and nobody knows under which number: it is looked for before it is sent."""
        self._add(Item(preview.id, place, text, "final", status="unknown"))

    def _withdraw(self, preview: Preview) -> None:
        if self._manners.deletes:
            self._add(Item(derived_id("out", preview.id, "gone"), preview.place, kind="delete", ref=preview.ref))
        else:
            self._add(Item(derived_id("out", preview.id, "gone"), preview.place, "…", "edit", ref=preview.ref))

    def lose(self, at: str, why: str, now_ms: int) -> None:
        """Something that came in is given up.

        Args:
            at: the service's id of where it came.
            why: what it was, and why; for people.
            now_ms: UTC milliseconds.
        """
        self._book.given_up = GivenUp(self._book.given_up.count + 1, now_ms, at, "", why)

    def _give_up(self, item: Item, why: str, now_ms: int) -> None:
        talk = self._book.talks.get(item.place)
        id_, called = (talk.place.id, talk.place.name) if talk is not None else (item.place.partition("\n")[0], "")
        count = self._book.given_up.count + 1
        self._book.given_up = GivenUp(count, now_ms, id_, in_a_line(called, MOST_CALLED_CHARS), why)

    def _in_its_place(self, item: Item) -> None:
        """A message that cannot be edited any more is said anew: what it was to say is not lost with it."""
        if item.kind == "edit" and not item.asks.question and item.text != "…":
            again = Item(derived_id("out", item.id, "anew"), item.place, item.text, asks=item.asks)
            # Before what comes behind it there.
            behind = [one for one in self._book.items.values() if one.place == item.place and one.id != again.id]
            for one in (again, *behind):
                self._book.items.pop(one.id, None)
                self._book.items[one.id] = one

    def _wait_ms(self, item: Item, retry_after_s: float | None) -> int:
        wait_s = BACKOFF_S[min(item.tries, len(BACKOFF_S) - 1)] if retry_after_s is None else retry_after_s
        return round(wait_s * 1_000)


def _button(token: str, label: str, chars: int) -> Button:
    return Button(token, cut(label, chars))
