"""The toy in two versions: the newest asks in other words, and the older one is kept for draws sealed under it."""

from dataclasses import replace

import msgspec

from tests.toy_benchmarks.toy import BENCHMARK as TOY
from tests.toy_benchmarks.toy import Scene
from tetrad.contracts.items import KeyedQuestion


def _questions(scene: Scene) -> tuple[KeyedQuestion, ...]:
    return tuple(map(_reword, TOY.questions(scene)))


def _reword(keyed: KeyedQuestion) -> KeyedQuestion:
    text = keyed.question.text.replace("What is the", "Which is the")
    return msgspec.structs.replace(keyed, question=msgspec.structs.replace(keyed.question, text=text))


_FIRST = replace(TOY, card=msgspec.structs.replace(TOY.card, name="shades", title="Shades in two versions"))
BENCHMARK = replace(_FIRST, card=msgspec.structs.replace(_FIRST.card, version=2), questions=_questions)
OLDER = {1: _FIRST}
