"""What can stand at a place in a playbook's file, also while it is no YAML yet. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from sulla.playbooks.events import EVENTS
from sulla.playbooks.expression.filters import FILTERS
from sulla.playbooks.file.check_known import KnownNames
from sulla.playbooks.file.form import KINDS, LOOP_FIELDS, PARTS, PLAYBOOK, RUN_FIELDS, STEP, STEP_FIELDS, TRIGGERS, Key
from sulla.playbooks.file.schema import SHAPES

_KEY: Final = re.compile(r"(?P<indent>\s*)(?P<dash>-\s+)?(?:\{\s*)?(?P<key>[A-Za-z_]+)\s*:")
_LINE: Final = re.compile(r"(?P<indent>\s*)(?P<dash>-\s+)?(?P<rest>.*)")
_VALUE: Final = re.compile(r"(?P<key>[A-Za-z_]+)\s*:\s*(?P<value>(?:[^:{},\[]|\[[^\]]*)*)$")
_ID: Final = re.compile(r"(?:^|[{\s-])id:\s*[\"']?([A-Za-z_]\w*)", re.MULTILINE)
_PATH: Final = re.compile(r"(?P<path>(?:[A-Za-z_]\w*\s*\.\s*)*)(?P<begun>\w*)$")
_PARTS: Final[Mapping[str, tuple[Key, ...]]] = {**PARTS, "on": tuple(key for keys in TRIGGERS.values() for key in keys)}


class Suggestion(NamedTuple):
    """What can stand there."""

    word: str
    kind: str
    """`key`, `value`, `step`, `field` or `filter`."""
    about: str


def complete(text: str, line: int, column: int, known: KnownNames) -> list[Suggestion]:
    """What can stand at a place.

    Args:
        text: the file as it is.
        line: from 1.
        column: from 1: right behind what is typed already.
        known: what names are held against.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return []
    before = lines[line - 1][: column - 1]
    if before.rfind("${{") > before.rfind("}}"):
        return list(_in_expression(text, before[before.rfind("${{") + 3 :], known))
    value = _VALUE.search(before)
    if value is not None:
        return list(_values(text, value["key"], known))
    return list(_keys(lines, line, before, known))


# ---------------------------------------------------------------------------------------------------------- expressions


def _in_expression(text: str, said: str, known: KnownNames) -> Iterator[Suggestion]:
    if re.search(r"\|\s*\w*$", said):
        yield from (Suggestion(name, "filter", one.about) for name, one in FILTERS.items())
        return
    path = _PATH.search(said)
    words = [word.strip() for word in path["path"].split(".") if word.strip()] if path is not None else []
    named: Mapping[str, Callable[[], Iterable[Suggestion]]] = {
        "": lambda: (Suggestion(name, "field", "") for name in ("inputs", "steps", "run", "loop", "secrets")),
        "steps": lambda: (Suggestion(name, "step", "") for name in _ids(text)),
        "inputs": lambda: (Suggestion(name, "field", "") for name in _block(text, "inputs")),
        "run": lambda: _fields(RUN_FIELDS),
        "loop": lambda: _fields(LOOP_FIELDS),
        "secrets": lambda: (Suggestion(name, "field", "") for name in sorted(known.secrets or ())),
    }
    match words:
        case ["steps", _]:
            yield from _fields(STEP_FIELDS)
        case ["steps", step, "output" | "result" as of]:
            yield from _of_output(text, step, of, known)
        case [] | [_] if (one := words[0] if words else "") in named:
            yield from named[one]()


def _fields(known: Mapping[str, str]) -> Iterator[Suggestion]:
    yield from (Suggestion(name, "field", about) for name, about in known.items())


def _of_output(text: str, step: str, of: str, known: KnownNames) -> Iterator[Suggestion]:
    """The fields of a step's schema, of what a `set` makes, or of what a tool gives."""
    found = re.search(
        rf"(?:^|[{{\s-])id:\s*[\"']?{re.escape(step)}\b(.*?)(?=\n\s*-\s+(?:\{{\s*)?id:|\Z)", text, re.DOTALL
    )
    said = found[1] if found is not None else ""
    tool = re.search(r"\btool:\s*(\w+)", said)
    if of == "result":
        gives = (known.tools or {})[tool[1]].gives if tool is not None and tool[1] in (known.tools or {}) else {}
        yield from (Suggestion(name, "field", "") for name in ("text", "truncated", *gives))
        return
    held = re.search(r"\bproperties:\s*(\{.*?\}\s*\}|\n(?:\s+.*\n?)+)", said, re.DOTALL)
    inner = held[1] if held is not None else (re.search(r"\bset:\s*(\{.*\})", said) or [""] * 2)[1]
    yield from (
        Suggestion(name, "field", "") for name in dict.fromkeys(re.findall(r"([A-Za-z_]\w*):\s*(?=\{|\"|'|\$)", inner))
    )


def _ids(text: str) -> list[str]:
    return list(dict.fromkeys(_ID.findall(text)))


def _block(text: str, key: str) -> list[str]:
    """The names below a key at the top."""
    found = re.search(rf"^{key}:[ \t]*(.*)\n?((?:[ \t]+.*\n?)*)", text, re.MULTILINE)
    if found is None:
        return []
    inline = re.findall(r"([A-Za-z_]\w*)\s*:", re.sub(r"\{[^{}]*\}", "", found[1].strip().removeprefix("{")))
    depth = re.match(r"[ \t]+", found[2])
    below = re.findall(rf"^{depth[0]}([A-Za-z_]\w*)\s*:", found[2], re.MULTILINE) if depth is not None else []
    return [*inline, *below]


