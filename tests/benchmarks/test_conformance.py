"""One set of properties for every benchmark of the registry, at every track and setting."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.benchmark import ExtractedAnswers
from generator_service.drawing.png import encode_png
from generator_service.draws import Draw
from generator_service.items import Item, asked, make_item
from generator_service.parameters import IdentityError, other_values
from generator_service.registry import Mounted, Registry, find_benchmarks, mount
from tetrad.contracts.answers import SealedAnswer
from tetrad.contracts.items import Choice, KeyedQuestion
from tetrad.contracts.wire import ParameterValue
from tetrad.extraction.answers import is_legal
from tetrad.streams import Stream

TOYS = Path(__file__).parents[1] / "toy_benchmarks"
ITEMS = 30
FOUND = list(find_benchmarks([TOYS]))
PLACES = [
    # One worker a place: what a place makes is made once.
    pytest.param((one.name, track.name, setting), marks=pytest.mark.xdist_group(f"{one.name} {track.name} {setting}"))
    for one in FOUND
    for track in one.card.tracks
    for setting in track.settings
]


def _variants(mounted: Mounted) -> Iterator[dict[str, ParameterValue]]:
    """Yield the defaults, then every other value of each parameter alone."""
    yield {}
    for parameter in mounted.benchmark.card.parameters:
        yield from ({parameter.name: value} for value in other_values(parameter))


@cache
def _registry(bank_folder: Path) -> Registry:
    return mount(FOUND, bank_folder)


def _draws(bank_folder: Path, name: str, track: str, setting: str) -> Iterator[tuple[Mounted, Draw]]:
    mounted = _registry(bank_folder).newest(name)
    assert mounted is not None
    for given in _variants(mounted):
        try:
            identity = mounted.identity(track, setting, given)
        except IdentityError:
            assert mounted.benchmark.card.exclusions, "values of the card are refused only where it says so"
            continue
        yield mounted, Draw(mounted.benchmark, identity, "20")


@pytest.fixture(scope="module", params=PLACES, ids="-".join)
def made(request: pytest.FixtureRequest, bank_folder: Path) -> list[tuple[Mounted, Draw, list[Item]]]:
    return [
        (mounted, draw, [make_item(mounted, draw, index) for index in range(ITEMS)])
        for mounted, draw in _draws(bank_folder, *request.param)
    ]


Made = list[tuple[Mounted, Draw, list[Item]]]


def test_an_item_alone_equals_the_same_item_in_a_run(made: Made) -> None:
    for mounted, draw, items in made:
        alone = Draw(mounted.benchmark, draw.identity, draw.seed)
        for index in (ITEMS - 1, 3):
            again = make_item(mounted, alone, index)
            assert (again.scene, again.questions) == (items[index].scene, items[index].questions)


def test_items_differ(made: Made) -> None:
    for _, _, items in made:
        assert len({repr(item.scene) for item in items}) > ITEMS * 0.9


def test_keys_are_among_the_options_and_options_are_labelled_once(made: Made) -> None:
    for _, _, items in made:
        for keyed in (keyed for item in items for keyed in item.questions):
            labels = [option.label for option in keyed.question.options]
            assert is_legal(keyed.question.shape, keyed.key.label)
            if isinstance(keyed.question.shape, Choice):
                assert tuple(labels) == keyed.question.shape.labels
                assert len(set(labels)) == len(labels) > 1
            else:
                assert not labels, "what is not chosen has no options"


def test_questions_name_their_own_pictures_and_every_picture_renders(made: Made) -> None:
    for variant, (mounted, _, items) in enumerate(made):
        for item in items[: 1 if variant else 3]:
            for keyed in item.questions:
                names = {picture.name for picture in keyed.question.pictures}
                assert all(name.isdecimal() for name in names), "picture names are positions"
                assert {option.picture for option in keyed.question.options} - {None} <= names
                for name in names:
                    pixels = mounted.benchmark.render(mounted.bank, item.scene, name)
                    assert pixels.dtype == np.uint8
                    assert (pixels.ndim, pixels.shape[2]) == (3, 4)
                    assert variant or encode_png(pixels).startswith(b"\x89PNG")


def test_the_same_picture_has_the_same_pixels_each_time(made: Made) -> None:
    for mounted, _, items in made[:1]:
        for keyed in items[0].questions:
            for picture in keyed.question.pictures:
                first, second = (mounted.benchmark.render(mounted.bank, items[0].scene, picture.name) for _ in range(2))
                assert np.array_equal(first, second)


def test_a_picture_the_scene_does_not_have_is_a_key_error(made: Made) -> None:
    mounted, _, items = made[0]
    with pytest.raises(KeyError):
        mounted.benchmark.render(mounted.bank, items[0].scene, "999")


def test_questions_open_monotonely_and_every_way_through_ends_with_a_final_one(made: Made) -> None:
    for mounted, draw, items in made:
        for index, item in enumerate(items):
            stream = Stream("conformance", draw.seed, index)
            labels = {keyed.question.id: _some_answers(keyed) for keyed in item.questions}
            final = {keyed.question.id for keyed in item.questions if keyed.question.final}
            readings: dict[str, str | None] = {}
            opened = mounted.benchmark.next_questions(item.scene, readings)
            assert opened
            while waiting := [name for name in opened if name not in readings]:
                name = stream.choice(waiting)
                readings[name] = stream.choice((*labels[name], None))
                after = mounted.benchmark.next_questions(item.scene, readings)
                assert set(opened) <= set(after), "an answer takes nothing away"
                assert name not in final or after == opened, "nothing opens after a final question"
                opened = after
            assert name in final, "whichever is answered last finishes the item without another look at it"


def test_what_opens_a_question_are_answers_to_those_before_it(made: Made) -> None:
    """So all answers of an item can be looked at at once: none opens its own question."""
    stream = Stream("conformance", "order")
    for mounted, _, items in made:
        for item in items:
            names = [keyed.question.id for keyed in item.questions]
            readings = {keyed.question.id: stream.choice((*_some_answers(keyed), None)) for keyed in item.questions}
            opened = mounted.benchmark.next_questions(item.scene, readings)
            for place, name in enumerate(names):
                before = {known: readings[known] for known in names[:place]}
                assert (name in mounted.benchmark.next_questions(item.scene, before)) == (name in opened)


def _some_answers(keyed: KeyedQuestion) -> tuple[str, ...]:
    shape = keyed.question.shape
    return shape.labels if isinstance(shape, Choice) else (keyed.key.label, "0", "7")


def test_what_is_asked_depends_on_nothing_but_the_answers(made: Made) -> None:
    for mounted, _, items in made:
        for item in items[:5]:
            key = {keyed.question.id: keyed.key.label for keyed in item.questions}
            right = [SealedAnswer(item=0, question=name, answer=label) for name, label in key.items()]
            opened = _all_open(mounted, item, key)
            given = [answer for answer in right if answer.question in opened]
            assert [one.question.id for one in asked(mounted, item, given)] == opened
            assert [one.question.id for one in asked(mounted, item, given[::-1])] == opened


def _all_open(mounted: Mounted, item: Item, readings: ExtractedAnswers) -> list[str]:
    opened = mounted.benchmark.next_questions(item.scene, readings)
    return [keyed.question.id for keyed in item.questions if keyed.question.id in opened]


def test_metrics_chance_levels_and_filters_speak_of_facets_that_exist(made: Made) -> None:
    for mounted, draw, items in made:
        card = mounted.benchmark.card
        facets = {name for item in items for keyed in item.questions for name in keyed.facets}
        for metric in card.metrics:
            # A group that some tracks lack is of one of the card's filters, whose values it lists.
            assert set(metric.where) | set(metric.by) - set(card.filters) <= facets
        assert {name for level in card.chance for name in level.where} <= facets
        assert card.headline.metric in {metric.name for metric in card.metrics}
        for index in range(ITEMS):
            cell = draw.cell(index)
            assert all(cell[name] in values for name, values in card.filters.items() if name in cell)


def test_a_question_tells_neither_its_key_nor_its_facets(made: Made) -> None:
    for _, _, items in made:
        for keyed in (keyed for item in items for keyed in item.questions):
            public = set(msgspec.to_builtins(keyed.question))
            assert not public & {"key", "facets", "cluster", "meanings"}
            assert len(set(keyed.option_values.values())) == len(keyed.option_values)


def test_a_solution_is_plain_data_with_a_sentence(made: Made) -> None:
    for mounted, _, items in made:
        sentence, data = mounted.benchmark.describe(items[0].scene)
        assert sentence.endswith(".")
        assert msgspec.json.decode(msgspec.json.encode(data)).keys() == data.keys()


def test_every_card_s_questions_come_in_the_order_its_setting_says(made: Made) -> None:
    for mounted, draw, items in made:
        setting = next(one for one in mounted.benchmark.card.settings if one.name == draw.identity.setting)
        for item in items:
            kinds = list(dict.fromkeys(keyed.question.kind for keyed in item.questions))
            assert tuple(kinds) == setting.questions


def test_every_track_s_settings_are_on_the_card_and_its_paper_is_credited() -> None:
    for one in FOUND:
        names = {setting.name for setting in one.card.settings}
        assert all(set(track.settings) <= names for track in one.card.tracks)
        assert one.card.credit.url.startswith("https://")
