"""CARV's practice items: pictures are served, and what is wrong with a caption is named. Scores: test_shown.py."""

from tests.instance import Instance
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
