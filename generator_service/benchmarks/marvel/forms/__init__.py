"""All forms of panels by name."""

from collections.abc import Mapping

from generator_service.benchmarks.marvel.forms import combining, counting, moving, placing, plane
from generator_service.benchmarks.marvel.forms.form import Form

FORMS: Mapping[str, Form] = {
    form.name: form
    for module in (moving, placing, counting, combining, plane)
    for form in vars(module).values()
    if isinstance(form, Form)
}
