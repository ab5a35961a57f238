"""Solve puzzles of panels from their descriptions in words, without pictures and without the generator's code.

It shows that the words suffice. `texts` interprets panels, `laws` finds the laws they follow, `cubes` and
`triangles` fold nets.
"""

import re
from collections.abc import Sequence

from tetrad.contracts.inference import Message
from tetrad.late_regex import late_regex
from tetrad.solvers.carv import words_of
from tetrad.solvers.marvel.cubes import possible_cubes
from tetrad.solvers.marvel.laws import chosen_by_laws, lines_of
from tetrad.solvers.marvel.texts import FIGURE, TURN, Readings, read_panel
from tetrad.solvers.marvel.triangles import possible_triangular

__all__ = ["NOTHING_DESCRIBED", "PanelSolver"]

NOTHING_DESCRIBED = "I see no panels described in words, or none that I can tell a rule of."
_CONTEXT = late_regex(r"^Context panel \d+: (.+)$", re.MULTILINE)
_NET = late_regex(r"^Laid out flat: (.+)$", re.MULTILINE)
_CHOICE = late_regex(r"^Choice (\w+): (.+)$", re.MULTILINE)


class PanelSolver:
    """Takes the one choice that continues the laws of the described panels."""

    def reply(self, messages: Sequence[Message]) -> str:
        words = words_of(messages)
        choices = dict(_CHOICE.findall(words))
        left = _find_possible(words, list(choices.values())) if choices else set()
        return f"({list(choices)[left.pop()]})" if len(left) == 1 else NOTHING_DESCRIBED


def _find_possible(words: str, choices: list[str]) -> set[int]:
    """Return the places of the choices that nothing rules out."""
    if net := _NET.search(words):
        return (possible_cubes if choices[0].startswith("A cube") else possible_triangular)(net[1], choices)
    context, offered = ([read_panel(text) for text in part] for part in (_CONTEXT.findall(words), choices))
    lines = lines_of(words, len(context))
    left = set(range(len(choices)))
    for name, reading in _compare(context + offered).items():
        seen = [panel[name].value for panel in context]
        left &= chosen_by_laws(reading, lines, seen, [panel[name].value for panel in offered])
    return left


def _compare(panels: list[Readings]) -> Readings:
    """Return the values that every panel states. Turns of different figures can't be compared, so they are left out."""
    one_figure = len({panel.get(FIGURE) for panel in panels}) == 1
    stated = set[str](panels[0]).intersection(*panels[1:])
    return {name: panels[0][name] for name in stated if one_figure or name != TURN}
