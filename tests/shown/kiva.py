"""Who answers KiVA: the pixel solver, and those that guess or see less."""

from generator_service.benchmarks.kiva.spec import ADULTS, COMPOSITIONALITY, EXTRAPOLATION_ONLY, FULL, KIVA
from tests.shown.declared import Asked, always_one_place, guessing, partial_sight, words_only
from tests.shown.holding import ABOVE, Bound
from tests.shown.models import PICTURES, SECRET, WORDS, Model
from tests.shown.rebuilding import blind

SOLVED = {KIVA: 0.97, ADULTS: 0.97, COMPOSITIONALITY: 0.95}  # the aim of benchmarks/kiva.md


def _solved(asked: Asked) -> Bound:
    return Bound(relation=ABOVE, chance=SOLVED[asked.identity.track])


MODELS = (
    Model(
        name="pixel-solver",
        sees=PICTURES,
        solver="pixel-solver",
        declared=_solved,
        ways=(FULL, EXTRAPOLATION_ONLY),
    ),
    Model(name="random", sees=WORDS, solver="random", declared=guessing),
    Model(name="constant", sees=WORDS, solver="constant", declared=always_one_place),
    Model(name="text-only", sees=WORDS, solver="text-only", declared=words_only),
    *(
        Model(name=sees, sees=SECRET, reply=blind("kiva", sees), declared=partial_sight(sees))
        for sees in ("options-only", "pair-blind")
    ),
)
