"""Properties of a sample: what is asked, in which order, and what a question tells."""

from collections.abc import Iterator

import msgspec

from generator_service.benchmark import ExtractedAnswers
from generator_service.items import Item, select_asked
from generator_service.proving.properties.questions import LOOKED_AT, list_answers
from generator_service.proving.samples import Sample
from tetrad.contracts.answers import SealedAnswer
from tetrad.streams import Stream


def check_order(sample: Sample) -> Iterator[str]:
    """Kinds of questions come in the order that the setting says."""
    card = sample.mounted.benchmark.card
    setting = next(setting for setting in card.settings if setting.name == sample.place.setting)
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        kinds = tuple(dict.fromkeys(keyed.question.kind for keyed in item.questions))
        if kinds != setting.questions:
            yield f"item {index} asks {kinds}, the card says {setting.questions}"


def check_opening(sample: Sample) -> Iterator[str]:
    """Questions open monotonely, for answers to earlier ones, and every way through ends with a final one."""
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        stream = Stream("conformance", sample.draw.seed, index)
        yield from (f"item {index}: {problem}" for problem in _ways_through(sample, item, stream))
        yield from (f"item {index}: {problem}" for problem in _out_of_order(sample, item, stream))


def _ways_through(sample: Sample, item: Item, stream: Stream) -> Iterator[str]:
    following = sample.mounted.benchmark.next_questions
    answers = {keyed.question.id: list_answers(keyed) for keyed in item.questions}
    final = {keyed.question.id for keyed in item.questions if keyed.question.final}
    given: dict[str, str | None] = {}
    name, opened = "", following(item.scene, given)
    while waiting := [question for question in opened if question not in given]:
        name = stream.choice(waiting)
        given[name] = stream.choice((*answers[name], None))
        after = following(item.scene, given)
        if not set(opened) <= set(after):
            yield f"an answer to {name} closes {sorted(set(opened) - set(after))}: answers must only open questions"
        if name in final and after != opened:
            yield f"{name} is final, and its answer opens {sorted(set(after) - set(opened))}"
        opened = after
    if not name:
        yield "no question is open from the start"
    elif name not in final:
        yield f"{name} is answered last but is not final: mark questions after which none opens"


def _out_of_order(sample: Sample, item: Item, stream: Stream) -> Iterator[str]:
    """Check that only answers to earlier questions open a question, so that all questions can be fetched at once."""
    following, names = sample.mounted.benchmark.next_questions, [keyed.question.id for keyed in item.questions]
    given = {keyed.question.id: stream.choice((*list_answers(keyed), None)) for keyed in item.questions}
    opened = following(item.scene, given)
    for place, name in enumerate(names):
        before = {known: given[known] for known in names[:place]}
        if (name in following(item.scene, before)) != (name in opened):
            yield f"{name} opens or closes by an answer to itself or to a later question"


def check_asked(sample: Sample) -> Iterator[str]:
    """Check that the asked questions depend only on the answers, and not on their order."""
    mounted = sample.mounted
    for index, item in enumerate(sample.items[:5]):
        key: ExtractedAnswers = {keyed.question.id: keyed.key.label for keyed in item.questions}
        opened = mounted.benchmark.next_questions(item.scene, key)
        expected = [name for name in key if name in opened]
        given = [SealedAnswer(item=0, question=name, answer=key[name]) for name in expected]
        for order in (given, given[::-1]):
            found = [keyed.question.id for keyed in select_asked(mounted, item, order)]
            if found != expected:
                yield f"item {index}: right answers open {found}, and {expected} when they come in order"


def check_facets(sample: Sample) -> Iterator[str]:
    """Metrics, chance levels and filters speak of facets that exist."""
    card = sample.mounted.benchmark.card
    facets = {name for _, _, keyed in sample.questions(LOOKED_AT) for name in keyed.facets}
    for metric in card.metrics:
        # A metric may group by a facet that some tracks lack if it is a filter: the card lists the values of filters.
        if unknown := (set(metric.where) | set(metric.by) - set(card.filters)) - facets:
            yield f"metric {metric.name} speaks of facets {sorted(unknown)} that no question has"
    if unknown := {name for level in card.chance for name in level.where} - facets:
        yield f"chance levels speak of facets {sorted(unknown)} that no question has"
    for index in range(len(sample.items[:LOOKED_AT])):
        stratum = sample.draw.cell(index)
        for name, values in card.filters.items():
            if name in stratum and stratum[name] not in values:
                yield f"item {index} has {name}={stratum[name]!r}, which filter {name} does not list"


def check_secrecy(sample: Sample) -> Iterator[str]:
    """A question tells neither its key nor its facets."""
    for index, _, keyed in sample.questions(LOOKED_AT):
        public = set(msgspec.to_builtins(keyed.question))
        if told := public & {"key", "facets", "cluster", "option_values"}:
            yield f"item {index}, question {keyed.question.id}: it reveals {sorted(told)}"


def check_solution(sample: Sample) -> Iterator[str]:
    """A solution is plain data with a sentence."""
    for index, item in enumerate(sample.items[:LOOKED_AT]):
        sentence, data = sample.mounted.benchmark.describe(item.scene)
        if not sentence.endswith("."):
            yield f"item {index}: its explanation is not a sentence: {sentence!r}"
        if msgspec.json.decode(msgspec.json.encode(data)).keys() != data.keys():
            yield f"item {index}: its description is not plain data"
