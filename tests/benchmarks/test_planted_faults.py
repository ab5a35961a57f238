"""Every fault that the conformance suite is there for, planted in the toy: just that property is reported."""

import importlib
import importlib.util
import re
import sys
from base64 import b64decode
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from io import BytesIO
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace as replaced
from PIL import Image

from generator_service.benchmark import Benchmark, Parts, PictureArray, Streams, View
from generator_service.finding import find_benchmarks
from generator_service.mounting import NO_BANK, Mounted
from generator_service.proving import knowledge
from generator_service.proving.conformance import faults
from generator_service.proving.equivalence import BROKEN, NOT_REFUTED, WEAK
from generator_service.proving.findings import low_level_findings
from generator_service.proving.golden import made_golden, write
from generator_service.proving.knowledge import Knowledge, Seeing
from generator_service.proving.low_level import variants_with_bars
from generator_service.proving.properties import pictures
from generator_service.proving.properties.places import Placed, find_unevenness
from generator_service.proving.samples import ITEMS, places, sample_at
from tests.benchmarks.proved import is_proved
from tetrad.contracts.benchmarks import Bar, ReferenceRow
from tetrad.contracts.inference import ImagePart, Message
from tetrad.contracts.items import ChoiceKey, KeyedQuestion, Picture, StateCaption, StateCaptionKey
from tetrad.streams import Stream

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
UNWRITTEN = {"golden": "planted: its items were never written down"}
Change = Callable[[Benchmark], Benchmark]
stream = Stream("planted faults")


@cache
def toy() -> Benchmark:
    return next(one for one in find_benchmarks([TOYS]) if one.name == "toy")


def broken(benchmark: Benchmark, items: int = ITEMS) -> set[str]:
    """Return the names of the properties that do not hold of so many items at each place."""
    mounted = Mounted(benchmark, None, NO_BANK)
    return {fault.property for fault in faults(mounted, (sample_at(mounted, at, items) for at in places(mounted)))}


def few_items() -> int:
    """Return how many items show each fault but shortcuts, which are learned from all; all where proving/ changed."""
    return 250 if is_proved("carv") else ITEMS


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


def with_a_row_that_tells(one: Benchmark) -> Benchmark:
    """Let a part that the author's solver does not look at tell the answer: the next shade stands for the right one."""

    def holds(scene: Any, name: str) -> Parts:
        held = one.holds(scene, name)
        following = LIGHTNESS[(LIGHTNESS.index(scene.shade) + 1) % len(LIGHTNESS)]
        return {**held, "second row": following} if name == "1" else held

    return replace(one, holds=holds)


def with_a_caption_that_tells(one: Benchmark) -> Benchmark:
    """Let the caption of the right option end in a full stop."""

    def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
        *before, last = one.questions(scene)
        right = next(option.picture for option in last.question.options if option.label == last.key.label)
        pictures = tuple(
            replaced(picture, caption=f"{picture.caption}.") if picture.name == right else picture
            for picture in last.question.pictures
        )
        return *before, replaced(last, question=replaced(last.question, pictures=pictures))

    return replace(one, questions=questions)


def with_a_picture_that_is_no_clue(one: Benchmark) -> Benchmark:
    return replace(one, clues={**one.clues, "shade": ("frame",)}, holds=_framed(one))


def _framed(one: Benchmark) -> Callable[[Any, str], Parts]:
    return lambda scene, name: {**one.holds(scene, name), "frame": "black"}


def without_a_ceiling(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, ceilings=()))


def a_ceiling_of_nobody(one: Benchmark) -> Benchmark:
    first, *others = one.card.ceilings
    return replace(one, card=replaced(one.card, ceilings=(first, *others, replaced(first, solver="option-only"))))


def without_a_chance_level(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, chance=one.card.chance[:1]))


def by_its_own_dice(one: Benchmark) -> Benchmark:
    drawn = count()
    return with_orders(lambda scene, _: rotated(scene.order, next(drawn) % 3))(one)


def rotated(row: Sequence[str], by: int) -> tuple[str, ...]:
    return (*row[by:], *row[:by])


def with_a_filter_of_its_own(one: Benchmark) -> Benchmark:
    return replace(one, card=replaced(one.card, filters={**one.card.filters, "mood": ("calm",)}))


def with_a_row(**fields: Any) -> Change:
    row = ReferenceRow(
        **{
            "name": "people",
            "kind": "human",
            "metric": "accuracy",
            "value": 1.0,
            "items": None,
            "source": "a paper, table 1",
            "pictures": "photographs, not these",
            "prompt": "not said",
            **fields,
        }
    )
    return lambda one: replace(one, card=replaced(one.card, reference=(row,)))


