"""Every fault that the conformance suite is there for, planted in the toy: just that property is reported."""

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace as replaced

from generator_service.benchmark import Benchmark, Parts, PictureArray, Streams, View
from generator_service.proving.conformance import Placed, faults, uneven
from generator_service.proving.golden import made_golden
from generator_service.registry import NO_BANK, Mounted, find_benchmarks
from tetrad.contracts.items import ChoiceKey, KeyedQuestion, StateCaption, StateCaptionKey
from tetrad.streams import Stream

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
UNWRITTEN = {"golden": "planted: its items were never written down"}
Change = Callable[[Benchmark], Benchmark]
stream = Stream("planted faults")


@cache
def toy() -> Benchmark:
    return next(one for one in find_benchmarks([TOYS]) if one.name == "toy")


def broken(benchmark: Benchmark) -> set[str]:
    """Return the names of the properties that do not hold."""
    return {fault.property for fault in faults(Mounted(benchmark, None, NO_BANK))}


def with_keys(label_of: Callable[[KeyedQuestion], str]) -> Change:
    """Return the toy with other keys of its last question."""

    def change(one: Benchmark) -> Benchmark:
        def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
            *before, last = one.questions(scene)
            return *before, replaced(last, key=ChoiceKey(label=label_of(last)))

        return replace(one, questions=questions)

    return change


def with_orders(order_of: Callable[[Any, Streams], Sequence[str]]) -> Change:
    """Return the toy with its shades in another order."""

    def change(one: Benchmark) -> Benchmark:
        def sample(*given: Any) -> Any:
            scene = one.sample(*given)
            return replace(scene, order=tuple(order_of(scene, given[-1])))

        return replace(one, sample=sample)

    return change


def after(keyed: KeyedQuestion) -> str:
    labels = [option.label for option in keyed.question.options]
    return labels[(labels.index(keyed.key.label) + 1) % len(labels)]


def right_first(scene: Any, _: Streams) -> list[str]:
    return [scene.shade, *(one for one in scene.order if one != scene.shade)]


def right_after_the_first_wrong(scene: Any, streams: Streams) -> list[str]:
    wrong = sorted(set(scene.order) - {scene.shade})
    row, turn = [wrong[0], scene.shade, *wrong[1:]], streams("turn").below(4)
    return row[turn:] + row[:turn]


def one_wrong_twice(scene: Any, _: Streams) -> list[str]:
    wrong = [one for one in scene.order if one != scene.shade]
    return [wrong[0] if one == wrong[1] else one for one in scene.order]


def alike_to_the_eye(one: Benchmark) -> Benchmark:
    def render(bank: Any, scene: Any, name: str) -> PictureArray:
        pixels = one.render(bank, scene, name).copy()
        pixels[..., :3] = 40 if pixels[0, 0, 0] < 128 else 240
        return pixels

    return replace(one, render=render)


def with_the_right_one_marked(one: Benchmark) -> Benchmark:
    """Let a picture show which is right: whoever looks at it needs no clue."""

    def holds(scene: Any, name: str) -> Parts:
        held = one.holds(scene, name)
        return held if "shown" in held else {**held, "marked": held["offered"] == scene.shade}

    def solve(view: View) -> str | None:
        marks = view.parts("marked")
        return view.question.options[marks.index(True)].label if any(marks) else one.solve(view)

    return replace(one, holds=holds, solve=solve)


def with_a_picture_that_is_no_clue(one: Benchmark) -> Benchmark:
    return replace(one, clues={**one.clues, "shade": ("frame",)}, holds=_framed(one))


def _framed(one: Benchmark) -> Callable[[Any, str], Parts]:
    return lambda scene, name: {**one.holds(scene, name), "frame": "black"}


def without_a_ceiling(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, ceilings=()))


def without_a_chance_level(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, chance=one.card.chance[:1]))


def by_its_own_dice(one: Benchmark) -> Benchmark:
    drawn = count()
    return with_orders(lambda scene, _: rotated(scene.order, next(drawn) % 3))(one)


def rotated(row: Sequence[str], by: int) -> tuple[str, ...]:
    return (*row[by:], *row[:by])


def with_a_filter_of_its_own(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, filters={**one.card.filters, "mood": ("calm",)}))


def with_an_unknown_exemption(one: Benchmark) -> Benchmark:
    return replace(one, exempt={**one.exempt, "keys": "no such property"})


