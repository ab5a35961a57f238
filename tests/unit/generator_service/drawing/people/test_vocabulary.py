"""The vocabulary is large enough for the benchmark's corpus, and says the same thing only once."""

import re

import pytest

from generator_service.drawing.people.vocabulary import (
    BY_NAME,
    FRAMES,
    ROLES,
    VALUES,
    VERBS,
    Role,
    can_fill,
    changes,
    values_of,
    verb_changes,
    verbs_of,
)

CHANGING: tuple[Role, ...] = ("agent", "item", "tool", "vehicle", "victim")


@pytest.mark.parametrize("role", CHANGING)
def test_a_role_has_36_values_and_1000_changes_under_four_verbs(role: Role) -> None:
    assert len(VALUES[role]) >= 36
    assert len(list(changes(role))) >= 1000


def test_sixty_verbs_in_three_frames_have_1000_changes() -> None:
    assert len(VERBS) == len(BY_NAME) == 60
    assert {verb.frame for verb in VERBS} == set(FRAMES)
    assert len(list(verb_changes())) >= 1000


@pytest.mark.parametrize("role", ROLES)
def test_names_and_synsets_are_unique_within_a_role(role: Role) -> None:
    values = VALUES[role]
    assert len({value.name for value in values}) == len({value.synset for value in values}) == len(values)
    assert all(re.fullmatch(r"n\d{8}", value.synset) for value in values)


def test_a_change_of_values_that_share_few_verbs_does_not_count() -> None:
    ordered = set(changes("agent"))
    shared = verbs_of("agent", "cook") & verbs_of("agent", "dog")
    assert shared == {verb.name for verb in VERBS if verb.animals}
    assert ("cook", "dog") in ordered
    assert ("cook", "cook") not in ordered


def test_values_that_a_verb_does_not_take_are_not_allowed() -> None:
    sitting = BY_NAME["sitting"]
    assert not can_fill(sitting, "item", "ice cream")
    assert not can_fill(sitting, "tool", "hammer")
    assert "ice cream" not in {value.name for value in values_of(sitting, "item")}
    assert not can_fill(BY_NAME["juggling"], "agent", "dog")


def test_what_a_verb_never_takes_is_a_value_of_one_of_its_roles() -> None:
    for verb in VERBS:
        known = {value.name for role in verb.roles for value in VALUES[role]}
        assert verb.never <= known


def test_phrases_name_the_roles_of_their_verb() -> None:
    for verb in VERBS:
        named = set(re.findall(r"\{(\w+)\}", verb.phrase))
        assert named == set(verb.roles) - {"agent", "place"}
