"""The people and the poses in which they are drawn: bodies, builds and outfits, one layer each."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product

from generator_service.drawing.people.body import Files, Template, read_template, shape_body
from generator_service.drawing.people.figure import Person, Skirt, person, pose_person
from generator_service.drawing.people.layers import PersonLayer, person_layer
from generator_service.drawing.people.poses import POSES
from generator_service.drawing.people.vocabulary import OCCUPATIONS
from generator_service.drawing.people.wearing import OUTFITS, Outfit

VERSION = 3
"""It goes up when the drawing code changes pixels; the source then has another digest."""
_PEOPLES = ("caucasian", "african", "asian")
_CHILD = 0.72  # share of a child's shape; the rest is a baby's, or the head would be an adult's
_ONE_SEX = {"king": "male", "witch": "female"}
_PLAIN = Outfit(colours={})


@dataclass(frozen=True, kw_only=True)
class Who:
    """Somebody to be drawn. `value` is the agent's value in the vocabulary."""

    value: str
    sex: str
    age: str = "young"
    weight: str = "averageweight"
    skirt: Skirt = ""
    long_hair: bool = False


def _everybody() -> dict[str, Who]:
    found = {
        "man": Who(value="man", sex="male"),
        "man stout": Who(value="man", sex="male", weight="maxweight"),
        "woman": Who(value="woman", sex="female", skirt="knee", long_hair=True),
        "woman stout": Who(value="woman", sex="female", weight="maxweight", skirt="knee", long_hair=True),
        "boy": Who(value="boy", sex="male", age="child"),
        "girl": Who(value="girl", sex="female", age="child", skirt="knee", long_hair=True),
        "grandfather": Who(value="grandfather", sex="male", age="old"),
        "grandmother": Who(value="grandmother", sex="female", age="old", skirt="ankle"),
    }
    for occupation in OCCUPATIONS:
        for sex in ("male", "female"):
            if _ONE_SEX.get(occupation.name, sex) == sex:
                found[f"{occupation.name} {sex}"] = Who(
                    value=occupation.name,
                    sex=sex,
                    skirt=OUTFITS[occupation.name].skirt,
                    long_hair=sex == "female",
                )
    return found


EVERYBODY: Mapping[str, Who] = _everybody()


@dataclass(frozen=True, order=True)
class LayerName:
    """One person in one pose."""

    who: str
    pose: str

    def __str__(self) -> str:
        return f"person {self.who} {self.pose}"


def layer_names(people: int | None = None, poses: int | None = None) -> tuple[LayerName, ...]:
    """List the layers of a source; a number asks for the first few people or poses only, for tests."""
    return tuple(LayerName(*parts) for parts in product(list(EVERYBODY)[:people], list(POSES)[:poses]))


def whos_of(value: str) -> tuple[str, ...]:
    """Return the names of those who show an agent's value: sexes or builds."""
    return tuple(name for name, who in EVERYBODY.items() if who.value == value)


def who_of(value: str, number: int) -> str:
    """Return the name of one of those who show an agent's value, by any number; "" for an animal."""
    whos = whos_of(value)
    return whos[number % len(whos)] if whos else ""


class Maker:
    """Draws layers from MakeHuman's data. Bodies are shaped once each."""

    def __init__(self, read: Files) -> None:
        self._read = read
        self._template: Template = read_template(read)
        self._person = cache(self._make_person)

    def draw(self, name: LayerName) -> PersonLayer:
        pose = POSES[name.pose]
        figure = pose_person(self._person(name.who), pose)
        who = EVERYBODY[name.who]
        return person_layer(figure, OUTFITS.get(who.value, _PLAIN).of(who.sex), pose.yaw)

    def _make_person(self, name: str) -> Person:
        who = EVERYBODY[name]
        vertices = shape_body(self._template, self._read, _shares(who))
        return person(self._template, vertices, long_hair=who.long_hair, skirt=who.skirt)


def _shares(who: Who) -> dict[str, float]:
    """Return the targets of a body: the three peoples alike, for complexion is a colour here."""
    ages = {"child": _CHILD, "baby": 1.0 - _CHILD} if who.age == "child" else {who.age: 1.0}
    shares = {f"{people}-{who.sex}-{age}": share / 3 for age, share in ages.items() for people in _PEOPLES}
    return shares | {f"universal-{who.sex}-{age}-averagemuscle-{who.weight}": share for age, share in ages.items()}
