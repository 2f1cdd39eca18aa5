"""A mutable record is kept field by field, as each field says, and read back or refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest

from sulla.core.errors import CorruptRecord
from sulla.core.jsontypes import JsonObject
from sulla.threads.log.forms import Fielded
from sulla.threads.log.kept import ALWAYS, FLAT, UNKEPT, KeptForm, numbers_of, rule


@dataclass(frozen=True, slots=True)
class Leaf(Fielded):
    name: str
    colour: str = "green"


@dataclass(slots=True)
class Branch:
    id: str
    leaves: dict[str, Leaf] = field(default_factory=dict, metadata=rule(key="name"))
    pair: tuple[str, int] | None = None


@dataclass(slots=True)
class Tree:
    place: str = field(default="", metadata=UNKEPT)
    height: int = 0
    rings: dict[str, int] = field(default_factory=dict, metadata=ALWAYS)
    names: list[str] = field(default_factory=list)
    nests: set[str] = field(default_factory=set)
    branch: Branch | None = None
    birds: dict[int, str] = field(default_factory=dict, metadata=rule(numbers=list))


FORM = KeptForm(Tree, dropped=("felled",))


def test_what_is_as_it_begins_is_left_out_but_for_what_is_always_there() -> None:
    assert FORM.write(Tree("here")) == {"rings": {}}
    assert FORM.read({"rings": {}}) == FORM.read({}) == Tree()


def test_every_kind_of_field_comes_back() -> None:
    branch = Branch("b", {"a": Leaf("a"), "z": Leaf("z", "red")}, ("x", 3))
    tree = Tree("here", 4, {"one": 1}, ["oak", "ash"], {"crow", "ant"}, branch, {9: "tit", 2: "wren"})
    kept = FORM.write(tree)
    assert kept == {
        "height": 4,
        "rings": {"one": 1},
        "names": ["oak", "ash"],
        "nests": ["ant", "crow"],
        "branch": {"id": "b", "leaves": [{"name": "a"}, {"name": "z", "colour": "red"}], "pair": ["x", 3]},
        "birds": [2, 9],
    }
    assert FORM.read(kept) == Tree("", 4, {"one": 1}, ["oak", "ash"], {"crow", "ant"}, branch)
    assert numbers_of(kept, "birds") == (2, 9)
    assert numbers_of(None, "birds") == numbers_of({}, "birds") == ()


@dataclass(frozen=True, slots=True)
class Seed:
    kind: str = field(default="", metadata=rule(name="seed_kind"))
    year: int = 0


@dataclass(slots=True)
class Roots:
    soil: str = field(default="sand", metadata=UNKEPT)
    depth: int = 0
    seed: Seed = field(default_factory=Seed, metadata=FLAT)


@dataclass(slots=True)
class Bush:
    KEPT_ORDER: ClassVar = ("depth", "id", "year")

    id: str
    roots: Roots = field(default_factory=Roots, metadata=FLAT)
    thorns: int = 0
    berries: list[str] = field(default_factory=list, init=False)


BUSH = KeptForm(Bush)
GROWN: JsonObject = {"depth": 2, "id": "b", "year": 1990, "seed_kind": "rose", "thorns": 7, "berries": ["x"]}


def grown() -> Bush:
    bush = Bush("b", Roots("sand", 2, Seed("rose", 1990)), 7)
    bush.berries.append("x")
    return bush


def test_fields_of_parts_are_kept_among_those_of_the_whole_in_the_order_that_they_have_always_had() -> None:
    assert list(BUSH.write(grown()).items()) == list(GROWN.items())
    assert BUSH.write(Bush("c")) == {"id": "c"}


def test_parts_are_read_back() -> None:
    assert BUSH.read(GROWN) == grown()
    assert BUSH.read({"id": "c"}) == Bush("c")


def test_what_is_put_into_a_value_leaves_what_is_not_kept_as_it_is() -> None:
    bush = Bush("old", Roots("clay", 1, Seed("yew", 5)), 3)
    roots = bush.roots
    assert BUSH.put(bush, {"id": "b", "year": 1990}) is bush
    assert bush == Bush("b", Roots("clay", 1, Seed("yew", 1990)), 3)
    assert bush.roots is roots


def test_two_fields_under_one_name_and_an_order_of_nothing_are_refused() -> None:
    @dataclass(slots=True)
    class Hedge(Bush):
        year: int = 0

    @dataclass(frozen=True, slots=True)
    class Lawn(Seed):
        KEPT_ORDER: ClassVar = ("daisies",)

    with pytest.raises(ValueError, match=r"Hedge: two fields are kept as 'year'"):
        KeptForm(Hedge)
    with pytest.raises(KeyError, match="daisies"):
        KeptForm(Lawn)


def test_what_is_read_is_shared_with_nothing() -> None:
    one, other = FORM.read({}), FORM.read({})
    one.names.append("oak")
    one.rings["x"] = 1
    assert (other, FORM.write(other)) == (Tree(), {"rings": {}})


def test_what_earlier_versions_kept_is_passed_over() -> None:
    assert FORM.read({"felled": True, "height": 2}) == Tree(height=2)


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        ([], "Tree: expected an object, found list"),
        ({"leaves": 1}, "Tree: unknown field 'leaves'"),
        ({"place": "here"}, "Tree: unknown field 'place'"),
        ({"height": "tall"}, "expected int"),
        ({"names": "oak"}, "expected a list"),
        ({"nests": [1]}, "expected str"),
        ({"branch": {}}, "Branch: .*'id'"),
        ({"branch": {"id": "b", "leaves": {}}}, "expected a list"),
        ({"branch": {"id": "b", "leaves": [{}]}}, "Leaf: .*'name'"),
        ({"branch": {"id": "b", "pair": ["x"]}}, "expected a list of 2"),
    ],
)
def test_what_was_not_written_so_is_refused(kept: Any, why: str) -> None:
    with pytest.raises(CorruptRecord, match=why):
        FORM.read(kept)


@pytest.mark.parametrize("kept", [{"birds": "2"}, {"birds": [True]}, {"birds": ["2"]}])
def test_what_are_no_numbers_is_refused(kept: Any) -> None:
    with pytest.raises(CorruptRecord, match="expected"):
        numbers_of(kept, "birds")
