"""Benchmarks of people and things where nobody drew any: everything but their pixels is tested all the same.

Drawing people takes minutes and two packages, so a fresh clone has none. What is asked and what is right follows from
the scene, never from the source. So the tests mount such a benchmark under the digest that its golden items were
written from, with a coloured tile in place of each picture: its items are then those written down, and no pixel is.

Services are given a source of mannequins: one in each pose, whoever it stands for.
"""

import hashlib
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace as replaced

from generator_service.benchmark import Benchmark, PictureArray
from generator_service.drawing.people.people_maker import LayerName, Maker, layer_names
from generator_service.drawing.people.poses import POSES
from generator_service.drawing.people.things import codes
from generator_service.mounting import Mounted
from generator_service.proving.golden import golden_of
from generator_service.registry import Registry, mount
from generator_service.sources.people.bank import NAME, PEOPLE, digest_of, people_heads, stored_person, stored_thing
from generator_service.sources.people.building import Extent
from generator_service.sources.store import Head, Manifest, PackWriter, SourceStore, of_folder
from tests.unit.generator_service.drawing.people.mannequin import files as mannequin_files

SIDE, DOTS = 18, 5
"""Pixels of a tile's side, and of its corner that differs from picture to picture; all else is grey."""


def mounted_for_tests(found: Iterable[Benchmark], store: Path) -> Registry:
    """Mount benchmarks as `mount` does; those that wait for people have tiles for pictures."""
    registry = mount(found, store)
    if not any(waits_for_people(one) for one in registry.all()):
        return registry
    return Registry(with_tiles(one) if waits_for_people(one) else one for one in registry.all())


def waits_for_people(mounted: Mounted) -> bool:
    """Tell whether a track can't be drawn from because nobody drew people here."""
    return bool(without_people(mounted) & mounted.lacking.keys())


def without_people(mounted: Mounted) -> set[str]:
    """Return the tracks of people where nobody drew any: those that wait, or that have tiles for pictures."""
    names = [one.name for one in mounted.benchmark.card.tracks]
    return {name for name in names if PEOPLE in mounted.benchmark.kinds_of(name) and PEOPLE not in mounted.heads}


def with_tiles(mounted: Mounted) -> Mounted:
    """Return the benchmark with its tracks of people as served from the source of their golden items.

    Each picture of people is a tile; what needs no people is drawn as always.
    """
    benchmark = mounted.benchmark
    golden = golden_of(benchmark)
    tiled = without_people(mounted)
    digests = {track: "0" * 64 if golden is None else golden.source_of(track) for track in tiled}
    has_others = len(tiled) < len(benchmark.card.tracks)

    def render(bank: Any, scene: Any, name: str) -> PictureArray:
        if has_others:
            with suppress(LookupError):
                return benchmark.render(bank, scene, name)
        shown = msgspec.json.encode([benchmark.holds(scene, name), name], order="deterministic")
        tile = np.full((SIDE, SIDE, 4), 128, np.uint8)
        tile[:DOTS, :DOTS, :3] = np.frombuffer(hashlib.shake_256(shown).digest(DOTS * DOTS * 3), np.uint8).reshape(
            DOTS, DOTS, 3
        )
        tile[..., 3] = 255
        return tile

    return replace(
        mounted,
        benchmark=replace(benchmark, render=render),
        bank=mounted.bank if has_others else render,
        bank_digest=mounted.bank_digest if has_others else next(iter(digests.values())),
        digests={**mounted.digests, **digests},
        lacking={track: why for track, why in mounted.lacking.items() if track not in tiled},
    )


def add_mannequins(store: SourceStore) -> Head:
    """Add a source that stands for the drawn one: the mannequin in every pose for everybody, and tiles for things."""
    files, writer = mannequin_files(), PackWriter(store.objects)
    maker = Maker(lambda path: files[path])
    for number, code in enumerate(codes()):
        tile = np.full((40 + number % 50, 60, 4), 255, np.uint8)
        tile[..., :3] = (number * 37 % 200, number * 61 % 200, number * 89 % 200)
        writer.write(stored_thing(code, tile))
    drawn = {pose: stored_person("", maker.draw(LayerName("man", pose))) for pose in POSES}
    for name in layer_names():
        writer.write(replaced(drawn[name.pose], name=str(name)))
    writer.flush()
    head = Head(
        kind=PEOPLE,
        name=NAME,
        digest=digest_of(writer.files),
        recipe=Extent().recipe,
        licence="none",
        access="public",
        labels_public=True,
    )
    return store.publish(head, Manifest(packs=tuple(writer.packs), files=tuple(writer.files)))


def has_people(folder: Path) -> bool:
    """Tell whether the store in a folder has a source of people."""
    return bool(people_heads(of_folder(folder)))
