"""Who holds the instance's secret makes the sealed items again, and answers from their scenes."""

from collections.abc import Callable
from functools import cache

import msgspec

from generator_service.draws import Draw, sealed_seed
from generator_service.items import Item, make_item
from generator_service.registry import Mounted, find_benchmarks
from tests.proof.cases import Case, Variant
from tests.proof.knowledge import knowledge_of
from tests.proof.solvers import Solver
from tests.shown.models import Reply
from tetrad.contracts.items import Choice, DrawIdentity, Question, StateCaption
from tetrad.contracts.submissions import OpenQuestion, Submission
from tetrad.extraction.captions.text import caption_text

ANY_NUMBER = "4"


def item_of(mounted: Mounted, secret: str, submission: Submission) -> Callable[[int], Item]:
    """Return what makes the submission's items again, each once."""
    seed = sealed_seed(secret.encode(), submission.id, submission.nonce)
    draw = Draw(mounted.benchmark, submission.identity, seed)
    return cache(lambda index: make_item(mounted, draw, index))


def case_of(item: Item, asked: OpenQuestion) -> Case:
    keyed = next(one for one in item.questions if one.question.id == asked.question.id)
    return Case(scene=item.scene, index=asked.item, keyed=keyed, previous="")


def independent(benchmark: str) -> Reply:
    """Answer with the benchmark's independent solver, which reads no key."""
    solve = knowledge_of(benchmark).independent
    assert solve is not None
    return lambda case, _: written(case.keyed.question, solve(case.scene)[case.keyed.question.id])


def blind(benchmark: str, sees: str) -> Reply:
    """Answer the last question of an item with the proof's solver of this sight, others by their first option."""
    card = next(one.card for one in find_benchmarks() if one.name == benchmark)

    @cache
    def last_kind(setting: str) -> str:
        return next(one.questions[-1] for one in card.settings if one.name == setting)

    @cache
    def solver_of(track: str, setting: str, distractors: str) -> Solver:
        variant = Variant(track=track, setting=setting, parameters={"distractors": distractors})
        return next(one for one in knowledge_of(benchmark).solvers(variant) if one.sees == sees)

    def reply(case: Case, identity: DrawIdentity) -> str:
        question = case.keyed.question
        if question.kind != last_kind(identity.setting):
            return first_option(question)
        solver = solver_of(identity.track, identity.setting, str(identity.parameters.get("distractors", "")))
        return written(question, solver.learn([], [])([solver.look(case)])[0])

    return reply


def first_option(question: Question) -> str:
    shape = question.shape
    return f"({shape.labels[0]})" if isinstance(shape, Choice) else ANY_NUMBER


def written(question: Question, label: str) -> str:
    """Write a label as a model would."""
    if isinstance(question.shape, Choice):
        return f"({label})"
    if isinstance(question.shape, StateCaption):
        return captioned(dict(zip(question.shape.properties, label.split(", "), strict=True)))
    return label


def captioned(state: dict[str, str]) -> str:
    return msgspec.json.encode({"caption": caption_text(state)}).decode()
