import time
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import replace

from api.boards.queries import BoardQuery, board_query
from api.errors import DomainError
from api.http.problems import status_of
from api.practice.queries import practice_request, version_of
from tests.integration.api.trio import card
from tetrad.contracts.benchmarks import Parameter

CARD = card(2)


def refused(*query: tuple[str, str]) -> list[str]:
    with pytest.raises(DomainError) as caught:
        practice_request(CARD, query)
    assert status_of(caught.value) == 422
    return [fault.field for fault in caught.value.faults]


def test_left_out_names_take_the_cards_first_track_and_setting_and_a_random_seed() -> None:
    first, second = practice_request(CARD, []), practice_request(CARD, [])
    assert (first.track, first.setting, first.offset, first.limit) == ("plain", "full", 0, 10)
    assert first.seed != second.seed
    assert 0 <= int(first.seed) < 2**53


def test_parameters_and_filters_go_on_by_their_names() -> None:
    request = practice_request(CARD, [("repeats", "2"), ("parity", "odd"), ("seed", "7")])
    assert request.parameters == {"repeats": "2"}
    assert request.filters == {"parity": "odd"}


BOTH = replace(CARD, filters={"repeats": ("1", "2", "3"), "parity": ("even", "odd")})


@pytest.mark.parametrize("value", ["0", "2"])
def test_a_name_that_is_a_parameter_and_a_filter_means_the_parameter(value: str) -> None:
    request = practice_request(BOTH, [("repeats", value), ("parity", "odd")])
    assert (request.parameters, request.filters) == ({"repeats": value}, {"parity": "odd"})


def test_the_remedy_for_an_unknown_name_has_each_name_once_and_source() -> None:
    with pytest.raises(DomainError) as caught:
        practice_request(BOTH, [("colour", "red")])
    names = caught.value.faults[0].remedy.removeprefix("use ").split(", ")
    assert len(names) == len(set(names))
    assert {"repeats", "parity", "source", "track"} <= set(names)


SIGNED = replace(CARD, filters={"turn": ("+90", "-90", "180"), "parts": ("ends", "ends+middle", "two words")})


@pytest.mark.parametrize(
    ("typed", "filters"),
    [
        ("turn=+90", {"turn": "+90"}),
        ("turn=%2B90", {"turn": "+90"}),
        ("turn=-90", {"turn": "-90"}),
        ("parts=ends+middle", {"parts": "ends+middle"}),
        ("parts=ends%2Bmiddle", {"parts": "ends+middle"}),
        ("parts=two+words", {"parts": "two words"}),
        ("turn=+45", {"turn": " 45"}),
    ],
)
def test_a_plus_typed_into_an_address_is_a_plus_where_a_filter_has_one(typed: str, filters: dict[str, str]) -> None:
    assert practice_request(SIGNED, parse_qsl(typed)).filters == filters


def test_an_unknown_track_is_left_to_the_generator_to_refuse() -> None:
    assert practice_request(CARD, [("track", "none")]).setting == "full"


def test_unknown_and_repeated_names_are_refused_by_name() -> None:
    assert refused(("colour", "red"), ("sizes", "2")) == ["colour", "sizes"]
    assert refused(("seed", "1"), ("seed", "2")) == ["seed"]


def test_a_query_of_very_many_names_is_refused_soon() -> None:
    begun = time.process_time()
    assert len(refused(*((f"n{number}", "") for number in range(20_000)))) == 20_000
    assert time.process_time() - begun < 1


@pytest.mark.parametrize("seed", ["0", "9007199254740991", "ab" * 32])
def test_seeds_are_integers_below_2_to_the_53_or_64_hex_digits(seed: str) -> None:
    assert practice_request(CARD, [("seed", seed)]).seed == seed


@pytest.mark.parametrize(
    "seed", ["", "-1", "+1", "01", "9007199254740992", "1.0", "1e3", "AB" * 32, "ab" * 31, "\u0661", "x"]
)
def test_other_seeds_are_refused(seed: str) -> None:
    assert refused(("seed", seed)) == ["seed"]


@pytest.mark.parametrize(("name", "value"), [("limit", "0"), ("limit", "101"), ("offset", "-1"), ("offset", "x")])
def test_numbers_out_of_bounds_are_refused(name: str, value: str) -> None:
    assert refused((name, value)) == [name]


def test_a_version_is_a_whole_number() -> None:
    assert version_of([("version", "3")]) == 3
    assert version_of([]) is None
    with pytest.raises(DomainError):
        version_of([("version", "0")])


def test_a_board_fills_in_what_is_left_out() -> None:
    assert board_query(CARD, []) == BoardQuery("plain", "full", {"repeats": 1, "tint": "red", "shiny": False}, "fresh")
    wanted = board_query(CARD, [("repeats", "3"), ("tint", "blue"), ("shiny", "true"), ("setting", "which-only")])
    assert wanted == BoardQuery("plain", "which-only", {"repeats": 3, "tint": "blue", "shiny": True}, "fresh")
    assert board_query(CARD, [("setting", "dialogue")]).conversation == "joined"
    assert board_query(CARD, [("conversation", "joined")]).conversation == "joined"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("track", "none"),
        ("setting", "none"),
        ("repeats", "4"),
        ("repeats", "01"),
        ("tint", "green"),
        ("shiny", "True"),
        ("wording", "child"),
        ("seed", "1"),
        ("conversation", "both"),
    ],
)
def test_a_board_that_cannot_be_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(DomainError) as caught:
        board_query(CARD, [(name, value)])
    assert [fault.field for fault in caught.value.faults] == [name]


def test_a_parameter_without_bounds_has_only_its_default() -> None:
    unbounded = replace(CARD, parameters=(Parameter(name="depth", help="", default=3),))
    assert board_query(unbounded, [("depth", "3")]).parameters == {"depth": 3}
    with pytest.raises(DomainError):
        board_query(unbounded, [("depth", "4")])
