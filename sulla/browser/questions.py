"""What a person is asked before the browser acts: what is clicked or filled in, where, and whom it goes to. Pure."""

from __future__ import annotations

from typing import Final

from sulla.browser.snapshot import PageElement

MAX_CHARS: Final = 1_000
"""Of any one part of a question."""


def click_question(element: PageElement) -> str:
    """What is asked before a click.

    Args:
        element: what is clicked.
    """
    return f"click the {_named(element)}{_leads(element)}? A script of the page may do more than that"


def type_question(element: PageElement, *, submit: bool) -> str:
    """What is asked before something is typed; the text stands beside it, among the call's arguments, but a
    password's length alone.

    Args:
        element: the field.
        submit: whether the form is sent behind it.
    """
    sends = f" and send its form{_leads(element)}" if submit else ""
    return f"type the text of this call into the {_named(element)}{sends}? The page can read it as it is typed"


def go_question(url: str) -> str:
    """What is asked before an address is opened where something was typed before: the site may take it for the person.

    Args:
        url: the address.
    """
    return f"open {url[:MAX_CHARS]} in the browser in which something was typed before, so that a site may know it?"


def _named(element: PageElement) -> str:
    kind = {"choice": "choice", "password": "password field"}.get(element.kind, element.kind)
    return f"{kind} {element.of('name')!r} of the page {element.site[:MAX_CHARS]}"


def _leads(element: PageElement) -> str:
    if address := element.of("address"):
        return f", which leads to {address}"
    if not (action := element.of("action")):
        return ""
    holds = element.of("holds")
    said = f", whose form goes to {action} ({element.of('method') or 'get'})"
    return f"{said} with {holds[:MAX_CHARS]}" if holds else said
