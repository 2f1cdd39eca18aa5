"""Reads a file of routes, and says all that is wrong with it, each with its place. Pure.

A name that nothing has is refused, where it is known which there are: a gate that leads nowhere would be missed when it
is needed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from sulla.core.errors import InvalidInput, SettingsError, TooLarge
from sulla.core.jsontypes import JsonObject
from sulla.core.pattern import late_pattern
from sulla.definitions.file_fault import FileFault, Severity
from sulla.definitions.yaml_text import YamlFault, YamlList, YamlMap, YamlNode, YamlScalar, plain, read_nodes
from sulla.models.catalog import parse_model
from sulla.routes import schema as s
from sulla.routes.faults import KnownNames, RoutesRead
from sulla.routes.phrases import phrase_of
from sulla.routes.plan import AUDITS, KINDS, Gate, GateFacts, Route, RouteTable, route_from
from sulla.routes.reading_whole import Written, judge_gates, judge_reach, judge_route, judge_routes, judge_weight
from sulla.tools.nearest import did_you_mean

MOST_TOLD: Final = 50
_LISTED: Final = 20
_FEW: Final = 5
_REGEX: Final = late_pattern(r"^\^|\$$|\.[*+?]|\\[bwdsBWDS]|\)[+*]|\[[^\]]+\]|\([^)]*\|[^)]*\)|\w\+[\w)]|\(\?")


def read_routes(text: str, known: KnownNames) -> RoutesRead:
    """The routes that a text holds, and all that is wrong with it.

    Args:
        text: YAML or JSON.
        known: what it may name.
    """
    found = read_nodes(text, most_bytes=s.MOST_BYTES)
    if isinstance(found, YamlFault):
        return RoutesRead(None, (FileFault("the file", found.line, found.column, found.message),))
    reader = _Reader(known)
    table = reader.table(found)
    # What is not reached may be so because of an error.
    told = [fault for fault in reader.faults if table is not None or fault.severity == "error"]
    return RoutesRead(table, tuple(sorted(told, key=lambda fault: (fault.line, fault.column))[:MOST_TOLD]))


class _Reader:
    """Reads one text and collects what is wrong with it.

    Args:
        known: what it may name.
    """

    def __init__(self, known: KnownNames) -> None:
        self.faults: list[FileFault] = []
        self._known = known
        self._routes: Collection[str] = ()

    def table(self, node: YamlNode | None) -> RouteTable | None:
        """The routes at the top of a text; None where something is wrong."""
        if not isinstance(node, YamlMap):
            at = (node.place.line, node.place.column) if node is not None else (1, 1)
            self.faults.append(FileFault("the file", *at, "expected `routes`, and `gates` that lead to them"))
            return None
        values = self._keys(node, "the file", ("routes", "gates"), ("routes",))
        routes = self._all_routes(values["routes"]) if "routes" in values else []
        gates = self._all_gates(values["gates"]) if "gates" in values else []
        judge_routes(routes, gates, self._tell)
        judge_gates(gates, self._tell)
        if any(fault.severity == "error" for fault in self.faults):
            return None
        try:
            table = RouteTable({route.value.name: route.value for route in routes}, [gate.value for gate in gates])
        except TooLarge as error:
            self._tell(values["gates"], "gates", error.message)
            return None
        good = judge_weight(gates, table, self._tell) and judge_reach(gates, table, self._tell)
        return table if good else None

    # ----------------------------------------------------------------------------------------------------------- routes

    def _all_routes(self, node: YamlNode) -> list[Written[Route]]:
        if not isinstance(node, YamlMap) or not node.items:
            self._tell(node, "routes", "expected one route or more, such as `outage: {kind: incident, …}`")
            return []
        if len(node.items) > s.MOST_ROUTES:
            self._tell(node, "routes", f"{len(node.items)} routes; {s.MOST_ROUTES} are allowed")
        names = [key.text for key, _ in node.items]
        self._routes = names
        for key, _ in node.items:
            self._well_named(key, f"routes.{key.text[: s.MOST_NAME]}", key.text)
        found = [self._route(name, value) for name, value in self._keys(node, "routes", names, ()).items()]
        return [route for route in found if route is not None]

    def _route(self, name: str, node: YamlNode) -> Written[Route] | None:
        path = f"routes.{name[: s.MOST_NAME]}"
        values, given = self._object(node, path, s.ROUTE_KEYS)
        if "kind" not in given:
            return None
        route = Written(path, node, values, route_from({**given, "name": name}))
        judge_route(route, self._tell)
        return route

    # ------------------------------------------------------------------------------------------------------------ gates

    def _all_gates(self, node: YamlNode) -> list[Written[Gate]]:
        if not isinstance(node, YamlList):
            self._tell(node, "gates", "expected a list of gates, such as `- {name: fire, route: outage, any: [fire]}`")
            return []
        if len(node.items) > s.MOST_GATES:
            self._tell(node, "gates", f"{len(node.items)} gates; {s.MOST_GATES} are allowed")
        found = [self._gate(f"gates[{at}]", item) for at, item in enumerate(node.items)]
        return [gate for gate in found if gate is not None]

    def _gate(self, path: str, node: YamlNode) -> Written[Gate] | None:
        values, given = self._object(node, path, s.GATE_KEYS)
        if "name" not in given or "route" not in given:
            return None
        self._well_named(values["name"], f"{path}.name", given["name"])
        return Written(path, node, values, Gate(**given))

    # ----------------------------------------------------------------------------------------------------------- values

    def _object(
        self, node: YamlNode, path: str, keys: Sequence[s.Key]
    ) -> tuple[Mapping[str, YamlNode], dict[str, Any]]:
        """What stands behind the keys of a route, a gate or its facts: as it is written, and what is good of it."""
        by_name = {key.name: key for key in keys}
        if not isinstance(node, YamlMap):
            self._tell(node, path, f"expected keys and values: {_listed(by_name)}")
            return {}, {}
        values = self._keys(node, path, by_name, [key.name for key in keys if key.required])
        given = {name: self._value(value, f"{path}.{name}", by_name[name]) for name, value in values.items()}
        return values, {name: value for name, value in given.items() if value is not None}

    def _value(self, node: YamlNode, path: str, key: s.Key) -> object:
        """What stands behind a key; None where it is wrong."""
        match key.takes:
            case "name":
                return self._name(node, path, key.names)
            case "names":
                return self._names(node, path, key.names)
            case "kind":
                return self._one_of(node, path, KINDS, "kind of route")
            case "audit":
                return self._one_of(node, path, AUDITS, "way to audit")
            case "text":
                return self._word(node, path, s.MOST_TEXT_CHARS)
            case "args":
                return self._args(node, path)
            case "flag" | "count":
                return self._flag(node, path) if key.takes == "flag" else self._count(node, path)
            case "phrases":
                return self._phrases(node, path)
            case "facts":
                facts = self._object(node, path, s.FACT_KEYS)[1]
                return GateFacts(**facts) if facts else None

    def _phrases(self, node: YamlNode, path: str) -> tuple[str, ...] | None:
        if not isinstance(node, YamlList) or not node.items:
            self._tell(node, path, "expected a list of one phrase or more, such as `[the site is down]`")
            return None
        if len(node.items) > s.MOST_PHRASES:
            self._tell(node, path, f"{len(node.items)} phrases; {s.MOST_PHRASES} are allowed in one list")
        found = [self._phrase(item, f"{path}[{at}]") for at, item in enumerate(node.items)]
        good = tuple(one for one in found if one is not None)
        return good if len(good) == len(found) else None

    def _phrase(self, node: YamlNode, path: str) -> str | None:
        text = self._word(node, path, s.MOST_PHRASE_CHARS)
        if text is not None:
            try:
                phrase_of(text)
            except InvalidInput as error:
                self._tell(node, path, f"the phrase {text[: s.MOST_NAME]!r}: {error.message}")
                return None
            if _REGEX.search(text):
                said = f"the phrase {text[: s.MOST_NAME]!r} looks like a regular expression, and is read as words"
                self._tell(node, path, f"{said}: expected words, with `a|b`, `word*` and `...` at the most", "warning")
        return text

    def _args(self, node: YamlNode, path: str) -> JsonObject | None:
        if not isinstance(node, YamlMap):
            self._tell(node, path, "expected arguments by name, such as `{question: '{message}'}`")
            return None
        try:
            found = plain(node)
        except InvalidInput as error:
            self._tell(node, path, error.message)
            return None
        return found if isinstance(found, dict) else None

    def _names(self, node: YamlNode, path: str, what: s.Names) -> tuple[str, ...] | None:
        items = node.items if isinstance(node, YamlList) else [node]
        if not items:
            self._tell(node, path, "expected one name or more")
        if len(items) > s.MOST_ROUTES:
            self._tell(node, path, f"{len(items)} names; {s.MOST_ROUTES} are allowed")
        found = [self._name(item, f"{path}[{at}]", what) for at, item in enumerate(items)]
        good = tuple(one for one in found if one is not None)
        return good if good and len(good) == len(found) else None

    def _name(self, node: YamlNode, path: str, what: s.Names) -> str | None:
        known = self._routes if what == "route" else self._known.of(what)
        name = self._word(node, path, 4 * s.MOST_NAME)
        if name is not None and known is None and what == "model":
            return self._model(node, path, name)
        if name is None or known is None or name in known:
            return name
        said = f"there is no {what} {name[: s.MOST_NAME]!r}."
        there = f" There is {_there(name, known)}" if known else f" There is no {what} at all"
        self._tell(node, path, f"{said}{did_you_mean(name, known) or there}")
        return None

    def _model(self, node: YamlNode, path: str, name: str) -> str | None:
        """The name of a model, where nobody knows which there are: its form and its service are looked at."""
        try:
            parse_model(name)
        except SettingsError as error:
            self._tell(node, path, error.message[: s.MOST_TEXT_CHARS])
            return None
        return name

    def _one_of(self, node: YamlNode, path: str, known: Sequence[str], what: str) -> str | None:
        name = self._word(node, path, s.MOST_TEXT_CHARS)
        if name is None or name in known:
            return name
        said = f"there is no {what} {name[: s.MOST_NAME]!r}; expected one of {_listed(known)}."
        self._tell(node, path, f"{said}{did_you_mean(name, known)}")
        return None

    def _flag(self, node: YamlNode, path: str) -> bool | None:
        if isinstance(node, YamlScalar) and isinstance(node.value, bool):
            return node.value
        self._tell(node, path, "expected `true` or `false`")
        return None

    def _count(self, node: YamlNode, path: str) -> int | None:
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= s.MOST_COUNT:
            return value
        self._tell(node, path, f"expected a number from 1 to {s.MOST_COUNT}")
        return None

    def _word(self, node: YamlNode, path: str, most: int) -> str | None:
        if not isinstance(node, YamlScalar) or not isinstance(node.value, str) or not node.value.strip():
            self._tell(node, path, "expected a text of one character or more (a number or `true` needs quotes)")
            return None
        if len(node.value) > most:
            self._tell(node, path, f"{len(node.value)} characters; {most} are allowed")
            return None
        return node.value

    def _keys(
        self, node: YamlMap, path: str, allowed: Collection[str], required: Collection[str]
    ) -> dict[str, YamlNode]:
        """The values of a map by their keys, of those that may stand there."""
        found: dict[str, YamlNode] = {}
        for key, value in node.items:
            if key.text in found:
                self._tell(key, path, f"the key {key.text[: s.MOST_NAME]!r} stands here a second time")
            elif key.text not in allowed:
                said = f"there is no key {key.text[: s.MOST_NAME]!r} here; expected {_listed(allowed)}."
                self._tell(key, path, f"{said}{did_you_mean(key.text, allowed)}")
            else:
                found[key.text] = value
        for name in required:
            if name not in found:
                self._tell(node, path, f"the key `{name}` is missing")
        return found

    def _well_named(self, node: YamlNode, path: str, name: str) -> None:
        if not re.fullmatch(s.NAME, name) or len(name) > s.MOST_NAME:
            said = f"{name[: s.MOST_NAME]!r} is no name: expected small letters, digits, `-` and `_`"
            self._tell(node, path, f"{said}, {s.MOST_NAME} at the most")

    def _tell(self, node: YamlNode, path: str, message: str, severity: Severity = "error") -> None:
        self.faults.append(FileFault(path, node.place.line, node.place.column, message, severity))


def _there(name: str, known: Collection[str]) -> str:
    """A few names: all, or the nearest of many."""
    if len(known) <= _FEW:
        return _listed(sorted(known))
    likely = difflib.get_close_matches(name[: s.MOST_NAME], sorted(known)[: s.MOST_LOOKED], _FEW, 0.0)
    return f"{_listed(likely)} and {len(known) - len(likely)} more"


def _listed(names: Collection[str]) -> str:
    return ", ".join(f"`{name}`" for name in list(names)[:_LISTED])
