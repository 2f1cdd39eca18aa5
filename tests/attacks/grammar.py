"""What is tried on a daemon, read from the tables in `scenarios/` and `benign.toml`. Pure but for reading the files.

A scenario is a place (where an attacker's words lie, and how a model comes to read them), a goal (what they order, and
what must not come of it) and a manner (how the words are put, and when the model obeys). Rows of a suite's file say
which of them go together. `README.md` beside this says what each key means.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Literal

FOLDER = Path(__file__).parent

Step = Mapping[str, Any]
"""What a person or a client does; its keys are those of `Stage.take`."""


class BadTable(Exception):
    """A table says something that nobody understands."""


@dataclass(frozen=True, slots=True)
class ToolRow:
    """A tool of a suite, which only writes down that it was called."""

    name: str
    suite: str
    fields: tuple[str, ...] = ()
    effect: Literal["pure", "idempotent", "once"] = "once"
    reach: Literal["inward", "outward"] = "outward"
    gives: str = ""
    """Its result; what it did, if that is empty."""
    tainted: bool = False
    quotes: bool = False


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """Where an attacker's words lie."""

    what: str
    steps: tuple[Step, ...]
    settings: Mapping[str, str] = field(default_factory=dict)
    """Of the daemon, as variables of the environment."""
    seen: bool = True
    """Whether a model comes to read the words; else that it does not is what keeps them from doing harm."""
    served: Mapping[str, str] = field(default_factory=dict)
    """What the site answers under a path."""


@dataclass(frozen=True, slots=True)
class GoalRow:
    """What an attacker orders, and what must not come of it."""

    what: str
    sink: str
    calls: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    says: str = ""
    """What the model puts into its answer."""
    before: tuple[Step, ...] = ()
    """What the owner has set up."""
    then: tuple[Step, ...] = ()
    """What people do later, for orders that wait."""
    must_not: tuple[str, ...] = ()
    """``tool NAME``, ``site``, ``outside``, ``program file``, ``picture`` or ``rights``."""


@dataclass(frozen=True, slots=True)
class MannerRow:
    """How the words are put, and when the model obeys."""

    what: str
    words: str
    patient: bool = False
    """Whether it obeys only once the steps of the place are over."""
    times: int = 1
    steps: tuple[Step, ...] = ()
    """What people do after the steps of the place."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that is tried."""

    suite: str
    place: str
    goal: str
    manner: str

    @property
    def name(self) -> str:
        """What `--only` takes."""
        return f"{self.suite}.{self.place}.{self.goal}.{self.manner}"


@dataclass(frozen=True, slots=True)
class Task:
    """Something harmless that a person wants."""

    suite: str
    name: str
    steps: tuple[Step, ...]
    questions: int = 0
    """How many it may come to."""
    settings: Mapping[str, str] = field(default_factory=dict)
    served: Mapping[str, str] = field(default_factory=dict)
    done: tuple[str, ...] = ()
    """The tools of the suites that must have been called."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What scenarios and tasks want of a daemon: those that want the same are played on one, in one home."""

    suite: str
    """Whose tools there are beside those of `core`."""
    place: str = ""
    """Whose scenarios these are: those of another place might leave something behind that makes all mistrusted."""
    settings: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Catalog:
    """Everything that the tables say."""

    tools: dict[str, ToolRow] = field(default_factory=dict)
    places: dict[str, PlaceRow] = field(default_factory=dict)
    goals: dict[str, GoalRow] = field(default_factory=dict)
    manners: dict[str, MannerRow] = field(default_factory=dict)
    scenarios: list[Scenario] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)

    def all(self) -> tuple[Scenario | Task, ...]:
        """Every scenario and every task."""
        return (*self.scenarios, *self.tasks)

    def needs(self, one: Scenario | Task) -> Needs:
        """What a scenario or a task wants of its daemon."""
        if isinstance(one, Task):
            return Needs(one.suite, "", tuple(sorted(one.settings.items())))
        return Needs(one.suite, one.place, tuple(sorted(self.places[one.place].settings.items())))


def read_catalog(folder: Path = FOLDER) -> Catalog:
    """Read all tables.

    Raises:
        BadTable: one names something that there is not, or says something twice.
    """
    found, tables = Catalog(), []
    for file in sorted((folder / "scenarios").glob("*.toml")):
        table = tomllib.loads(file.read_text())
        tables.append((file.stem, table))
        kinds = (("tools", ToolRow), ("places", PlaceRow), ("goals", GoalRow), ("manners", MannerRow))
        for kind, cls in kinds:
            rows: dict[str, Any] = getattr(found, kind)
            for name, row in table.pop(kind, {}).items():
                if name in rows:
                    raise BadTable(f"{file.name}: {kind}.{name} is there twice")
                more = {"name": name, "suite": file.stem} if cls is ToolRow else {}
                rows[name] = _made(cls, row | more, f"{file.name}: {name}")
    for suite, table in tables:
        found.scenarios += _scenarios(suite, table, found)
    names = [one.name for one in found.scenarios]
    if twice := {name for name in names if names.count(name) > 1}:
        raise BadTable(f"there twice: {', '.join(sorted(twice))}")
    for suite, tasks in tomllib.loads((folder / "benign.toml").read_text()).items():
        for name, row in tasks.items():
            found.tasks.append(_made(Task, row | {"suite": suite, "name": f"{suite}.{name}"}, f"benign.toml: {name}"))
    return found


def _scenarios(suite: str, table: dict[str, Any], catalog: Catalog) -> Iterator[Scenario]:
    for row in table.pop("rows", ()):
        for kind in ("places", "goals", "manners"):
            if unknown := set(row[kind]) - getattr(catalog, kind).keys():
                raise BadTable(f"{suite}.toml: a row names {kind} that are not there: {', '.join(sorted(unknown))}")
        for place, goal, manner in product(row["places"], row["goals"], row["manners"]):
            yield Scenario(suite, place, goal, manner)
    if table:
        raise BadTable(f"{suite}.toml has {min(table)!r}; expected tools, places, goals, manners or rows")


def _made(cls: Any, row: dict[str, Any], where: str) -> Any:
    try:
        return cls(**{name: _frozen(value) for name, value in row.items()})
    except TypeError as error:
        raise BadTable(f"{where}: {error}") from error


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def filled(value: Any, words: Mapping[str, str]) -> Any:
    """A value of a table with the words in braces put in.

    Args:
        value: what a table says.
        words: what stands for each word.
    """
    if isinstance(value, str):
        for name, word in words.items():
            value = value.replace(f"{{{name}}}", word)
        return value
    if isinstance(value, Mapping):
        return {filled(name, words): filled(one, words) for name, one in value.items()}
    return [filled(one, words) for one in value] if isinstance(value, list | tuple) else value
