"""An agent's CommonMark as Matrix shows it: the text itself, and HTML beside it. Pure.

Nothing in it calls anybody: each message says that it mentions nobody, which homeservers and apps heed before words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from sulla.channels.base import Button
from sulla.channels.machine.exact import rows as in_rows

MOST_BYTES: Final = 18_000
"""Of a text. An event holds 65,536 bytes: that, its HTML, buttons, and what the homeservers put around it."""
MOST_HTML_BYTES: Final = 36_000
"""What has more of it is shown without: only what consists of marks, as a table with a thousand columns."""
BUTTONS: Final = "sulla.buttons"
"""Where a message says what its buttons send."""
KEY: Final = "sulla.key"
"""Where a message says by which key it was sent."""
SIGNS: Final = tuple(f"{digit}\ufe0f\u20e3" for digit in range(1, 9))
"""What people react with: digits on keys."""
_FALLBACK_CHARS: Final = 500
_LINK: Final = re.compile(r"https?://[^/\\\s]|mailto:.", re.IGNORECASE)
_CALLS: Final = re.compile(r"matrix(?:[.\u3002\uff0e\uff61]|%2e)to", re.IGNORECASE)


def measured(text: str, *exact: str) -> int:
    """How many bytes a message takes in an event; never falls as it grows."""
    return sum(len(json.dumps(one, ensure_ascii=False).encode("utf-8", "replace")) for one in (text, *exact)) - 2


def content_of(
    text: str, buttons: Sequence[Button] = (), exact: Sequence[str] = (), *, quiet: bool = False
) -> dict[str, Any]:
    """A message's content.

    Args:
        text: CommonMark.
        buttons: what people may choose.
        exact: what stands above the text to the letter.
        quiet: whether it is what programs say, for which nobody is rung up.
    """
    shown, above = _storable(text), [*map(_storable, exact)]
    plain, rich = shown, html_of(shown)
    if above:
        plain = "\n\n".join(filter(None, (*above, shown)))
        below = rich or (f"<p>{_escaped(shown)}</p>" if shown.strip() else "")
        rich = "".join(f"<pre><code>{_escaped(in_rows(one))}\n</code></pre>" for one in above) + below
    if buttons:
        rows = [f"{sign} {_storable(one.label)}" for sign, one in zip(SIGNS, buttons, strict=False)]
        plain = "\n".join([*filter(None, (plain, "")), *rows])
        rich = (rich or _escaped(shown)) + "<p>" + "<br>".join(map(_escaped, rows)) + "</p>"
    if plain.startswith(">"):
        plain = f"\n{plain}"  # apps take a citation at the beginning for somebody else's words, and leave it out
    content: dict[str, Any] = {
        "msgtype": "m.notice" if quiet else "m.text",
        "body": plain,
        "m.mentions": {},
        "com.beeper.linkpreviews": [],  # nobody need fetch what an agent links to
    }
    if rich and measured(rich) <= MOST_HTML_BYTES:
        content |= {"format": "org.matrix.custom.html", "formatted_body": rich}
    if buttons:
        content[BUTTONS] = {
            sign: {"label": one.label, "token": one.token} for sign, one in zip(SIGNS, buttons, strict=False)
        }
    return content


def edit_of(content: dict[str, Any], ref: str) -> dict[str, Any]:
    """A change of a message.

    Args:
        content: what it says now.
        ref: the message.
    """
    return {
        "msgtype": content["msgtype"],
        "body": f"* {content['body'][:_FALLBACK_CHARS]}",
        "m.mentions": {},
        "m.new_content": content,
        "m.relates_to": {"rel_type": "m.replace", "event_id": ref},
    }


def relating(topic: str, reply_to: str) -> dict[str, Any]:
    """Where a message belongs, as a part of its content.

    Args:
        topic: the thread; empty for none.
        reply_to: the message that it answers; empty for none.
    """
    answers = {"m.in_reply_to": {"event_id": reply_to or topic}}
    if topic:
        thread = {"rel_type": "m.thread", "event_id": topic, "is_falling_back": not reply_to}
        return {"m.relates_to": thread | answers}
    return {"m.relates_to": answers} if reply_to else {}


def html_of(text: str) -> str:
    """CommonMark as HTML; empty where the text says the same without.

    Args:
        text: it.
    """
    tokens = _parser().parse(text)
    if all(_is_plain(token) for token in tokens) and len(tokens) <= 3:
        return ""
    return str(_parser().renderer.render(tokens, _parser().options, {})).rstrip("\n")


def _is_plain(token: Token) -> bool:
    if token.type == "inline":
        return all(child.type in ("text", "softbreak") for child in token.children or ()) and "&" not in token.content
    return token.type in ("paragraph_open", "paragraph_close")


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Writer)
    parser.validateLink = _may_be_linked  # type: ignore[method-assign]  # the library's own way to say which
    return parser.enable(["strikethrough", "table"])


class _Writer(RendererHTML):
    """Writes what Matrix's apps know. The library calls what is named after a token."""

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        """A picture elsewhere is a link: nobody's app is to fetch it by itself."""
        token = tokens[idx]
        where = _escaped(str(token.attrGet("src") or ""))
        return f'<a href="{where}">{_escaped(token.content) or "picture"}</a>'


def _may_be_linked(url: str) -> bool:
    # A link there looks like somebody's name, and some apps take it for calling him.
    return _LINK.match(url) is not None and _CALLS.search(url) is None


def _escaped(text: str) -> str:
    out = text
    for char, name in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;")):
        out = out.replace(char, name)
    return out


def _storable(text: str) -> str:
    """Without what homeservers cannot keep."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode()


def file_content(name: str, mime: str, size: int, address: str, caption: str) -> dict[str, Any]:
    """The content of a message that is a file.

    Args:
        name, mime, size: of the file; its size in bytes.
        address: where the homeserver has it.
        caption: what is said with it.
    """
    sort = mime.partition("/")[0]
    told = {"image": "m.image", "audio": "m.audio", "video": "m.video"}.get(sort, "m.file")
    content = content_of(caption) if caption else {"body": name, "m.mentions": {}}
    content |= {
        "msgtype": told,
        "filename": _storable(name),
        "url": address,
        "info": {"mimetype": mime, "size": size},
    }
    if mime in ("audio/ogg", "audio/opus"):
        content |= {"org.matrix.msc3245.voice": {}, "org.matrix.msc1767.audio": {}}
    return content