def with_an_unknown_exemption(one: Benchmark) -> Benchmark:
    return replace(one, exempt={**one.exempt, "keys": "no such property"})


def with_outcomes(outcomes_of: Callable[[KeyedQuestion], dict[str, str]], *declared: str) -> Change:
    """Return the toy with outcomes of its last question's options, and those that it declares."""

    def change(one: Benchmark) -> Benchmark:
        def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
            *before, last = one.questions(scene)
            return *before, replaced(last, key=ChoiceKey(label=last.key.label, outcomes=outcomes_of(last)))

        return replace(one, questions=questions, outcomes={"shade": declared} if declared else {})

    return change


LIGHTNESS = ("dark", "dim", "light", "bright")
FAR, NEAR = "far off", "next to it"


def distance(keyed: KeyedQuestion) -> dict[str, str]:
    """Name each wrong option by how far its shade is from the right one."""
    place = {label: LIGHTNESS.index(value) for label, value in keyed.option_values.items()}
    right = keyed.key.label
    return {label: NEAR if abs(at - place[right]) == 1 else FAR for label, at in place.items() if label != right}


def seen_distance(view: View, label: str) -> str | None:
    """Find the same from what is to be seen; the words of the toy's other questions don't tell."""
    if view.question.kind != "shade":
        return None
    [shown] = view.parts("shown")
    place = [option.label for option in view.question.options].index(label)
    return NEAR if abs(LIGHTNESS.index(view.parts("offered")[place]) - LIGHTNESS.index(shown)) == 1 else FAR


def with_outcomes_of_one_mode(*declared: str) -> Change:
    """Return the toy with outcomes that have other names under another value of a parameter."""

    def change(one: Benchmark) -> Benchmark:
        def sample(*given: Any) -> Any:
            scene = one.sample(*given)
            return replace(scene, item=f"{scene.item} {given[3]['mode']}")

        def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
            *before, last = one.questions(scene)
            mode = scene.item.rpartition(" ")[2]
            outcomes = {label: f"{mode} {name}" for label, name in distance(last).items()}
            return *before, replaced(last, key=ChoiceKey(label=last.key.label, outcomes=outcomes))

        return replace(one, sample=sample, questions=questions, outcomes={"shade": declared})

    return change


def checked(change: Change) -> Change:
    return lambda one: replace(change(one), mistake=seen_distance)


def swapped(keyed: KeyedQuestion) -> dict[str, str]:
    return {label: NEAR if name == FAR else FAR for label, name in distance(keyed).items()}


def with_the_right_one_named(keyed: KeyedQuestion) -> dict[str, str]:
    return {**distance(keyed), keyed.key.label: FAR}


def with_a_label_too_many(keyed: KeyedQuestion) -> dict[str, str]:
    return {**distance(keyed), "Z": FAR}


def without_the_last(keyed: KeyedQuestion) -> dict[str, str]:
    return dict(list(distance(keyed).items())[:-1])


def with_a_clue_that_nobody_needs(one: Benchmark) -> Benchmark:
    """The frame is hidden along with what is shown, and hurts nobody alone."""
    return replace(one, clues={**one.clues, "shade": ("shown", "frame")}, holds=_framed(one))


def of_another_scene(one: Benchmark) -> Benchmark:
    """Draw one scene, whatever is asked for."""

    def render(bank: Any, scene: Any, name: str) -> PictureArray:
        return one.render(bank, replace(scene, shade="dark", order=LIGHTNESS), name)

    return replace(one, render=render)


def on_a_table_that_nobody_makes(one: Benchmark) -> Benchmark:
    return replace(one, tables={"photographs": ("measures/usable",)})


FIXED = {"dark": (200, 40, 40), "dim": (40, 160, 60), "light": (50, 80, 210), "bright": (230, 200, 40)}
GIVEN = {"6": "A", "1": "A'", "7": "B"}


