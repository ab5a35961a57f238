"""Every stratum makes puzzles that stand, that the rules alone solve, and whose key the choices don't tell."""

from collections import Counter
from itertools import product

import pytest
from msgspec.structs import replace

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.forms.moving import STATIONS
from generator_service.benchmarks.marvel.knowledge import refusals
from generator_service.benchmarks.marvel.metrics import best_constant_counts
from generator_service.benchmarks.marvel.nets.marks import MARK_FAMILIES
from generator_service.benchmarks.marvel.nets.puzzles import MOST_SETS, MOST_TRIES, SOLIDS, families_on
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.rules.accepting import ANOTHER, BY_CHANCE, REPEATED, UNDECIDED, verdict
from generator_service.benchmarks.marvel.rules.families import FAMILIES, families_of
from generator_service.benchmarks.marvel.rules.laws import BOUNCE
from generator_service.benchmarks.marvel.solver import NoSingleChoice
from generator_service.benchmarks.marvel.spec import (
    CELLS,
    GROUP,
    LENGTHS,
    MATHEMATICAL,
    MATRIX,
    REASSEMBLING,
    SEQUENCE,
    SHAPES,
    SOLID,
    TEMPORAL,
    TWO_ROW,
    Puzzle,
    panels_in_context,
)
from tests.benchmarks.marvel.items import STRATA, puzzle, puzzles, solved_place

EACH = 25
FLAT = [cell for cell in CELLS if cell[0] != SOLID]


def test_there_are_twenty_cells_with_four_families_each_in_both_kinds_of_shape() -> None:
    assert len(CELLS) == 20
    assert (MATHEMATICAL, GROUP) not in CELLS
    for pattern, configuration in FLAT:
        assert len(families_of(pattern, configuration)) >= 4
    for shape in SHAPES:
        assert len(families_on(SOLIDS["cube"], shape)) == 4


@pytest.mark.parametrize("stratum", STRATA, ids=" ".join)
def test_every_family_of_a_cell_comes_up_in_both_kinds_of_shape(stratum: tuple[str, str, str]) -> None:
    pattern, configuration, shape = stratum
    flat = {family.name for family in families_of(pattern, configuration)}
    marks = {name for name, family in MARK_FAMILIES.items() if family.shape == shape}
    assert {puzzle(*stratum, number).family for number in range(60)} == (marks if pattern == SOLID else flat)


def test_two_rules_of_a_matrix_run_the_same_way() -> None:
    drawn = [puzzle(*stratum, number) for stratum in STRATA if stratum[1] == MATRIX for number in range(80)]
    two = [one for one in drawn if len(one.rules) == 2]
    ways = Counter(tuple({rule.rsplit(" by ", 1)[1] for rule in one.rules}) for one in two)
    assert set(ways) == {("row",), ("column",)}
    speeds = [one for one in two if one.pattern == TEMPORAL]
    assert len(speeds) > 10
    assert all(rule.endswith(" by row") for one in speeds for rule in one.rules), "read row by row"


def test_the_rules_alone_solve_every_puzzle() -> None:
    for one in puzzles(EACH):
        assert solved_place(one) == one.key


def test_with_another_puzzles_context_the_rules_do_not_find_the_key() -> None:
    flat = [one for one in puzzles(EACH) if one.pattern != SOLID]
    found = [_found(replace(one, context=(one.choices * 3)[: len(one.context)])) == one.key for one in flat]
    assert sum(found) < 0.4 * len(flat)


def _found(one: Puzzle) -> int | None:
    try:
        return solved_place(one)
    except NoSingleChoice:
        return None


def test_every_choice_of_a_cell_is_attained_as_key_at_every_place() -> None:
    places = Counter(one.key for one in puzzles(EACH))
    assert min(places.values()) > 0.8 * len(puzzles(EACH)) / 4


def test_no_attribute_stands_out_among_the_choices() -> None:
    """In each field a choice governs, a value is shared by none or by exactly one other choice."""
    for one in puzzles(EACH):
        if one.pattern == SOLID or one.form in {"mosaic", "lattice", "spokes"}:
            continue
        family = next(known for known in FAMILIES if known.name == one.family and known.pattern == one.pattern)
        for name in family.governs:
            shown = Counter(panel.values[FORMS[one.form].place(name)] for panel in one.choices)
            assert set(shown.values()) == ({1} if len(family.governs) == 1 else {2})


def test_no_choice_of_a_group_whose_panels_vary_by_chance_is_a_copy_of_a_context_panel() -> None:
    loose = {family.name for family in FAMILIES if family.loose}
    groups = [one for one in puzzles(EACH) if one.configuration == GROUP and one.family in loose]
    assert len(groups) > EACH
    for one in groups:
        assert not {panel.values for panel in one.choices} & {panel.values for panel in one.context}


