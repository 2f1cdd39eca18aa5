"""The conformance kit of channels, of both parts what people see to the letter: by that they decide what is done."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from sulla.agent.approvals.literal import literal
from sulla.channels.base import Said, Sent
from sulla.channels.machine.asking import MOST_PARTS, TOO_LONG
from sulla.core.ids import CallId
from sulla.core.message import ToolCall
from sulla.core.words import ours
from sulla.store.base import Store
from sulla.testing.channels.scene import Scene
from sulla.testing.channels.wire import Seen, Wire
from sulla.testing.clock import ManualClock
from sulla.testing.provider import Say, ScriptedProvider
from sulla.tools.base import Done, Result, Tool, ToolContext
from sulla.tools.define import define

HOSTILE: Final = (
    # links
    "to=bob&amount=5[](&to=eve&amount=99999)", "http://h/[weather](/delete-everything?x=1)", "[x](y)", "[][]",
    "[a][b]", "echo hi '[](';echo${IFS}pwned>EVIL2.txt;:')'", "all:\n\techo hello [](;touch${IFS}EVIL3)",
    "[x](<y z> 'title')", "[x]: http://h 'y'\n\n[x]", "![x](http://h/?q=secret)", "<http://h>", "http://h/a_b_c*d*",
    "www.h.example", "a@b.example", "<https://h|good.example>", "[x](javascript:alert(1))",
    "[x](https://matrix.to/#/@ann:h)", "https://t.me/x?start=y",
    # marks
    "rm *.txt *.md", "**rm** -rf __init__", "_x_ __y__ ***z***", "~~rm~~ ~x~", "`rm` ``x`y``", "a ` b",
    "\\*not\\* \\[x\\] \\`", "&#101;vil &amp; &lt; &quot; &NotEqualTilde; &nbsp;", "||spoiler||", "> cited\n>>> all",
    "# Head\n## head", "-# small print", "- a\n- b\n1. c", "a\n---\nb\n===", "| a | b |\n|---|---|\n| c | d |",
    "    code", "a  \nb\\\nc", "*a **b* c**", "***",
    # what calls somebody, or becomes a picture
    "<@U1> <!channel> <!everyone> <#C1> <!subteam^S1>", "@everyone @here @ann <@&1> <@!1> <#1>",
    "</run:1> <t:0:R> <id:home>", ":smile: :skull_and_crossbones: <:x:1> <a:x:1>", ":-) (c) ... -- \"q\"",
    "#tag $CASH /start@bot @ann:h.example",
    # what ends a block
    "```", "````\nx\n```", "```\nevil\n```", "~~~\nevil\n~~~", "x```y``z`", "`", "``", "\n```\n\n**x**\n\n```\n",
    "```ansi\n\x1b[8mx", "</pre>", "</code></pre><b>x</b>", "</PRE >", "<!-- x -->", "<![CDATA[x]]>",
    "<script>x</script>", "<img src=x onerror=y>", "<style>pre{display:none}</style>", "&lt;/pre&gt;",
    "<details><summary>x</summary>y</details>", "<mx-reply>x</mx-reply>",
    # what nobody sees, or sees elsewhere
    "a\u202egnp.exe\u202c", "\u2066a\u2069\u200f\u061c", "a\u200bb\u200cc\u200dd\u2060e\ufeff", "\x00",
    "a\x00b\x07\x1b[31mc\x7f", "a\rb\r\nc", "a\u2028b\u2029c", "\u00ad\u034f\u115f\u3164\u2800", "e" + "\u0301" * 40,
    "a\ufe0fb\U000e0041\U000e0101", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U00020000\U0001f600 \U0010ffff",
    "\ud800x\udfff", "\u05d0\u05d1 (a) \u05d2", "p\u0430yp\u0430l", "a\u00a0b\u3000c", " " * 300 + "x",
    "x" + "\t" * 40 + "y", "\n" * 60 + "x", "x" * 600, "w " * 300, "",
)  # fmt: skip
"""Arguments of calls, of which each was made to be seen as something else."""


class ExactKit:
    """What every channel shows to the letter, over its wire."""

    async def test_what_is_shown_to_the_letter_is_seen_so(self, wire: Wire) -> None:
        assert len(HOSTILE) >= 60
        place, channel = wire.place(1), wire.channel()
        await channel.open()
        try:
            for number, row in enumerate(HOSTILE):
                args, prose = json.dumps({"body": row}), literal(row)
                said = Said(
                    "*Yes?*" if number % 2 else "", exact=tuple(filter(str.strip, (args, prose))), key=f"k{number}"
                )
                assert channel.measure(said.text, *said.exact) <= channel.manners.most_chars
                assert isinstance(await channel.send(place, said), Sent), repr(row)
                seen = wire.seen(place)[-1]
                assert [_joined(one) for one in seen.exact] == [_joined(_spelled(one, seen)) for one in said.exact], row
                assert json.loads(_joined(seen.exact[0])) == {"body": row}
                if number == 0 and channel.manners.edits:
                    over = Said("", exact=(args, "Refuse: ann"))
                    assert await channel.edit(place, seen.ref, over) == Sent(seen.ref)
                    assert wire.seen(place)[-1].exact == over.exact
        finally:
            await channel.close()


class AskedExactlyKit:
    """What people are asked by a channel, to the letter."""

    async def test_a_call_that_is_asked_about_is_seen_to_the_letter(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        tool = _telling(made)
        bodies = ["\n".join(HOSTILE[at : at + 12]) for at in (0, 12, 24, 36, 48, 60)]
        calls = [Say(calls=(ToolCall(CallId(f"c{at}"), tool.name, {"body": one}),)) for at, one in enumerate(bodies)]
        scene = Scene(
            wire, tmp_path / "ws", store=store, clock=clock, provider=ScriptedProvider([*calls, "Done."]), tools=(tool,)
        )
        place, ann, seen = wire.place(1), wire.person(1), 0
        async with scene:
            await scene.pair(1, "ann")
            await wire.say(place, ann, "do it", forwarded=True)
            for body in bodies:
                await scene.until(lambda: _open(scene), "a question")
                asked = [one for one in wire.seen(place)[seen:] if one.exact]
                shown = _joined("".join(_joined(one.exact[0]) for one in asked))
                seen = len(wire.seen(place))
                prompt = f'May {tool.name} be called with {{"body": '
                assert shown.startswith(prompt)
                args, _ = json.JSONDecoder().raw_decode(shown, len(prompt) - len('{"body": '))
                assert args == {"body": body}
                await _answer(scene, asked[-1])
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            assert made == bodies

    async def test_a_long_call_is_seen_whole_before_it_can_be_allowed(
        self, wire: Wire, clock: ManualClock, store: Store, tmp_path: Path
    ) -> None:
        made: list[str] = []
        tool = _telling(made)
        bodies = ["".join(f"{number} " for number in range(size)) for size in (1_200, 6_000)]
        calls = [Say(calls=(ToolCall(CallId(f"c{at}"), tool.name, {"body": one}),)) for at, one in enumerate(bodies)]
        provider = ScriptedProvider([*calls, "Done."])
        scene = Scene(wire, tmp_path / "ws", store=store, clock=clock, provider=provider, tools=(tool,))
        place, ann, seen = wire.place(1), wire.person(1), 0
        async with scene:
            await scene.pair(1, "ann")
            await wire.say(place, ann, "do it", forwarded=True)
            for body, labels in zip(bodies, (["Allow", "Refuse", "Always allow"], ["Refuse"]), strict=True):
                await scene.until(lambda: _open(scene), "a question")
                asked = [one for one in wire.seen(place)[seen:] if one.exact]
                seen = len(wire.seen(place))
                assert len(asked) <= MOST_PARTS
                shown = "".join(_joined(one.exact[0]) for one in asked)
                assert (json.dumps({"body": body}) in shown) is (len(labels) > 1)
                assert (TOO_LONG[:30] in asked[-1].text) is (len(labels) == 1)
                assert scene.line.held is not None
                (question,) = scene.line.held.book.questions.values()
                assert [one.label for one in question.choices] == labels
                assert {*asked[-1].buttons} <= {*labels}
                await _answer(scene, asked[-1])
            await scene.until(lambda: "Done." in scene.texts(1), "the answer")
            assert made == bodies[:1]


def _open(scene: Scene) -> bool:
    held = scene.line.held
    return held is not None and any(one.ref for one in held.book.questions.values())


async def _answer(scene: Scene, asked: Seen) -> None:
    assert scene.line.held is not None
    (question,) = scene.line.held.book.questions.values()
    place, ann, token = scene.wire.place(1), scene.wire.person(1), question.choices[0].token
    if not await scene.wire.press(place, ann, asked.ref, token):
        await scene.wire.say(place, ann, f"/pick {token}")
    await scene.until(lambda: not _open(scene), "it is answered")


def _joined(text: str) -> str:
    """A block as one line: where apps do not break lines the channel does, and JSON has no end of a line."""
    return text.replace("\n", "")


def _spelled(text: str, seen: Seen) -> str:
    """As it is seen where a run of backquotes would end the block."""
    if any("\\u0060" in one for one in seen.exact):
        return re.sub("`{3,}", lambda found: "\\u0060" * len(found[0]), text)
    return text


def _telling(made: list[str]) -> Tool:
    """A tool that a person is asked about in a conversation that holds words from outside."""

    async def tell_the_world(context: ToolContext, body: str) -> Result:
        """Tell the world.

        Args:
            body: what.
        """
        made.append(body)
        return Done(ours("told"))

    return define(tell_the_world, effect="once", category="test", timeout_s=10.0)
