"""The pixels of every kind of panel: `golden.json` holds those of few forms and of no net."""

import hashlib

import pytest

from generator_service.benchmarks.marvel.forms import FORMS
from generator_service.benchmarks.marvel.nets.puzzles import SOLIDS
from generator_service.benchmarks.marvel.renderer import draw_panel
from generator_service.benchmarks.marvel.spec import REASSEMBLING, SHAPES, SOLID, Panel
from tests.benchmarks.marvel.items import puzzle
from tests.benchmarks.marvel.test_forms import look_of

# The first digits of SHA-256. Other pixels are another version of the benchmark.
PIXELS = {
    "ring": "39716eacd1632c4d",
    "rings": "bb03c32de98b6b96",
    "walk": "ccd4cec909b35228",
    "line": "15f2c11f2e8edb51",
    "pointer": "81d3b899c5214919",
    "beads": "daa4850b2dd321a9",
    "hands": "8d562713cd73a084",
    "patch": "3b0ad7c17eb66934",
    "pair": "769d93a39eeef3de",
    "zone": "47308c0608eca7d2",
    "beside": "010a740b7e830cde",
    "nest": "fe003ad6289667cc",
    "row": "a652ebf50198b910",
    "layers": "0719b14b225ccee2",
    "scatter": "688d85eecb0ee2bd",
    "two sorts": "24b885e4082c785a",
    "polygon": "4fd63a697dbc6769",
    "tiles": "10e45e2428f67415",
    "strokes": "6db956e86d8683f8",
    "regions": "f5a54d15e997f2c1",
    "crossings": "e20ee34e35beb7b3",
    "mosaic": "7bc3ef0567a0a2cc",
    "lattice": "6267045f0cbc6546",
    "spokes": "f9fedbb0488538b6",
    "axis": "7451d88e535a32c5",
    "symmetry": "666ecc9d142355b2",
    "curve": "c3638143e2b86cad",
    "curved sides": "cb65b8634ddb49ec",
    "notches": "7b6e2a8577d0339d",
    "angle": "e89e5559270b1aa6",
    "parallel": "36e78d75989b01dd",
    "cube": "1e16a517d6ff7c34",
    "tetrahedron": "6fcada52ba8342ec",
    "octahedron": "cc2a5f317470b599",
}


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


def test_every_form_and_solid_is_pinned() -> None:
    assert set(PIXELS) == set(FORMS) | set(SOLIDS)


@pytest.mark.parametrize("name", PIXELS)
def test_pixels_stay_as_they_are(name: str) -> None:
    assert (digest_of_form if name in FORMS else digest_of_solid)(name) == PIXELS[name]