def test_puzzles_have_the_panels_of_their_configuration() -> None:
    counts = {TWO_ROW: 6, MATRIX: 9, GROUP: 3, REASSEMBLING: 1}
    for one in puzzles(EACH):
        wanted = LENGTHS[one.pattern] if one.configuration == SEQUENCE else (counts[one.configuration],)
        assert panels_in_context(one) in wanted
        assert len(one.choices) == len({panel.values for panel in one.choices}) == 4


def test_no_two_puzzles_look_alike() -> None:
    """Fewer of a stratum than for the rest: every panel is drawn."""
    drawn = [_drawn(one) for one in puzzles(8)]
    assert len(set(drawn)) == len(drawn) == 8 * len(STRATA)


def _drawn(one: Puzzle) -> bytes:
    kind = one.family if one.pattern == SOLID else one.form
    return b"".join(draw_panel(kind, one.look, panel).tobytes() for panel in (*one.context, *one.choices))


def test_no_sequence_that_repeats_goes_on_with_another_choice() -> None:
    """One repeat is enough for many to follow it: after 3 4 1 3 comes 4."""
    for pattern, configuration, shape in STRATA:
        if configuration != SEQUENCE:
            continue
        for number in range(60):
            one = puzzle(pattern, configuration, shape, number)
            [family] = (known for known in families_of(pattern, configuration) if known.name == one.family)
            for place in map(family.panel.place, family.governs):
                seen, offered = ([panel.values[place] for panel in panels] for panels in (one.context, one.choices))
                for period in (2, 3):
                    repeats = all(a == b for a, b in zip(seen, seen[period:], strict=False))
                    if repeats and len(seen) > period and len(set(seen)) > 1 and seen[-period] in offered:
                        assert offered[one.key] == seen[-period], (one.rules, seen, offered)


def test_no_bounce_is_back_at_its_beginning_before_the_blank() -> None:
    """Eyes that had not drawn them were unsure of 3 of 12: 4 3 2 1 2 3 4 goes on to 5, and 3 would begin again."""
    [bounce] = [family for family in FAMILIES if family.name == "bounce"]
    for shown in (panels - 1 for panels in bounce.lengths):
        lines = [line for line in product(range(STATIONS), repeat=shown) if BOUNCE.read(line, STATIONS)]
        shown_lines = [line for line in lines if BOUNCE.is_shown(line)]
        assert len(shown_lines) > STATIONS
        for line in shown_lines:
            repeats = [period for period in range(2, shown) if line[period:] == line[:-period]]
            assert not repeats, (line, repeats)


def test_refusals_are_counted_by_reason_and_stay_within_bounds() -> None:
    rejected: Counter[str] = Counter()
    tries = [puzzle(*stratum, number, rejected).tries for stratum in STRATA for number in range(EACH)]
    assert max(tries) <= MOST_SETS * MOST_TRIES
    assert rejected["set dropped"] == 0, "a set that is dropped would make its members' chances unequal"
    assert set(rejected) <= {ANOTHER, UNDECIDED, BY_CHANCE, REPEATED, "no context leads to the key"} | {
        f"another {solid} possible" for solid in SOLIDS
    }
    assert sum(rejected.values()) < len(tries)
    assert sum(tries) == len(tries) + sum(rejected.values())


def test_the_proof_s_report_tells_refusals_of_every_cell_by_reason() -> None:
    count = 12
    head, _, *rows = [line.strip("| ").split(" | ") for line in refusals(count).splitlines() if line.startswith("|")]
    assert head[-1] == "set dropped"
    assert {ANOTHER, BY_CHANCE} <= set(head)
    assert [row[0] for row in rows] == [", ".join(cell) for cell in CELLS]
    for _, mean, most, *refused in rows:
        assert float(mean) == pytest.approx(1 + sum(map(int, refused)) / count, abs=0.01)
        assert 1 <= int(most) <= 1 + sum(map(int, refused))


def test_a_puzzle_with_two_rules_that_disagree_is_refused() -> None:
    """1 2 3 over 2 3 ? is 4 by progression and 5 by sum."""
    form, one = FORMS["scatter"], puzzles(1)[0]
    context = [(1,), (2,), (3,), (2,), (3,)]
    both = [(4,), (5,), (6,), (1,)]
    assert verdict(form, one.look, TWO_ROW, context, both, 0) == ANOTHER
    assert verdict(form, one.look, TWO_ROW, context, [(4,), (9,), (6,), (8,)], 0) is None
    assert verdict(form, one.look, TWO_ROW, [(1,), (5,), (2,), (7,), (7,)], both, 0) == UNDECIDED


def test_counts_can_be_guessed_from_the_configuration_but_not_in_sequences() -> None:
    lengths = Counter(panels_in_context(one) for one in puzzles(EACH) if one.configuration == SEQUENCE)
    share = max(lengths.values()) / sum(lengths.values())
    assert best_constant_counts(SEQUENCE) == pytest.approx(0.27)
    assert share == pytest.approx(0.27, abs=0.08)
    assert all(best_constant_counts(one) == 1.0 for one in (TWO_ROW, MATRIX, GROUP, REASSEMBLING))