def of_coloured_things(*, fixed: bool) -> Change:
    """Return the toy as an analogy: of A, A', B and options each shows a thing, known by the quarter that it stands in.

    Its colour is drawn for each picture anew, or is fixed. Pixels and edges tell the quarter, and the card says so.
    """

    def shade_in(scene: Any, name: str) -> str:
        others = [shade for shade in LIGHTNESS if shade != scene.shade]
        old = others[int(scene.item) % len(others)]
        shades: dict[str, str] = {str(place): shade for place, shade in enumerate(scene.order, 2)}
        return str({**shades, "6": old, "1": scene.shade, "7": old}[name])

    def render(_: Any, scene: Any, name: str) -> PictureArray:
        shade = shade_in(scene, name)
        drawn = Stream("colours of things", scene.item, name).choice(list(FIXED.values()))
        down, right = divmod(LIGHTNESS.index(shade), 2)
        pixels = np.full((32, 32, 4), 255, np.uint8)
        pixels[16 * down + 4 : 16 * down + 12, 16 * right + 4 : 16 * right + 12, :3] = FIXED[shade] if fixed else drawn
        return pixels

    def change(one: Benchmark) -> Benchmark:
        def questions(scene: Any) -> tuple[KeyedQuestion, ...]:
            *before, last = one.questions(scene)
            _, *offered = last.question.pictures
            given = [Picture(name=name, caption=f"picture {what}") for name, what in GIVEN.items()]
            return *before, replaced(last, question=replaced(last.question, pictures=(*given, *offered)))

        def holds(scene: Any, name: str) -> Parts:
            return {"frame": "a thing before the change"} if name in {"6", "7"} else one.holds(scene, name)

        bars = tuple(
            Bar(solver=f"low-level-{seen}", where={"stage": ("shade",)}, parameters={}, value=1.0, items=100)
            for seen in ("pixels", "edges")
        )
        card = replaced(one.card, bars=bars)
        return replace(one, card=card, render=render, questions=questions, holds=holds)

    return change