# ----------------------------------------------------------------------------------------------------------- values


def _values(text: str, key: str, known: KnownNames) -> Iterator[Suggestion]:
    names: Mapping[str, Iterable[str]] = {
        "tool": known.tools or (),
        "tools": known.tools or (),
        "agent": sorted(known.agents or ()),
        "playbook": known.playbooks or (),
        "transfer": known.playbooks or (),
        "webhook": sorted(known.secrets or ()),
        "secrets": sorted(known.secrets or ()),
        "event": EVENTS,
        "on": TRIGGERS,
        "needs": _ids(text),
    }
    if key in names:
        yield from (Suggestion(name, "step" if key == "needs" else "value", "") for name in names[key])
        return
    every = (
        *PLAYBOOK,
        *STEP,
        *(one for keys in (*KINDS.values(), *PARTS.values(), *TRIGGERS.values()) for one in keys),
    )
    takes = next((one.takes for one in every if one.name == key), None)
    if takes is not None:
        shape = SHAPES[takes][1]
        forms = shape.get("anyOf")
        held = [shape, *(forms if isinstance(forms, list) else [])]
        for form in held:
            words = form.get("enum", [form["const"]] if "const" in form else []) if isinstance(form, dict) else []
            yield from (
                Suggestion(str(word), "value", "") for word in (words if isinstance(words, list) else []) if word
            )


# ------------------------------------------------------------------------------------------------------------- keys


def _keys(lines: list[str], line: int, before: str, known: KnownNames) -> Iterator[Suggestion]:
    """Keys of what the place stands in, by how far lines are indented."""
    at = _LINE.match(before)
    dash = at["dash"] if at is not None and at["dash"] else ""
    indent = len(at["indent"]) + len(dash) if at is not None else 0
    if re.search(r"\{[^{}]*$", before):  # a step or a part on one line
        indent = len(before) - len(before.lstrip()) + len(dash) + 1
    parents = list(_parents(lines, line, indent if not dash else len(at["indent"]) if at is not None else 0))
    beside = _beside(lines, line, indent) | set(re.findall(r"([A-Za-z_]+)\s*:", before))
    if not indent:
        yield from _listed(PLAYBOOK, beside)
        return
    parent = parents[0] if parents else ""
    if parent == "with":
        yield from _arguments(lines, line, indent, known)
    elif parent in ("steps", "branches") or (len(parents) > 1 and parents[1] == "branches"):
        kind = next((one for one in KINDS if one in beside), None)
        yield from _listed(STEP, beside)
        if kind is None:
            yield from (Suggestion(name, "key", keys[0].about) for name, keys in KINDS.items())
        else:
            yield from _listed(KINDS[kind], beside)
    elif parent in _PARTS:
        yield from _listed(_PARTS[parent], beside)
    elif len(parents) > 1 and parents[1] == "inputs":
        yield from _listed(PARTS["input"], beside)


def _listed(keys: Iterable[Key], but: set[str]) -> Iterator[Suggestion]:
    yield from (Suggestion(key.name, "key", key.about) for key in keys if key.name not in but)


def _parents(lines: list[str], line: int, indent: int) -> Iterator[str]:
    """The keys that a place stands below, the innermost first."""
    for raw in reversed(lines[: line - 1]):
        found = _KEY.match(raw)
        if found is None:
            continue
        # What stands below a dash is indented as far as what stands behind it.
        own = len(found["indent"]) + len(found["dash"] or "")
        if own < indent:
            yield found["key"]
            indent = len(found["indent"]) if found["dash"] else own


def _beside(lines: list[str], line: int, indent: int) -> set[str]:
    """The keys of the same map."""
    found: set[str] = set()
    for part in (reversed(lines[: line - 1]), lines[line:]):
        for raw in part:
            at = _KEY.match(raw)
            own = len(at["indent"]) + len(at["dash"] or "") if at is not None else len(raw) - len(raw.lstrip())
            if raw.strip() and own < indent:
                break
            if at is not None and own == indent:
                if at["dash"] and part is not None and raw in lines[line:]:
                    break  # the next one of the list
                found.add(at["key"])
                if at["dash"]:
                    break  # the first line of this one
    return found


def _arguments(lines: list[str], line: int, indent: int, known: KnownNames) -> Iterator[Suggestion]:
    """The arguments of the tool, or the inputs of the playbook, that `with` belongs to."""
    for raw in reversed(lines[: line - 1]):
        of = re.search(r"\b(tool|playbook|transfer):\s*[\"']?([\w-]+)", raw)
        if of is None and not re.match(r"\s*-\s", raw):
            continue
        if of is not None and of[1] == "tool" and of[2] in (known.tools or {}):
            schema = (known.tools or {})[of[2]].schema.get("properties")
            for name, said in schema.items() if isinstance(schema, dict) else ():
                about = said.get("description", "") if isinstance(said, dict) else ""
                yield Suggestion(name, "key", str(about))
        elif of is not None:
            inputs = (known.playbooks or {}).get(of[2], {})
            yield from (Suggestion(name, "key", spec.description) for name, spec in inputs.items())
        return
