"""What a model under test is: a solver that sees messages, or an answerer that holds the secret and sees scenes."""

from collections.abc import Callable
from dataclasses import dataclass

from tests.proof.cases import Case
from tests.shown.declared import Declared
from tetrad.contracts.items import DrawIdentity

Reply = Callable[[Case, DrawIdentity], str]

PICTURES, WORDS, SECRET = "words and pictures", "words", "scene rebuilt from the secret"


@dataclass(frozen=True, kw_only=True)
class Model:
    """`solver` names one of tetrad.solvers; else `reply` answers a case whose scene was rebuilt.

    by: the facets that split its score into rows. whole: an item counts as right if all its declared questions are.
    flawless: right is only what no stage of a diagnosis fails.
    settings: those it answers in; all where empty. ways: those in which it answers under other parameters, too.
    """

    name: str
    sees: str
    declared: Declared
    solver: str = ""
    reply: Reply | None = None
    by: str = "stage"
    whole: bool = False
    flawless: bool = False
    settings: tuple[str, ...] = ()
    ways: tuple[str, ...] = ()

    def answers(self, setting: str) -> bool:
        return not self.settings or setting in self.settings
