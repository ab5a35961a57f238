"""The pixels of every kind of panel: `golden.json` holds those of few forms and of no net."""

import hashlib

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.nets.puzzles import SOLIDS
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.spec import REASSEMBLING, SHAPES, SOLID, Panel
from tests.benchmarks.marvel.items import puzzle
from tests.benchmarks.marvel.test_forms import look_of

PIXELS = "66593c28bf5e719f"
"""The first digits of SHA-256 over the digests below. Other pixels are another version of the benchmark."""


def digest_of_form(name: str) -> str:
    """Return a digest of panels of the lowest and the highest values in every look."""
    form, hasher = FORMS[name], hashlib.sha256()
    for shape in SHAPES:
        for ground in form.grounds:
            look = look_of(form, shape, ground)
            for place in (0, -1):
                values = tuple(field.values(look)[place] for field in form.fields)
                hasher.update(draw_panel(name, look, Panel(values, 7)).tobytes())
    return hasher.hexdigest()[:16]


def digest_of_solid(name: str) -> str:
    """Return a digest of the net and the views of one puzzle for each family of marks that is drawn on the solid."""
    hasher = hashlib.sha256()
    drawn = [puzzle(SOLID, REASSEMBLING, shape, number) for shape in SHAPES for number in range(24)]
    by_family = {solved.family: solved for solved in drawn if solved.form == name}
    for family, solved in sorted(by_family.items()):
        for panel in (*solved.context, *solved.choices):
            hasher.update(draw_panel(family, solved.look, panel).tobytes())
    return hasher.hexdigest()[:16]


def test_pixels_of_every_form_and_solid_stay_as_they_are() -> None:
    digests = [digest_of_form(name) for name in FORMS] + [digest_of_solid(name) for name in SOLIDS]
    assert hashlib.sha256("".join(sorted(digests)).encode()).hexdigest()[:16] == PIXELS
