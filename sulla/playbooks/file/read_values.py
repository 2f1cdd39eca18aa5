"""Reads what stands behind the keys of a playbook, and collects what is wrong with it. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeVar, cast

from sulla.core.dataclass import dataclass
from sulla.core.errors import InvalidInput, SettingsError
from sulla.core.jsontypes import FrozenJson, Json
from sulla.core.units import MICRO
from sulla.definitions.yaml_text import YamlList, YamlMap, YamlNode, YamlPlace, YamlScalar, plain
from sulla.models.catalog import parse_model
from sulla.playbooks.definition import OPENS, Budget, Concurrency, Given, Retry, Template
from sulla.playbooks.durations import read_duration
from sulla.playbooks.expression.expression import ExpressionSpot, split, whole
from sulla.playbooks.expression.grammar import parse
from sulla.playbooks.file.check_fault import PlaybookFault
from sulla.playbooks.file.form import ELSEWHERE, NAME, PARTS, Key
from sulla.playbooks.file.read_sketch import Keys, Role, StepAt, Use, at_offset, place_of
from sulla.tools.nearest import did_you_mean

T = TypeVar("T")
_PLAIN_BRACES: Final = re.compile(r"(?<!\$)\{\{\s*(?:inputs|steps|secrets|run|loop|item)\b[.\[]")
_SHOWN_CHARS: Final = 60


def got(node: YamlNode) -> str:
    """A value, for people."""
    if isinstance(node, YamlMap):
        return "keys and values"
    if isinstance(node, YamlList):
        return f"a list of {len(node.items)}"
    if node.value is None:
        return "nothing"
    return repr(node.value if isinstance(node.value, str) else node.text)[:_SHOWN_CHARS]


@dataclass(frozen=True, slots=True)
class StepDefaults:
    """What holds for steps that do not say otherwise."""

    retry: Retry | None = None
    timeout_s: float | None = None
    model: str = ""


class FileReading:
    """One file being read."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.faults: list[PlaybookFault] = []
        self.uses: list[Use] = []

    # -------------------------------------------------------------------------------------------------------- faults

    def fault(self, place: YamlPlace | tuple[int, int], rule: str, message: str) -> None:
        """Note that something is wrong."""
        self.faults.append(PlaybookFault(place[0], place[1], rule, message))

    def wrong(self, node: YamlNode, key: str, expected: str) -> None:
        """Note that a value is not what its key takes."""
        self.fault(node.place, "value", f"{key}: expected {expected}, got {got(node)}")

    # ---------------------------------------------------------------------------------------------------------- keys

    def pairs(self, node: YamlNode, what: str) -> Keys | None:
        """Keys and values, each key once; None if it is something else."""
        if not isinstance(node, YamlMap):
            self.wrong(node, what, "keys and values")
            return None
        found: Keys = {}
        for key, value in node.items:
            if key.text in found:
                first = found[key.text][0].place.line
                self.fault(key.place, "double-key", f"{key.text!r} stands here a second time; first in line {first}")
            else:
                found[key.text] = (key, value)
        return found

    def keys(self, node: YamlNode, known: Iterable[Key], what: str) -> Keys | None:
        """Keys and values of which all are known and none is missing; None if it is something else."""
        found = self.pairs(node, what)
        if found is not None:
            self.check_keys(node.place, found, known, what)
        return found

    def check_keys(
        self, place: YamlPlace, found: Keys, known: Iterable[Key], what: str, also: Iterable[str] = ()
    ) -> None:
        """Note each key that is unknown or missing; what was meant may `also` be one of these."""
        names = {key.name: key for key in known}
        for name in [name for name in found if name not in names]:
            meant = did_you_mean(name, [other for other in (*names, *also) if other not in found])
            meant = "" if name in ELSEWHERE else meant
            told = ELSEWHERE.get(name) or meant or f" Known: {', '.join(names)}."
            self.fault(found[name][0].place, "unknown-key", f"{what} has no {name!r}.{told}")
            # What was meant is not missing as well.
            for other in re.findall(r"'(\w+)'", meant)[:1] + re.findall(r"`(\w+):`", told):
                names.pop(other, None)
        for key in names.values():
            if key.required and key.name not in found:
                self.fault(place, "missing-key", f"{what} needs {key.name!r}: {_small(key.about)}")

    # --------------------------------------------------------------------------------------------------- single values

    def text(self, node: YamlNode, key: str) -> str:
        """Text without expressions; what looks like a number is text, too."""
        if not isinstance(node, YamlScalar) or node.value is None:
            self.wrong(node, key, "text")
            return ""
        if OPENS in node.text:
            self.fault(node.place, "value", f"{key}: expressions are not worked out here; write it out")
        return node.text

    def named(self, node: YamlNode, key: str, form: re.Pattern[str] = NAME, made_of: str = "") -> str:
        """A name."""
        word = self.text(node, key)
        if word and OPENS not in word and not form.fullmatch(word):
            made_of = made_of or "letters, digits and '_', no digit first"
            better = re.sub(r"\W+", "_", word).strip("_").lower()[:64]
            hint = f"; write {better!r}" if form.fullmatch(better) else ""
            self.fault(node.place, "name", f"{key}: {word[:_SHOWN_CHARS]!r} is no name; expected {made_of}{hint}")
        return word

    def word_of(self, node: YamlNode, key: str, known: Sequence[str]) -> str:
        """One of several words."""
        word = self.text(node, key)
        if word and word not in known:
            listed = " or ".join(filter(None, [", ".join(known[:-1]), known[-1]]))
            meant = did_you_mean(word, known)
            self.fault(
                node.place, "value", f"{key}: expected {listed}, got {word[:_SHOWN_CHARS]!r}.{meant}".rstrip(".")
            )
        return word

    def flag(self, node: YamlNode, key: str) -> bool:
        """True or false; nothing is true."""
        if isinstance(node, YamlScalar) and (node.value is None or isinstance(node.value, bool)):
            return node.value is not False
        self.wrong(node, key, "true or false")
        return True

    def number(self, node: YamlNode, key: Key, *, whole_one: bool = True) -> float:
        """A number within its bounds."""
        value = node.value if isinstance(node, YamlScalar) else None
        fits = isinstance(value, int | float) and not isinstance(value, bool) and (key.low <= value <= key.high)
        if not fits or (whole_one and not isinstance(value, int)):
            self.wrong(node, key.name, f"a {'whole ' if whole_one else ''}number from {key.low} to {key.high}")
            return key.low
        return cast("float", value)

    def duration(self, node: YamlNode, key: str, *, least_s: int = 1) -> float:
        """A time, in seconds."""
        seconds = read_duration(node.text) if isinstance(node, YamlScalar) else None
        if seconds is None or seconds < least_s:
            self.wrong(node, key, "a time such as 45s, 30m, 2h, 3d or 1h30m, a year at the most")
            if isinstance(node, YamlScalar) and node.text.isdigit():
                self.faults[-1] = replace(self.faults[-1], message=f"{self.faults[-1].message}; write {node.text}s")
            return 60.0
        return float(seconds)

    # -------------------------------------------------------------------------------------------------------- templates

    def template(self, node: YamlNode, key: str, role: Role, step: StepAt | None, wants: str = "any") -> Template:
        """Text in which there may be expressions."""
        if not isinstance(node, YamlScalar) or node.value is None or not node.text.strip():
            self.wrong(node, key, "text")
            return Template("")
        self._use(node, role, step, wants)
        return Template(node.text)

    def expression(self, node: YamlNode, key: str, role: Role, step: StepAt | None, wants: str = "boolean") -> Template:
        """A single expression."""
        if not isinstance(node, YamlScalar) or (isinstance(node.value, bool | None) or not self._is_whole(node)):
            example = "${{ steps.kind.route == 'sales' }}" if wants == "boolean" else "${{ inputs.items }}"
            self.wrong(node, key, f"a single expression such as {example}")
            return Template("${{ none }}")
        self._use(node, role, step, wants, source=node.text.strip())
        return Template(node.text.strip())

    def _is_whole(self, node: YamlScalar) -> bool:
        try:
            return whole(node.text.strip()) is not None
        except InvalidInput:
            return True  # it is begun, and told where it is read

    def _source(self, node: YamlScalar) -> str:
        """A template as it is meant: what stands around a single expression in quotes is meant to be there, and the
        line break that ends a block is not.
        """
        in_quotes = self.source[node.place.start : node.place.start + 1] in ('"', "'")
        return node.text if in_quotes or not self._is_whole(node) else node.text.strip()

    def _use(
        self, node: YamlScalar, role: Role, step: StepAt | None, wants: str = "any", source: str | None = None
    ) -> None:
        """Read the expressions in a text."""
        if OPENS not in node.text:
            self._refuse_braces(node)
            return
        try:
            parts = split(node.text)
        except InvalidInput as error:
            self.fault(place_of(self.source, node, node.text.count(OPENS) - 1), "expression", error.message)
            return
        self._refuse_braces(node)
        spots = [part for part in parts if isinstance(part, ExpressionSpot)]
        use = Use(node, role, step, whole(source or self._source(node)) is not None, wants)
        for number, spot in enumerate(spots):
            try:
                use.trees.append((spot, parse(spot.source)))
            except InvalidInput as error:
                place = place_of(self.source, node, number)
                self.fault(place, "expression", f"in {spot}: {error.message}")
        if len(use.trees) == len(spots):
            self.uses.append(use)

    def _refuse_braces(self, node: YamlScalar) -> None:
        raw = self.source[node.place.start : node.place.end]
        plain_one = _PLAIN_BRACES.search(raw) if "{{" in raw else None
        if plain_one is not None:
            self.fault(at_offset(node, raw, plain_one.start()), "braces", "an expression begins with '${{', not '{{'")

    def given(self, node: YamlNode, role: Role, step: StepAt | None) -> Given:
        """Any value, in which any text may be a template."""
        if isinstance(node, YamlMap):
            found = self.pairs(node, "the value") or {}
            return cast("FrozenJson", {name: self.given(value, role, step) for name, (_, value) in found.items()})
        if isinstance(node, YamlList):
            return tuple(self.given(item, role, step) for item in node.items)
        if isinstance(node.value, str) and OPENS in node.value:
            self._use(node, role, step)
            return Template(self._source(node))
        if isinstance(node.value, str):
            self._refuse_braces(node)
        return node.value

    def args(self, node: YamlNode, key: str, role: Role, step: StepAt | None) -> Mapping[str, Given]:
        """Arguments by name."""
        found = self.pairs(node, key) or {}
        return {name: self.given(value, role, step) for name, (_, value) in found.items()}

    # ------------------------------------------------------------------------------------------------------------- more

    def listed(self, node: YamlNode, key: str, read: Callable[[YamlNode], T], *, least: int = 0) -> tuple[T, ...]:
        """A list, each entry read alike."""
        if not isinstance(node, YamlList) or len(node.items) < least:
            self.wrong(node, key, "a list" if not least else f"a list of {least} or more")
            return ()
        return tuple(read(item) for item in node.items)

    def json(self, node: YamlNode) -> Json:
        """A value."""
        try:
            return plain(node)
        except InvalidInput as error:
            self.fault(node.place, "double-key", error.message.partition(": ")[2])
            return None

    def literal(self, node: YamlNode, key: str) -> Json:
        """A value without expressions."""
        for scalar in _scalars(node):
            if OPENS in scalar.text:
                self.fault(scalar.place, "value", f"{key}: expressions are not worked out here; write it out")
        return self.json(node)

    def retry(self, node: YamlNode) -> Retry:
        """How often something is tried."""
        tries, backoff, factor = PARTS["retry"]
        if isinstance(node, YamlScalar):
            return Retry(int(self.number(node, Key("retry", "number", "", low=tries.low, high=tries.high))))
        found = self.keys(node, PARTS["retry"], "retry") or {}
        default = Retry()
        return Retry(
            int(self.number(found["tries"][1], tries)) if "tries" in found else default.tries,
            self.duration(found["backoff"][1], backoff.name, least_s=0) if "backoff" in found else default.backoff_s,
            self.number(found["factor"][1], factor, whole_one=False) if "factor" in found else default.factor,
        )

    def model(self, node: YamlNode) -> str:
        """The name of a model; whether its service has one of that name nobody knows here."""
        name = self.text(node, "model")
        if name and OPENS not in name:
            try:
                return str(parse_model(name))
            except SettingsError as error:
                self.fault(node.place, "value", f"model: {error.message}")
        return ""

    def defaults(self, node: YamlNode) -> StepDefaults:
        """What holds for steps that do not say otherwise."""
        found = self.keys(node, PARTS["defaults"], "defaults") or {}
        return StepDefaults(
            self.retry(found["retry"][1]) if "retry" in found else None,
            self.duration(found["timeout"][1], "timeout") if "timeout" in found else None,
            self.model(found["model"][1]) if "model" in found else "",
        )

    def concurrency(self, node: YamlNode) -> Concurrency:
        """How many runs go on at a time."""
        found = self.keys(node, PARTS["concurrency"], "concurrency") or {}
        default, full = Concurrency(), "queue"
        if "when_full" in found:
            full = self.word_of(found["when_full"][1], "when_full", ("queue", "skip", "cancel_old"))
        return Concurrency(
            self.template(found["key"][1], "key", "key", None) if "key" in found else None,
            int(self.number(found["limit"][1], PARTS["concurrency"][1])) if "limit" in found else default.limit,
            cast("Literal['queue', 'skip', 'cancel_old']", full),
        )

    def budget(self, node: YamlNode) -> Budget:
        """What may be used."""
        found = self.keys(node, PARTS["budget"], "budget") or {}
        money = Key("cost", "money", "", low=0, high=1_000_000)
        return Budget(
            int(self.number(found["tokens"][1], PARTS["budget"][0])) if "tokens" in found else None,
            round(self.number(found["cost"][1], money, whole_one=False) * MICRO) if "cost" in found else None,
            self.duration(found["time"][1], "time") if "time" in found else None,
        )


def _small(about: str) -> str:
    return about[:1].lower() + about[1:].rstrip(".")


WHEN: Final[tuple[Literal["success", "failure", "always"], ...]] = ("success", "failure", "always")


def _scalars(node: YamlNode) -> Iterator[YamlScalar]:
    """The values in a node, however deep."""
    match node:
        case YamlScalar():
            yield node
        case YamlList():
            for item in node.items:
                yield from _scalars(item)
        case YamlMap():
            for key, value in node.items:
                yield from _scalars(key)
                yield from _scalars(value)
