"""CARV's practice items: pictures are served, and what is wrong with a caption is named. Scores: test_shown.py."""

import pytest

from tests.instance import Instance
from tetrad.client import ServiceError
from tetrad.contracts.answers import PracticeAnswer


def test_a_picture_is_served_and_a_wrong_caption_s_fault_is_named(instance: Instance) -> None:
    with instance.client() as anyone:
        page = anyone.practice("carv", track="different-source", setting="direct", seed=11, limit=1)
        item = page.items[0]
        assert anyone.picture(item.questions[0].pictures[4].url or "").startswith(b"\x89PNG")
        label = anyone.solution(item.id).keys["caption"].label
        wrong = label.rpartition(", ")[0] + (", on" if not label.endswith("on") else ", under")
        [verdict] = anyone.check(item.id, [PracticeAnswer(question="caption", answer=wrong)]).verdicts
    assert (verdict.verdict, verdict.outcome["failed"]) == ("incorrect", "spatial_relation")


def test_practice_items_are_chosen_by_operation_and_by_the_number_of_changes(instance: Instance) -> None:
    with instance.client() as anyone:
        for track, filters in (
            ("shared-source", {"operation": "difference", "near_miss": "yes"}),
            ("different-source", {"operation": "intersection", "tempting": "no"}),
            ("scaling-4", {"operation": "union", "atomic": "4", "target": "5"}),
        ):
            page = anyone.practice("carv", track=track, setting="direct", seed=3, limit=4, parameters=filters)
            assert len(page.items) == 4
            for item in page.items:
                assert filters.items() <= anyone.solution(item.id).facets["caption"].items()


@pytest.mark.parametrize(
    ("filters", "field", "remedy"),
    [
        ({"operation": "minus"}, "operation", "use one of apply, union, intersection, difference"),
        ({"atomic": "two"}, "atomic", "use one of 2, 3, 4"),
        ({"atomic": "3"}, "atomic", "use one of 2"),
        ({"operation": "apply"}, "operation", "use one of union, intersection, difference"),
        ({"operations": "union"}, "operations", "operation, atomic, target, near_miss, tempting"),
        ({"operation": "union", "tempting": "yes"}, "tempting", "leave one of them out"),
    ],
)
def test_a_filter_that_no_item_fits_is_refused_by_name(
    instance: Instance, filters: dict[str, str], field: str, remedy: str
) -> None:
    with instance.client() as anyone, pytest.raises(ServiceError) as refused:
        anyone.practice("carv", track="shared-source", setting="direct", limit=1, parameters=filters)
    assert refused.value.problem.status == 422
    [fault] = refused.value.problem.faults
    assert fault.field == field
    assert remedy in fault.remedy
