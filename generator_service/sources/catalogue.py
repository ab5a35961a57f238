"""Every kind of source. A new kind is one more entry."""

from generator_service.sources import lexicon, objects, photographs, published, stage
from generator_service.sources.kinds import Kind
from generator_service.sources.people import bank as people

_KINDS = (
    objects.KIND,
    stage.KIND,
    people.KIND,
    photographs.KIND,
    photographs.SITUATIONS,
    lexicon.KIND,
    published.KIND,
)


def kinds() -> dict[str, Kind]:
    """Return every kind by name."""
    return {kind.name: kind for kind in _KINDS}
