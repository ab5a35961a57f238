"""List all forms of panels by name."""

from collections.abc import Mapping

from generator_service.benchmarks.marvel.forms import (
    angles,
    combining,
    counting,
    lines,
    moving,
    ordering,
    placing,
    plane,
    symmetry,
    turning,
)
from generator_service.benchmarks.marvel.forms.form import Form

FORMS: Mapping[str, Form] = {
    form.name: form
    for module in (moving, turning, placing, ordering, counting, lines, combining, symmetry, plane, angles)
    for form in vars(module).values()
    if isinstance(form, Form)
}
