"""What the fake model says in the tests of conversations: Markdown, reasoning, tools, questions and sub-agents."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page

from tests.console.pages.opened import Desk, Window
from tests.daemon.clients.asking import ANSWER, NOTE
from tests.daemon.running import Place, Service
from tests.servers.script import Failure, Reply, Rule, Script, ToolUse
from tests.soon import until

DONE = "<AGENT_DONE/>"
RICH = """# Rome by train

The last one leaves at **19:04** and arrives at `22:41`. See [the timetable](https://timetable.example/rome).

| train | leaves | arrives |
| --- | --- | --- |
| IC 742 | 17:10 | 20:55 |
| IC 746 | 19:04 | 22:41 |

1. Book a seat.
2. Bring the ticket.

```python
def leave(at: str) -> str:
    return f"go at {at}"
```

> The restaurant car is closed on Fridays.
"""
LONG = " ".join(f"word{number}" for number in range(600))
_WRITE = ToolUse("bash", {"command": f"echo written >> {NOTE}", "timeout_s": 30})
_SEND = ToolUse("spawn_sub_agent", {"task": "(look) into the kitchen"})


def script() -> Script:
    """It knows what to do by a word in brackets."""
    return Script(
        [
            Rule(
                Reply(RICH + DONE, thinking="Two trains are left on Friday; the later one fits.", pieces=20),
                text="(rich)",
            ),
            Rule(Reply("Let me look.", tools=(ToolUse("list_dir", {"path": "."}),)), text="(look)", results=0),
            Rule(Reply(f"It is empty.{DONE}"), text="(look)", results=1),
            Rule(Reply(tools=(_WRITE,)), text="(write)", results=0),
            Rule(Reply(f"That is that.{DONE}"), text="(write)", results=1),
            Rule(
                Reply(tools=(ToolUse("spawn_sub_agent", {"task": "(look) into the kitchen"}),)),
                text="(send)",
                results=0,
            ),
            Rule(Reply(f"The kitchen is empty.{DONE}"), text="(send)"),
            Rule(Reply(ANSWER + DONE, pieces=8, hold="gate", hold_after=4), text="(slow)"),
            Rule(Reply(ANSWER + DONE, pieces=8, hold="second gate", hold_after=4), text="(held)"),
            Rule(Failure(401, message="this key is not known"), text="(fail)"),
            Rule(Reply(LONG + DONE, pieces=500, delay_s=0.02), text="(stream)"),
            Rule(Reply(f"Yes.{DONE}")),
        ]
    )


def talking_place(folder: Path, model: Service) -> Place:
    """Its home: it asks before each command, and a turn hears nothing of others, whose words would choose the reply."""
    return Place(
        folder / "home",
        **model.environ,
        SULLA_SHELL__SANDBOX="false",
        SULLA_LIMITS__MESSAGE_INTERVAL_MS="0",
        SULLA_MEMORY__ENABLED="false",
    )


GREET = """\
name: greet
description: Greets somebody after a question.
inputs:
  who: {type: string, required: true, description: Whom}
steps:
  - id: ask
    human: Shall it greet ${{ inputs.who }}?
    choices: [yes do, not now]
  - id: say
    set: {text: "Hello ${{ inputs.who }}"}
"""
TOUR = """\
name: tour
steps:
  - id: begin
    set: {greeting: Hello}
"""
GARDEN = "# Garden\n\n## Tasks\n\n- [ ] Dig the beds\n- [ ] Buy seeds\n"


def living_place(folder: Path, model: Service) -> Place:
    """A home with two playbooks and a project, which remembers."""
    place = talking_place(folder, model)
    place.environ["SULLA_MEMORY__ENABLED"] = "true"
    for name, text in {
        "workflows/greet.yaml": GREET,
        "workflows/tour.yaml": TOUR,
        "projects/garden/PROJECT.md": GARDEN,
    }.items():
        (place.home / name).parent.mkdir(parents=True, exist_ok=True)
        (place.home / name).write_text(text)
    return place


def talk(desk: Desk, words: str, wait: bool = True) -> str:
    """Say something beside the page, in a conversation of its own.

    Args:
        desk: whose daemon.
        words: what is said.
        wait: return when the turn is over.

    Returns:
        the conversation.
    """
    thread_id: str = desk.call("thread.create")["thread_id"]
    desk.call("turn.send", thread_id=thread_id, message_id="m-1", text=words)

    def over() -> bool:
        events = desk.call("thread.history", thread_id=thread_id)["events"]
        return any(one["type"] in ("RUN_FINISHED", "RUN_ERROR") for one in events)

    if wait:
        until(over, f"the end of the turn {words!r}")
    return thread_id


def begin(window: Window) -> Page:
    """A new conversation, by keyboard alone."""
    page = window.go("chat")
    page.get_by_role("button", name="New").press("Enter")
    page.get_by_role("dialog").get_by_role("button", name="Begin").press("Enter")
    page.get_by_role("textbox", name="Message").wait_for()
    return page


def say(page: Page, words: str) -> None:
    """Write a message and send it."""
    field = page.get_by_role("textbox", name="Message")
    field.fill(words)
    field.press("Enter")


class Keys:
    """A person without a mouse. The focus must never be on nothing.

    Args:
        page: the page.
    """

    MOST = 120
    """So many stops no view has before what is looked for."""

    SOON_MS = 1_000

    def __init__(self, page: Page) -> None:
        self._page = page

    def press(self, key: str) -> None:
        """Press a key, and look where the focus is when what it did is drawn."""
        self._page.keyboard.press(key)
        self.kept()

    def to(self, name: str, key: str = "") -> None:
        """Go on with Tab to what is called so, and press a key there."""
        self._go("Tab", name, key)

    def back_to(self, name: str, key: str = "") -> None:
        """Go back to it."""
        self._go("Shift+Tab", name, key)

    def kept(self) -> None:
        """Fail if the focus is lost: whoever has no mouse would begin at the top. It may move for some pictures."""
        drawn = "() => new Promise((done) => setTimeout(() => requestAnimationFrame(() => setTimeout(done)), 50))"
        self._page.evaluate(drawn)
        self._page.wait_for_function(
            "() => ![null, document.body].includes(document.activeElement)", timeout=self.SOON_MS
        )

    def _go(self, step: str, name: str, key: str) -> None:
        passed: list[str] = []
        for _ in range(self.MOST):
            self._page.keyboard.press(step)
            at = self._at() or []
            if name in at:
                break
            passed.append(" ".join(at))
        else:
            raise AssertionError(f"nothing called {name!r} is reached; passed: {passed}")
        if key:
            self.press(key)

    def _at(self) -> list[str] | None:
        """What has the focus: the lines of its label, else of its text; None for the body."""
        found: list[str] | None = self._page.evaluate(
            """() => {
              const at = document.activeElement;
              if (at === null || at === document.body) return null;
              const said = at.getAttribute("aria-label") ?? at.labels?.[0]?.innerText ?? at.innerText ?? "";
              return said.split("\\n").map((line) => line.trim());
            }"""
        )
        return found


_REST = """() => new Promise((done) => {
  const began = performance.now();
  const look = () => {
    const waits = document.querySelector("[data-answering='waits']") !== null;
    if (waits || performance.now() - began < 800) requestAnimationFrame(look);
    else done();
  };
  look();
})"""
"""By the page's own clock, which a busy machine holds up: until no question waits for rest, and what is selected has
been for longer than `SELECTED_MS` of console/src/asked/guard.ts."""


def rest(page: Page) -> None:
    """Look as long as a person does: what has just come or moved, by scrolling too, takes no answer."""
    page.evaluate(_REST)
