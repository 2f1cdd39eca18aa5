"""Reads a procedure from its file, and says all that is wrong with it, each with its place. Pure.

A name that nothing has is refused: what is skipped in silence would be missed by nobody.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final

from sulla.agent.input.said import read_said
from sulla.definitions.file_fault import FileFault
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, read_nodes
from sulla.procedures import definition as d
from sulla.tools.nearest import did_you_mean

MOST_BYTES: Final = 64 * 1024
_MOST_TOLD: Final = 20
_MOST_SHOWN: Final = 64
_DEEP: Final = 6
"""Levels of YAML: a procedure, its steps, a step, when it is done, and the phrases for that are five."""
_DONE: Final = "expected `model`, `{phrases: […]}` or `{items: …, count: …}`"


def read_procedure(text: str) -> d.Procedure | tuple[FileFault, ...]:
    """The procedure that a text holds, or all that is wrong with it, in the order of the text.

    Args:
        text: YAML or JSON.
    """
    found = read_nodes(text, most_bytes=MOST_BYTES, most_deep=_DEEP)
    if isinstance(found, YamlFault):
        return (FileFault("the file", found.line, found.column, found.message),)
    reader = _Reader()
    procedure = reader.procedure(found)
    faults = sorted(reader.faults, key=lambda fault: (fault.line, fault.column))[:_MOST_TOLD]
    return tuple(faults) if faults or procedure is None else procedure


class _Reader:
    """Reads one text and collects what is wrong with it."""

    def __init__(self) -> None:
        self.faults: list[FileFault] = []

    def procedure(self, node: YamlNode | None) -> d.Procedure | None:
        """The procedure at the top of a text; None where something is wrong."""
        if not isinstance(node, YamlMap):
            at = (node.place.line, node.place.column) if node is not None else (1, 1)
            self.faults.append(FileFault("the procedure", *at, f"expected {_listed(_required('procedure'))}"))
            return None
        given = self._filled(node, "", "procedure")
        return None if given is None else d.Procedure(**given)

    def _filled(self, node: YamlMap, path: str, of: str) -> dict[str, Any] | None:
        """What stands behind the keys of a map; None where something is wrong."""
        keys = {key.name: key for key in d.KEYS[of]}
        before = len(self.faults)
        values = self._keys(node, path or f"the {of}", keys, _required(of))
        inner = f"{path}." if path else ""
        given = {name: self._value(value, f"{inner}{name}", keys[name].takes) for name, value in values.items()}
        return given if len(self.faults) == before else None

    def _value(self, node: YamlNode, path: str, takes: d.Takes) -> object:
        match takes:
            case "name":
                return self._name(node, path)
            case "line":
                return self._text(node, path, d.LINE_CHARS)
            case "text":
                return self._text(node, path, d.TEXT_CHARS)
            case "phrases":
                return self._phrases(node, path)
            case "steps":
                return self._steps(node, path)
            case "done":
                return self._done(node, path)
            case "flag":
                return self._flag(node, path)

    def _steps(self, node: YamlNode, path: str) -> tuple[d.ProcedureStep, ...]:
        if not isinstance(node, YamlList) or not node.items:
            self._wrong(node, path, "expected a list of one step or more")
            return ()
        if len(node.items) > d.MOST_STEPS:
            self._wrong(node, path, f"{len(node.items)} steps; {d.MOST_STEPS} are allowed")
            return ()
        found: dict[str, d.ProcedureStep] = {}
        for at, item in enumerate(node.items):
            place = f"{path}[{at}]"
            if not isinstance(item, YamlMap):
                self._wrong(item, place, f"expected a step with {_listed(_required('step'))}")
                continue
            given = self._filled(item, place, "step")
            if given is None:
                continue
            step = d.ProcedureStep(**given)
            if step.id in found:
                named = next(value for key, value in item.items if key.text == "id")
                self._wrong(named, f"{place}.id", f"there is another step {step.id!r}; each has a name of its own")
            found[step.id] = step
        return tuple(found.values())

    def _done(self, node: YamlNode, path: str) -> d.DoneWhen | None:
        if isinstance(node, YamlScalar) and node.value == "model":
            return d.DoneWhen("model")
        if not isinstance(node, YamlMap):
            said = f"{node.text[:_MOST_SHOWN]!r}: " if isinstance(node, YamlScalar) else ""
            near = did_you_mean(node.text, ("model",)) if isinstance(node, YamlScalar) else ""
            self._wrong(node, path, f"{said}{_DONE}.{near}" if near else f"{said}{_DONE}")
            return None
        named = {key.text for key, _ in node.items}
        required = ("phrases",) if "phrases" in named and "items" not in named else ("items", "count")
        allowed = required if named & {"phrases", "items", "count"} else ("phrases", "items", "count")
        values = self._keys(node, path, allowed, required)
        if "phrases" in values:
            return d.DoneWhen("phrases", phrases=self._phrases(values["phrases"], f"{path}.phrases"))
        items = self._text(values["items"], f"{path}.items", d.LINE_CHARS) if "items" in values else ""
        count = self._count(values["count"], f"{path}.count") if "count" in values else 0
        return d.DoneWhen("items", items=items, count=count)

    def _keys(
        self, node: YamlMap, path: str, allowed: Collection[str], required: Collection[str]
    ) -> dict[str, YamlNode]:
        """The values of a map by their keys, of those that may stand there."""
        found: dict[str, YamlNode] = {}
        for key, value in node.items:
            if key.text in found:
                self._wrong(key, path, f"the key {key.text!r} stands here a second time")
            elif key.text not in allowed:
                said = f"there is no key {key.text[:_MOST_SHOWN]!r} here; expected {_listed(allowed)}."
                self._wrong(key, path, said + did_you_mean(key.text, allowed))
            else:
                found[key.text] = value
        for name in required:
            if name not in found and not any(key.text == name for key, _ in node.items):
                self._wrong(node, path, f"the key `{name}` is missing")
        return found

    def _name(self, node: YamlNode, path: str) -> str:
        name = self._text(node, path, d.LINE_CHARS)
        if name and d.NAME.fullmatch(name) is None:
            self._wrong(node, path, f"{name[:_MOST_SHOWN]!r} is no name; expected 1 to 64 of a-z, 0-9 and -")
        return name

    def _text(self, node: YamlNode, path: str, most: int) -> str:
        if not isinstance(node, YamlScalar) or not isinstance(node.value, str) or not node.value.strip():
            self._wrong(node, path, "expected a text of one character or more")
            return ""
        text = node.value.strip()
        if len(text) > most:
            self._wrong(node, path, f"{len(text)} characters; {most} are allowed")
        return text

    def _phrases(self, node: YamlNode, path: str) -> tuple[str, ...]:
        if not isinstance(node, YamlList) or not node.items:
            self._wrong(node, path, "expected a list of one phrase or more")
            return ()
        if len(node.items) > d.MOST_PHRASES:
            self._wrong(node, path, f"{len(node.items)} phrases; {d.MOST_PHRASES} are allowed")
        return tuple(self._phrase(item, f"{path}[{at}]") for at, item in enumerate(node.items))

    def _phrase(self, node: YamlNode, path: str) -> str:
        phrase = self._text(node, path, d.PHRASE_CHARS)
        if phrase and not read_said(phrase).has(phrase):
            self._wrong(node, path, f"{phrase[:_MOST_SHOWN]!r} has no words of its own: nothing could ever match it")
        return phrase

    def _count(self, node: YamlNode, path: str) -> int:
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= d.MOST_ITEMS:
            return value
        said = repr(node.text[:_MOST_SHOWN]) if isinstance(node, YamlScalar) else "this"
        self._wrong(node, path, f"{said} is no whole number from 1 to {d.MOST_ITEMS}")
        return 0

    def _flag(self, node: YamlNode, path: str) -> bool:
        if isinstance(node, YamlScalar) and isinstance(node.value, bool):
            return node.value
        self._wrong(node, path, "expected `true` or `false`")
        return False

    def _wrong(self, node: YamlNode, path: str, message: str) -> None:
        self.faults.append(FileFault(path, node.place.line, node.place.column, message))


def _required(of: str) -> tuple[str, ...]:
    return tuple(key.name for key in d.KEYS[of] if key.required)


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
