"""One submission's way from opening to its report, by any model, over HTTP."""

from dataclasses import dataclass

from generator_service.mounting import Mounted
from generator_service.proving.answerers import WORDS, Model
from generator_service.proving.cases import Case
from generator_service.sources.decoding import decode_picture
from tests.answering import register, wait_scored
from tests.instance import Instance
from tests.shown.places import Place
from tests.shown.rebuilding import case_of, item_of
from tetrad.client import Client
from tetrad.contracts.answers import Answer
from tetrad.contracts.reports import Report
from tetrad.contracts.submissions import OpenQuestion, Submission, SubmissionRequest
from tetrad.runner import Plan, SubmissionOverHttp, answer_submission, solver_responder

NONCE = "shown to whoever doubts"
MODEL = "shown"
BATCH = 500
PATIENCE_SECONDS = 600  # many submissions wait for one worker
SEED = 3  # of `random`


@dataclass(frozen=True, kw_only=True)
class Site:
    """A running instance: a team's client with the model registered, the seed secret, and what it serves."""

    team: Client
    secret: str
    mounted: Mounted


def site_at(instance: Instance, team: Client, mounted: Mounted) -> Site:
    """Register the model; draws are sealed with the first of the instance's secrets."""
    register(team, MODEL)
    return Site(team=team, secret=instance.secrets.seed_secret.partition(",")[0], mounted=mounted)


class _WithoutPictures(SubmissionOverHttp):
    """Fetches no picture. In place of each stand its item and name, so that no two items look alike."""

    def picture(self, asked: OpenQuestion, name: str) -> bytes:
        return f"{asked.item} {name}".encode()


def opened(site: Site, place: Place, size: int) -> Submission:
    request = SubmissionRequest(
        benchmark=site.mounted.benchmark.name,
        track=place.track,
        setting=place.setting,
        parameters=dict(place.parameters),
        model=MODEL,
        size=size,
        nonce=NONCE,
        visibility="private",
    )
    return site.team.open_submission(request)


def answer(site: Site, submission: Submission, model: Model) -> None:
    """Answer until no question is open."""
    if model.reply is None and model.look is None:
        port = (_WithoutPictures if model.sees == WORDS else SubmissionOverHttp)(site.team, submission.id)
        answer_submission(port, solver_responder(model.solver, seed=SEED), Plan(concurrency=2, batch=BATCH))
        return
    port = SubmissionOverHttp(site.team, submission.id)
    item = item_of(site.mounted, site.secret, submission)
    state = "open"
    while state == "open" and (waiting := list(port.questions())):
        replies = [_reply(model, port, case_of(item(asked.item), asked), asked, submission) for asked in waiting]
        answers = [
            Answer(item=asked.item, question=asked.question.id, response=reply)
            for asked, reply in zip(waiting, replies, strict=True)
        ]
        for start in range(0, len(answers), BATCH):
            state = port.seal(answers[start : start + BATCH]).state


def _reply(model: Model, port: SubmissionOverHttp, case: Case, asked: OpenQuestion, submission: Submission) -> str:
    if model.look is not None:
        bodies = {picture.name: port.picture(asked, picture.name) for picture in asked.question.pictures}
        return model.look(case, {name: decode_picture(body) for name, body in bodies.items()})
    if model.reply is None:
        raise LookupError(f"{model.name} neither looks nor replies")
    return model.reply(case, submission.identity)


def report_of(site: Site, submission: Submission) -> Report:
    return wait_scored(site.team, submission.id, PATIENCE_SECONDS)
