"""Golden files: the items of a version, as digests. `python -m generator_service.proving.golden` writes them.

`golden.json` in a benchmark's folder holds two digests for each version, track, setting and parameter value: one of
1,000 items without pictures, and one of an item's pixels. It also holds digests of what the card says about items.
Nothing depends on source text. A difference is a change of output, and needs a new version of the benchmark.

What is written down of a track belongs to one source: the one that was mounted then. From another source the same code
draws other items. Then nothing of the track is compared, and conformance says so. Tracks whose sources only an operator
brings are not written down.
"""

import argparse
import hashlib
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from generator_service import benchmarks
from generator_service.benchmark import Benchmark
from generator_service.finding import RegistryError
from generator_service.mounting import Mounted
from generator_service.proving.choosing import add_arguments, choose
from generator_service.proving.samples import Place, Sample, places, sample_at
from tetrad.canonical import hexdigest
from tetrad.contracts.items import KeyedQuestion

NAME = "golden.json"
PROGRAM = "generator_service.proving.golden"


class Golden(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One version: the digest of the source it draws from, of its card, and of items and pixels by place.

    sources: the digest of the source of each track that draws from another one than `source`.
    """

    source: str
    card: str
    items: dict[str, str]
    pixels: dict[str, str]
    sources: dict[str, str] = {}

    @property
    def digest(self) -> str:
        """Return SHA-256 over all of it. A proof names the digest that it was made under."""
        sources = [self.sources] if self.sources else []
        return hexdigest("tetrad/golden/1", self.source, self.card, self.items, self.pixels, *sources)

    def source_of(self, track: str) -> str:
        """Return the digest of the source that a track draws from."""
        return self.sources.get(track, self.source)


Versions = Mapping[str, Golden]


def path_of(benchmark: Benchmark) -> Path:
    """Return where the benchmark's golden file lies: in its folder."""
    module = importlib.import_module(f"{benchmarks.__name__}.{benchmark.name}")
    return Path(str(module.__file__)).with_name(NAME)


def golden_of(benchmark: Benchmark) -> Golden | None:
    """Return what is written down of this version; None where nothing is."""
    path = path_of(benchmark)
    return _read(path.read_bytes()).get(str(benchmark.version)) if path.exists() else None


@lru_cache(maxsize=16)
def _read(body: bytes) -> dict[str, Golden]:
    return msgspec.json.decode(body, type=dict[str, Golden])


def made_golden(mounted: Mounted) -> Golden:
    """Compute what the benchmark draws now."""
    samples = {str(place): sample_at(mounted, place) for place in _kept_places(mounted)}
    drawn_from = {track: mounted.digest_of(track) for track in _own_tracks(mounted.benchmark)}
    source = next(iter(drawn_from.values()))
    return Golden(
        source=source,
        sources={track: digest for track, digest in drawn_from.items() if digest != source},
        card=card_digest(mounted.benchmark),
        items={name: items_digest(sample) for name, sample in samples.items()},
        pixels={name: pixels_digest(sample) for name, sample in samples.items()},
    )


def items_digest(sample: Sample) -> str:
    """Return SHA-256 over scenes, questions, keys and facets of all items of the sample."""
    hasher = hashlib.sha256()
    for item in sample.items:
        told = [item.scene, [_list_question(keyed) for keyed in item.questions]]
        hasher.update(msgspec.json.encode(told, order="deterministic"))
    return hasher.hexdigest()


def _list_question(keyed: KeyedQuestion) -> list[Any]:
    """List what a question says and what is right, in an order of our own: wire types may grow."""
    asked = keyed.question
    return [
        [asked.id, asked.kind, asked.text, asked.instruction, asked.final, msgspec.to_builtins(asked.shape)],
        [[option.label, option.text, option.picture] for option in asked.options],
        [[picture.name, picture.caption] for picture in asked.pictures],
        [
            [
                example.text,
                example.pictures,
                [[option.label, option.text, option.picture] for option in example.options],
                example.answer,
            ]
            for example in asked.examples
        ],
        [keyed.key.label, keyed.cluster, sorted(keyed.facets.items()), sorted(keyed.option_values.items())],
    ]


def pixels_digest(sample: Sample) -> str:
    """Return SHA-256 over the pixels of every picture of the sample's first item."""
    mounted, item = sample.mounted, sample.items[0]
    hasher = hashlib.sha256()
    for name in dict.fromkeys(picture.name for keyed in item.questions for picture in keyed.question.pictures):
        pixels = mounted.benchmark.render(mounted.bank, item.scene, name)
        hasher.update(repr(pixels.shape).encode() + pixels.tobytes())
    return hasher.hexdigest()


def _kept_places(mounted: Mounted) -> Iterator[Place]:
    """Yield the places that golden files keep."""
    return (place for place in places(mounted) if place.track not in mounted.benchmark.brought_tracks)


def _own_tracks(benchmark: Benchmark) -> list[str]:
    """Return the names of the tracks that golden files keep, in the benchmark's own order.

    On a card that is served, tracks that wait for a source come last.
    """
    own = [track.name for track in benchmark.card.tracks if track.name not in benchmark.brought_tracks]
    return sorted(own, key=list(benchmark.kinds).index) if isinstance(benchmark.kinds, Mapping) else own


def card_digest(benchmark: Benchmark) -> str:
    """Return SHA-256 over what the card says about items: not its prose, metrics or reference rows.

    What it says of tracks that an operator brings alone is left out, too: nothing of them is written down.
    """
    card = benchmark.card
    own = _own_tracks(benchmark)
    settings = {track.name: track.settings for track in card.tracks}
    excluded = [exclusion for exclusion in card.exclusions if set(exclusion.where.get("track", own)) & set(own)]
    return hashlib.sha256(
        msgspec.json.encode(
            [
                [card.name, card.version],
                [[name, settings[name]] for name in own],
                [[setting.name, setting.questions] for setting in card.settings],
                [
                    [
                        parameter.name,
                        parameter.default,
                        parameter.values,
                        parameter.minimum,
                        parameter.maximum,
                        parameter.step,
                    ]
                    for parameter in card.parameters
                ],
                [[sorted(exclusion.where.items()), exclusion.field] for exclusion in excluded],
                [[sorted(level.where.items()), level.uniform, level.stated] for level in card.chance],
                [
                    [
                        ceiling.solver,
                        ceiling.track,
                        sorted(ceiling.where.items()),
                        sorted(ceiling.parameters.items()),
                        ceiling.value,
                    ]
                    for ceiling in card.ceilings
                    if ceiling.track in {None, *own}
                ],
                sorted(card.filters.items()),
            ]
        )
    ).hexdigest()


def card_faults(mounted: Mounted) -> Iterator[str]:
    """Yield the differences of this version from its golden file, except in items and pixels."""
    known, benchmark = golden_of(mounted.benchmark), mounted.benchmark
    if known is None:
        yield (
            f"{path_of(benchmark)} has nothing of version {benchmark.version}: run `make golden` (out of the tree: "
            f"python -m {PROGRAM} {benchmark.name} --folder DIR)"
        )
        return
    for track, other in _from_other_sources(mounted, known).items():
        yield (
            f"the items of track {track} are written down from the source {known.source_of(track)[:12]}, and "
            f"{other[:12]} is mounted ({mounted.bank_name}). Other sources give other "
            "items, so they were not compared: this is no change of the benchmark. "
            f"Mount that source, or write these down instead: python -m {PROGRAM} --replace "
            f"{benchmark.name}"
        )
    if known.card != card_digest(benchmark):
        yield f"the card says something else about items: {_remedy(benchmark)}"
    there = {name for name in known.items if name.partition(", ")[0] not in mounted.lacking}
    if gone := there - {str(place) for place in _kept_places(mounted)}:
        yield f"{sorted(gone)} can't be drawn any more: {_remedy(benchmark)}"


def _from_other_sources(mounted: Mounted, known: Golden) -> dict[str, str]:
    """Return the digest that is mounted for each track that was written down from another source."""
    there = [track for track in _own_tracks(mounted.benchmark) if track not in mounted.lacking]
    drawn_from = {track: mounted.digest_of(track) for track in there}
    return {track: digest for track, digest in drawn_from.items() if digest != known.source_of(track)}


def sample_faults(sample: Sample) -> Iterator[str]:
    """Yield the differences of the sample's items and pixels from the golden file of this version.

    What is written down is of whole samples: of a smaller one only pixels are compared.
    """
    benchmark, name = sample.mounted.benchmark, str(sample.place)
    known = golden_of(benchmark)
    if sample.place.track in benchmark.brought_tracks:
        return
    track = sample.place.track
    if known is None or sample.mounted.digest_of(track) != known.source_of(track):
        return  # `card_faults` reports this once for the track
    if name not in known.items:
        yield f"nothing is written down of it: {_remedy(benchmark)}"
    else:
        if sample.is_whole and known.items[name] != items_digest(sample):
            yield f"its items have changed: {_remedy(benchmark)}"
        if known.pixels[name] != pixels_digest(sample):
            yield f"its pixels have changed: {_remedy(benchmark)}"


def _remedy(benchmark: Benchmark) -> str:
    return (
        f"give {benchmark.name} another version than {benchmark.version} and run `make golden`, or, where nobody was "
        f"ever served this version, `python -m {PROGRAM} --replace {benchmark.name}`"
    )


def _difference(mounted: Mounted, known: Golden) -> str:
    for track, other in _from_other_sources(mounted, known).items():
        return (
            f"the items of track {track} are written down from the source {known.source_of(track)[:12]}, and "
            f"{other[:12]} is mounted ({mounted.bank_name}); mount that one, or replace what is "
            f"written down: python -m {PROGRAM} --replace {mounted.benchmark.name}"
        )
    return f"its items have changed: {_remedy(mounted.benchmark)}"


def write(mounted: Mounted, *, replace: bool = False) -> str:
    """Write down a version, and say what was done; older versions stay.

    Raises:
        ValueError: the version is written down already, with other items.
    """
    benchmark, made = mounted.benchmark, made_golden(mounted)
    path, known = path_of(benchmark), golden_of(benchmark)
    if known == made:
        return f"{benchmark.name}, version {benchmark.version}: as written down"
    if known is not None and not replace:
        raise ValueError(f"{benchmark.name}, version {benchmark.version}: {_difference(mounted, known)}")
    versions = dict(_read(path.read_bytes())) if path.exists() else {}
    versions[str(benchmark.version)] = made
    path.write_bytes(msgspec.json.format(msgspec.json.encode(versions), indent=1) + b"\n")
    return f"{benchmark.name}, version {benchmark.version}: written to {path}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the golden files of all benchmarks, or of those named. Return 1 if one is refused, 2 if none is there."""
    parser = argparse.ArgumentParser(prog=f"python -m {PROGRAM}", description=__doc__)
    add_arguments(parser)
    parser.add_argument("--replace", action="store_true", help="overwrite other items, if nobody was served them")
    given = parser.parse_args(arguments)
    try:
        asked_for = choose(given)
    except RegistryError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    refused = 0
    for benchmark, track, lacking in asked_for.unserved_tracks():
        refused += 1
        sys.stderr.write(f"{benchmark.name}, track {track}: nothing can be written down: {lacking}\n")
    unserved = {(benchmark.name, benchmark.version) for benchmark, _, _ in asked_for.unserved_tracks()}
    for mounted in asked_for.mounted_benchmarks():
        if (mounted.benchmark.name, mounted.benchmark.version) in unserved:
            continue  # without this track, the file would say that the version has no such track
        try:
            sys.stdout.write(f"{write(mounted, replace=given.replace)}\n")
        except ValueError as error:
            refused += 1
            sys.stderr.write(f"{error}\n")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