PLANTED: dict[str, tuple[Change, set[str]]] = {
    "the option after the right one": (with_keys(after), {"key"}),
    "always the first option": (with_keys(lambda _: "A"), {"key", "places"}),
    "the right option always first": (with_orders(right_first), {"places"}),
    "the right option after another": (with_orders(right_after_the_first_wrong), {"places"}),
    "one wrong option twice": (with_orders(one_wrong_twice), {"options"}),
    "two options that look alike": (alike_to_the_eye, {"options"}),
    "the right option marked": (with_the_right_one_marked, {"clue"}),
    "a clue that is none": (with_a_picture_that_is_no_clue, {"clue"}),
    "dice of its own": (by_its_own_dice, {"reproducible"}),
    "no ceiling": (without_a_ceiling, {"ceilings"}),
    "no chance level": (without_a_chance_level, {"ceilings"}),
    "a filter that no stratum has": (with_a_filter_of_its_own, {"card"}),
    "an exemption from nothing": (with_an_unknown_exemption, {"exempt"}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_reported_by_its_name_and_by_no_other(name: str) -> None:
    change, expected = PLANTED[name]
    assert broken(change(replace(toy(), exempt=UNWRITTEN))) == expected


def test_the_toy_itself_has_no_fault() -> None:
    assert not broken(toy())


def test_what_a_benchmark_raises_is_a_fault_and_no_end_of_the_suite() -> None:
    def solve(_: View) -> str:
        raise RuntimeError("out of ideas")

    found = [one for one in faults(Mounted(replace(toy(), solve=solve), None, NO_BANK)) if one.property == "key"]
    assert "RuntimeError: out of ideas" in str(found[0])


def test_a_property_that_is_exempt_by_name_is_not_looked_at() -> None:
    spoilt = with_keys(after)(replace(toy(), exempt=UNWRITTEN))
    assert not broken(replace(spoilt, exempt={**UNWRITTEN, "key": "planted"}))
    assert not broken(replace(spoilt, exempt={**UNWRITTEN, "key/shade": "planted"}))
    assert broken(replace(spoilt, exempt={**UNWRITTEN, "key/name": "planted"})) == {"key"}


@pytest.mark.parametrize(
    ("places", "problems"),
    [
        ([stream.below(4) for _ in range(1000)], []),
        ([0] * 1000, ["the key stands at", "from the key before"]),
        ([number % 4 for number in range(1000)], ["from the key before"]),
        (
            [0 if stream.below(6) else stream.below(4) for _ in range(1000)],
            ["the key stands at", "from the key before"],
        ),
    ],
)
def test_places_that_follow_each_other_are_found_out(places: list[int], problems: list[str]) -> None:
    labels = ("A", "B", "C", "D")
    choices = [Placed(labels, stream.shuffled(("i", "j", "k", "l")), place) for place in places]
    found = list(uneven(choices))
    assert len(found) == len(problems)
    assert all(one.startswith(start) for one, start in zip(found, problems, strict=True))


@dataclass(frozen=True)
class SceneWithDict:
    item: str
    shade: str
    beside: dict[str, list[str]] = field(default_factory=dict)


def _as_ever(scene: SceneWithDict) -> Any:
    module = importlib.import_module(toy().render.__module__)
    return module.Scene(scene.item, "shade-only", scene.shade, tuple(scene.beside["order"]))


def in_dicts(one: Benchmark) -> Benchmark:
    """Return the toy with a dict in its scenes and in its keys."""

    def sample(*given: Any) -> Any:
        scene = one.sample(*given)
        return SceneWithDict(scene.item, scene.shade, {"order": list(scene.order)})

    def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
        shades = ("dark", "dim", "light", "bright")
        [keyed] = one.questions(_as_ever(scene))
        asked = replaced(keyed.question, shape=StateCaption(properties={"shade": shades}), options=())
        return (replaced(keyed, question=asked, key=StateCaptionKey(values={"shade": scene.shade}), option_values={}),)

    return replace(
        one,
        sample=sample,
        questions=questions,
        next_questions=lambda _scene, _extracted: ("shade",),
        render=lambda bank, scene, name: one.render(bank, _as_ever(scene), name),
        holds=lambda scene, name: one.holds(_as_ever(scene), name),
        describe=lambda scene: one.describe(_as_ever(scene)),
        solve=lambda view: next(iter(view.parts("shown")), None),
        card=replaced(
            one.card,
            tracks=(replaced(one.card.tracks[0], settings=("shade-only",)),),
            metrics=one.card.metrics[:2],
            chance=(),
        ),
    )


def test_a_dict_in_a_key_or_a_scene_breaks_nothing() -> None:
    spoilt = in_dicts(replace(toy(), exempt=UNWRITTEN))
    assert not [str(fault) for fault in faults(Mounted(spoilt, None, NO_BANK))]


def golden_of_source(text: str, tmp_path: Path, name: str) -> str:
    """Return the digest of the toy whose module has this text."""
    path = tmp_path / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"toy_{name}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[f"toy_{name}"] = module
    spec.loader.exec_module(module)
    return made_golden(Mounted(module.BENCHMARK, None, NO_BANK)).digest


def test_a_proof_is_stale_when_an_item_changes_and_not_when_a_local_variable_is_renamed(tmp_path: Path) -> None:
    source = (TOYS / "toy" / "__init__.py").read_text()
    digest = golden_of_source(source, tmp_path, "as_it_is")
    renamed = re.sub(r"\bopened\b", "open_now", re.sub(r"\border\b(?= = streams|\)\n)", "row", source))
    assert renamed != source
    assert golden_of_source(renamed, tmp_path, "renamed") == digest
    for name, old, new in (
        ("drawn", 'streams("places")', 'streams("other places")'),
        ("worded", "Which is the same?", "Which one is the same?"),
        ("keyed", "labels[values.index(right)]", "labels[values.index(right) - 1]"),
        ("painted", '"dim": 100', '"dim": 101'),
        ("declared", "value=1 / 4, why", "value=1 / 3, why"),
    ):
        assert old in source
        assert golden_of_source(source.replace(old, new), tmp_path, name) != digest, name
