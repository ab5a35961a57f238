"""CARV through the public API: every track and setting, answered by who rebuilds the scenes, guesses, or copies."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from generator_service.benchmarks.carv.question import caption_of
from generator_service.benchmarks.carv.solver import solved
from generator_service.benchmarks.carv.spec import DIAGNOSIS, SETTINGS, SYMBOLIC, TRACKS
from generator_service.draws import Draw, sealed_seed
from generator_service.items import make_item
from generator_service.registry import Mounted, find_benchmarks, mount
from tests.answering import open_questions, register, wait_scored
from tests.instance import Instance
from tetrad.client import Client
from tetrad.contracts.answers import Answer, PracticeAnswer
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import OpenQuestion, Submission, SubmissionRequest
from tetrad.prompting import Wording, find_strategy
from tetrad.solvers import open_solver

NONCE = "a nonce of the test's own"
Answerer = Callable[[OpenQuestion], str]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def team(instance: Instance) -> Iterator[Client]:
    with instance.team("carv") as client:
        register(client, "scenes")
        yield client


def opened(team: Client, track: str, setting: str, size: int) -> Submission:
    request = SubmissionRequest(
        benchmark="carv", track=track, setting=setting, model="scenes", size=size, nonce=NONCE, visibility="private"
    )
    return team.open_submission(request)


def sealed(team: Client, submission: Submission, answerer: Answerer) -> None:
    asked = list(open_questions(team, submission.id))
    answers = [Answer(item=one.item, question=one.question.id, response=answerer(one)) for one in asked]
    team.seal(submission.id, answers)


@pytest.fixture(scope="module")
def mounted(bank_folder: Path) -> Mounted:
    found = mount((one for one in find_benchmarks() if one.name == "carv"), bank_folder).newest("carv")
    assert found is not None
    return found


def rebuilt(instance: Instance, submission: Submission, mounted: Mounted) -> Answerer:
    """Return who holds the instance's secret, makes the sealed items again, and solves their scenes."""
    seed = sealed_seed(instance.secrets.seed_secret.encode(), submission.id, NONCE)
    draw = Draw(mounted.benchmark, submission.identity, seed)

    def answer(asked: OpenQuestion) -> str:
        item = make_item(mounted, draw, asked.item)
        if submission.identity.setting == DIAGNOSIS:
            return item.questions[0].key.label
        return f'{{"caption": "{caption_of(solved(item.scene))}"}}'

    return answer


def by_solver(name: str) -> Answerer:
    """Return a solver that reads the words of the question; pictures are left away."""
    solver, strategy = open_solver(name, seed=3), find_strategy("direct")

    def answer(asked: OpenQuestion) -> str:
        pictures = {picture.name: b"" for picture in asked.question.pictures}
        return solver.reply(strategy.messages(asked.question, pictures, Wording()))

    return answer


def test_the_rebuilt_scenes_answer_every_track_and_setting(instance: Instance, team: Client, mounted: Mounted) -> None:
    places = [(track, setting) for track in TRACKS for setting in SETTINGS]
    submissions = [opened(team, track, setting, 4) for track, setting in places]
    for submission in submissions:
        sealed(team, submission, rebuilt(instance, submission, mounted))
    for submission in submissions:
        report = wait_scored(team, submission.id)
        assert (report.headline.value, report.questions_asked, report.unread) == (1.0, 4, 0)
        if submission.identity.setting == DIAGNOSIS:
            assert {result.outcome["stage"] for result in report.questions} == {"none"}


@pytest.mark.parametrize(
    ("solver", "setting", "least", "most"),
    [
        ("random", "direct", 0, 4),  # one of 432 states, sixty times: five happen once in a million draws
        ("constant", "direct", 0, 4),
        ("state-copy-query", SYMBOLIC, 0, 0),
        ("state-copy-first", SYMBOLIC, 0, 0),
        ("state-symbolic", SYMBOLIC, 60, 60),
    ],
)
def test_baselines_get_what_they_must(team: Client, solver: str, setting: str, least: int, most: int) -> None:
    submission = opened(team, "different-source", setting, 60)
    sealed(team, submission, by_solver(solver))
    report: Report = wait_scored(team, submission.id)
    assert report.unread == 0
    assert least <= report.headline.total <= most
    assert report.headline.uniform_chance == pytest.approx(1 / 432)


def test_a_picture_is_served_and_a_wrong_caption_s_fault_is_named(team: Client) -> None:
    page = team.practice("carv", track="different-source", setting="direct", seed=11, limit=1)
    item = page.items[0]
    assert team.picture(item.questions[0].pictures[4].url or "").startswith(b"\x89PNG")
    label = team.solution(item.id).keys["caption"].label
    wrong = label.rpartition(", ")[0] + (", on" if not label.endswith("on") else ", under")
    [verdict] = team.check(item.id, [PracticeAnswer(question="caption", answer=wrong)]).verdicts
    assert (verdict.verdict, verdict.outcome["failed"]) == ("incorrect", "spatial_relation")