PLANTED: dict[str, tuple[Change, set[str]]] = {
    "the option after the right one": (with_keys(after), {"key"}),
    "always the first option": (with_keys(lambda _: "A"), {"key", "places", "shortcuts"}),
    "the right option always first": (with_orders(right_first), {"places", "shortcuts"}),
    "the right option after another": (with_orders(right_after_the_first_wrong), {"places", "shortcuts"}),
    "one wrong option twice": (with_orders(one_wrong_twice), {"options", "shortcuts"}),
    "two options that look alike": (alike_to_the_eye, {"options", "pixels"}),
    "the right option marked": (with_the_right_one_marked, {"clue", "shortcuts"}),
    "a row beside the clue that tells the answer": (with_a_row_that_tells, {"shortcuts"}),
    "a caption that tells the answer": (with_a_caption_that_tells, {"shortcuts"}),
    "things of colours that vary": (of_coloured_things(fixed=False), set()),
    "things of one colour each": (of_coloured_things(fixed=True), {"low-level"}),
    "a clue that is none": (with_a_picture_that_is_no_clue, {"clue", "shortcuts"}),
    "outcomes, declared and found again": (checked(with_outcomes(distance, NEAR, FAR)), set()),
    "an outcome of the right option": (with_outcomes(with_the_right_one_named, NEAR, FAR), {"outcomes"}),
    "an outcome of what is no option": (with_outcomes(with_a_label_too_many, NEAR, FAR), {"outcomes"}),
    "a wrong option without an outcome": (with_outcomes(without_the_last, NEAR, FAR), {"outcomes"}),
    "an outcome that is not declared": (with_outcomes(distance, NEAR), {"outcomes"}),
    "outcomes and none declared": (with_outcomes(distance), {"outcomes"}),
    "a declared outcome that never occurs": (with_outcomes(distance, NEAR, FAR, "upside down"), {"outcomes"}),
    "outcomes that occur under another value of a parameter": (
        with_outcomes_of_one_mode(*(f"{mode} {name}" for mode in ("plain", "fancy") for name in (NEAR, FAR))),
        set(),
    ),
    "an outcome that occurs under no value of a parameter": (
        with_outcomes_of_one_mode(*(f"{mode} {name}" for mode in ("plain", "fancy", "odd") for name in (NEAR, FAR))),
        {"outcomes"},
    ),
    "outcomes of the wrong options": (checked(with_outcomes(swapped, NEAR, FAR)), {"outcomes"}),
    "a clue beside the one that is needed": (with_a_clue_that_nobody_needs, {"clue", "shortcuts"}),
    "a renderer that ignores the scene": (of_another_scene, {"pixels"}),
    "a table that no job makes": (on_a_table_that_nobody_makes, {"tables"}),
    "dice of its own": (by_its_own_dice, {"reproducible"}),
    "no ceiling": (without_a_ceiling, {"ceilings"}),
    "a ceiling of a sight that nobody has": (a_ceiling_of_nobody, {"ceilings"}),
    "no chance level": (without_a_chance_level, {"ceilings"}),
    "a figure of other pictures, said to be of others": (with_a_row(), set()),
    "a figure that is said to be of the pictures that are served": (with_a_row(pictures="these"), {"card"}),
    "a figure of no table": (with_a_row(source="a paper"), {"card"}),
    "a figure that does not say how it was asked": (with_a_row(prompt=""), {"card"}),
    "a filter that no stratum has": (with_a_filter_of_its_own, {"card"}),
    "an exemption from nothing": (with_an_unknown_exemption, {"exempt"}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_reported_by_its_name_and_by_no_other(name: str) -> None:
    change, expected = PLANTED[name]
    items = ITEMS if "shortcuts" in expected else few_items()
    assert broken(change(replace(toy(), exempt=UNWRITTEN)), items) == expected


def test_a_proof_holds_bars_from_both_sides() -> None:
    twin = of_coloured_things(fixed=False)(toy())
    bars = [replaced(bar, value=1 / 4) for bar in twin.card.bars[:1]] + [replaced(twin.card.bars[1], items=60)]
    bars.append(replaced(bars[0], solver="low-level-hue", value=0.9))
    barred = replace(twin, card=replaced(twin.card, bars=tuple(bars)))
    [variant] = variants_with_bars(barred.card)
    found = low_level_findings(Mounted(barred, None, NO_BANK), variant, 60)
    verdicts = {finding.solver: finding.verdict for finding in found}
    assert (verdicts["low-level-pixels"], verdicts["low-level-hue"]) == (BROKEN, WEAK)
    assert verdicts["low-level-edges"] == NOT_REFUTED


def test_the_toy_itself_has_no_fault() -> None:
    assert not broken(toy())


def test_what_a_benchmark_raises_is_a_fault_and_no_end_of_the_suite() -> None:
    def solve(_: View) -> str:
        raise RuntimeError("out of ideas")

    found = [one for one in faults(Mounted(replace(toy(), solve=solve), None, NO_BANK)) if one.property == "key"]
    assert "RuntimeError: out of ideas" in str(found[0])


def test_a_property_that_is_exempt_by_name_is_not_looked_at() -> None:
    spoilt = with_keys(after)(replace(toy(), exempt=UNWRITTEN))
    assert not broken(replace(spoilt, exempt={**UNWRITTEN, "key": "planted"}), few_items())
    assert not broken(replace(spoilt, exempt={**UNWRITTEN, "key/shade": "planted"}), few_items())
    assert broken(replace(spoilt, exempt={**UNWRITTEN, "key/name": "planted"}), few_items()) == {"key"}


def test_a_clue_that_hurts_nobody_alone_is_exempt_by_its_name() -> None:
    spoilt = with_a_clue_that_nobody_needs(replace(toy(), exempt=UNWRITTEN))
    assert not broken(replace(spoilt, exempt={**UNWRITTEN, "clue/shade/frame": "it says the same again"}))
    spoilt = replace(spoilt, exempt={**UNWRITTEN, "clue/shade/shown": "it says the same again"})
    assert broken(spoilt) == {"clue", "shortcuts"}


def test_where_a_solver_of_pictures_is_known_it_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that finds the key by the shades of the pictures; and a renderer that shows the options in another order."""

    class Eye:
        def reply(self, messages: Sequence[Message]) -> str:
            parts = [part for message in messages for part in message.content if isinstance(part, ImagePart)]
            pictures = [b64decode(part.image_url.url.partition(",")[2]) for part in parts]
            shown, *offered = [Image.open(BytesIO(png)).convert("L").getpixel((0, 0)) for png in pictures]
            return f"({'ABCD'[offered.index(shown)]})" if shown in offered else "none"

    monkeypatch.setattr(knowledge, "open_solver", lambda _name: Eye())
    seeing = Seeing(solver="eye", where={"stage": ("shade",)}, least=0.97)
    monkeypatch.setattr(pictures, "knowledge_of", lambda _name: Knowledge(seeing=seeing))
    assert not broken(replace(toy(), exempt=UNWRITTEN), few_items())

    def turned(one: Benchmark) -> Benchmark:
        def render(bank: Any, scene: Any, name: str) -> PictureArray:
            return one.render(bank, replace(scene, order=rotated(scene.order, 1)), name)

        return replace(one, render=render)

    assert broken(turned(replace(toy(), exempt=UNWRITTEN)), few_items()) == {"pixels"}


@pytest.mark.parametrize(
    ("of_keys", "problems"),
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
def test_places_that_follow_each_other_are_found_out(of_keys: list[int], problems: list[str]) -> None:
    labels = ("A", "B", "C", "D")
    choices = [Placed(labels, stream.shuffle(("i", "j", "k", "l")), place) for place in of_keys]
    found = list(find_unevenness(choices))
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


def test_golden_items_of_another_source_are_not_compared_and_that_is_said_once() -> None:
    mounted = Mounted(toy(), None, "f" * 64, bank_name="photographs:mine")
    found = list(faults(mounted, (sample_at(mounted, place, few_items()) for place in places(mounted))))
    assert [one.property for one in found] == ["golden"]
    assert "ffffffffffff is mounted (photographs:mine)" in found[0].problem
    assert "this is no change of the benchmark" in found[0].problem
    with pytest.raises(ValueError, match="mount that one, or replace what is written down"):
        write(Mounted(toy(), None, "f" * 64, bank_name="photographs:mine"))
