"""Properties of a sample that are seen in its pixels."""

import hashlib
from collections.abc import Iterator

import msgspec
from scipy.stats import binom

from generator_service.proving.cases import Case
from generator_service.proving.knowledge import knowledge_of
from generator_service.proving.low_level import bars_under, count_right
from generator_service.proving.properties.questions import FALSE_ALARM, list_questions, name_pictures
from generator_service.proving.samples import Sample, fits

DRAWN = 6  # items whose pictures are compared
MEASURED = 60  # items whose pictures are measured as a whole
READ = 12  # items that are solved from their pictures


def check_pixels(sample: Sample) -> Iterator[str]:
    """Pictures of what differs differ, and a solver of pictures, where there is one, finds the key in them."""
    if sample.is_default:
        yield from _same_pictures(sample)
        yield from _solved_from_pictures(sample)


def _same_pictures(sample: Sample) -> Iterator[str]:
    """Two items of which different things are to be seen must not have the same pictures."""
    benchmark, seen = sample.mounted.benchmark, dict[tuple[tuple[str, ...], bytes], tuple[int, bytes]]()
    for index, item in enumerate(sample.items[:DRAWN]):
        names = name_pictures(item.questions)
        held = msgspec.json.encode([benchmark.holds(item.scene, name) for name in names], order="deterministic")
        pixels = hashlib.sha256()
        for name in names:
            drawn = benchmark.render(sample.mounted.bank, item.scene, name)
            pixels.update(repr(drawn.shape).encode() + drawn.tobytes())
        other, shown = seen.setdefault((names, pixels.digest()), (index, held))
        if names and shown != held:
            yield (
                f"items {other} and {index} have the same pictures, and `holds` says that they show different things: "
                "does `render` draw the scene?"
            )


def _solved_from_pictures(sample: Sample) -> Iterator[str]:
    """Let the solver that `knowledge.py` names answer from the messages that a model gets."""
    mounted, seeing = sample.mounted, knowledge_of(sample.mounted.benchmark.name).seeing
    if seeing is None or seeing.setting not in {None, sample.place.setting}:
        return
    questions = [asked for asked in list_questions(sample, "pixels", READ) if fits(seeing.where, asked[2].facets)]
    right = sum(seeing.answer(mounted, item.scene, keyed.question) == keyed.key.label for _, item, keyed in questions)
    if binom.cdf(right, len(questions), seeing.least) < FALSE_ALARM:
        yield (
            f"{seeing.solver} reads {right} of {len(questions)} keys in the pictures, and {seeing.least:.0%} is the "
            "least: do the pictures show what `holds` says?"
        )


def check_low_level(sample: Sample) -> Iterator[str]:
    """Plain measures of whole pictures answer no better than the card declares, or than chance."""
    mounted, place = sample.mounted, sample.place
    first = next(track.settings[0] for track in mounted.benchmark.card.tracks if track.name == place.track)
    if place.parameters or place.setting != first:
        return
    cases = (
        Case(scene=item.scene, index=index, keyed=keyed, previous="")
        for index, item, keyed in list_questions(sample, "low-level", MEASURED)
    )
    bars = bars_under(mounted.benchmark.card, place.track, sample.draw.identity.parameters)
    for counted in count_right(mounted, cases, bars):
        if binom.sf(counted.right - 1, counted.n, counted.bar) < FALSE_ALARM:
            yield (
                f"{counted.solver} answers {counted.right} of {counted.n}, and {counted.bar:.2f} is declared: let "
                "colour and place of what changes vary, or state it in the card's `bars`"
            )
