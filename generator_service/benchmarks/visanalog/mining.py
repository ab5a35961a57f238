"""The job over photographs: which programs each tells apart, how it looks, what it holds, and what can be asked of it.

`tetrad source mine photographs:NAME visanalog` runs it. The tables that items are drawn from:

- `squares`: by photograph the square that pictures show of it, as PNG. Items are the same without it: then photographs
  are decoded whole.
- `programs`: by photograph its `chroma`, and `alike`, the programs that can't be told from others there, with those
  others. A photograph on which more than MOST pairs of programs are alike is left out: it is of one colour, or nearly.
- `asked`: by photograph its `look` (the colours of its cells), its `things` (what annotations name) and `asked`, by
  stratum what can be asked of it.
- `strata`: by stratum the photographs that it can be asked of.
"""

import base64
from collections.abc import Iterator
from typing import Any

from generator_service.benchmarks.visanalog.identifiability import (
    MARGIN,
    SMALL,
    VERSION,
    compare_programs,
    opaque_square,
)
from generator_service.benchmarks.visanalog.photographs import boxes, facts
from generator_service.benchmarks.visanalog.photographs.asking import entries
from generator_service.benchmarks.visanalog.photographs.cells import CELLS, look_of
from generator_service.drawing.png import encode_png
from generator_service.mining.counting import Counting
from generator_service.mining.jobs import Given, Job, Row, Stage
from generator_service.sources.decoding import PHOTOGRAPH, decode_picture
from generator_service.sources.photographs import is_picture

MOST = 10_000


def draw_square(file: tuple[str, Any]) -> bytes:
    """Return the square that pictures show of a photograph, as PNG."""
    _, body = file
    return encode_png(opaque_square(decode_picture(body, PHOTOGRAPH)))


def programs_told(file: tuple[str, Any]) -> Row | None:
    """Return the row of one photograph; None where it tells too few programs apart."""
    _, body = file
    found = compare_programs(decode_picture(body, PHOTOGRAPH))
    alike = found.alike()
    if sum(map(len, alike.values())) > 2 * MOST:
        return None
    return {"chroma": found.chroma, "alike": {str(number): others for number, others in alike.items()}}


def look(file: tuple[str, Any]) -> Row:
    """Return the colours of a photograph's cells, in base64."""
    _, body = file
    return {"look": base64.b64encode(look_of(decode_picture(body, PHOTOGRAPH))).decode()}


def things(given: Given, counting: Counting) -> Iterator[tuple[str, Row]]:
    """Yield the photographs whose annotations name things, with those things; of several files the first counts."""
    seen: set[str] = set()
    for name, found in boxes.boxes(given.rows, sorted(filter(is_picture, given.names)), counting):
        if name not in seen:
            seen.add(name)
            counting.keep("photographs", 1)
            yield name, {"things": found}


def beside(given: Given, counting: Counting) -> Iterator[tuple[str, Row]]:
    """Yield looks with the things that lie there."""
    named = dict(given.tables["things"].rows())
    for name, row in given.rows:
        counting.keep("photographs", 1)
        yield name, {**row, "things": named.get(name, {"things": []})["things"]}


def list_asked(row: tuple[str, Any]) -> Row:
    """Return what can be asked of one photograph, by stratum."""
    _, known = row
    found = entries(base64.b64decode(known["look"]), boxes.things_of(known["things"]))
    return {**known, "asked": found}


def strata(rows: Iterator[tuple[str, Row]]) -> Iterator[tuple[str, Row]]:
    """Yield each stratum with the photographs that it can be asked of."""
    found: dict[str, list[str]] = {}
    for name, row in rows:
        for stratum in row["asked"]:
            found.setdefault(stratum, []).append(name)
    yield from ((stratum, {"names": names}) for stratum, names in found.items())


JOB = Job(
    name="visanalog",
    kinds=("photographs",),
    help="which of the 448 programs each photograph tells apart, its chroma, and what can be asked of it",
    stages=(
        Stage(  # the first, for a service mounts the photographs once the tables that items depend on are there
            name="squares",
            help="the middle square at 512 pixels a side",
            version=1,
            draw=draw_square,
            wants=is_picture,
        ),
        Stage(
            name="programs",
            help="all programs applied and compared at 64 pixels a side",
            version=VERSION,
            each=programs_told,
            wants=is_picture,
            inputs={"margin": MARGIN, "side": SMALL},
        ),
        Stage(
            name="looks",
            help="the mean colors of 40 x 40 cells",
            version=1,
            each=look,
            wants=is_picture,
            inputs={"cells": CELLS},
        ),
        Stage(
            name="things",
            help="what COCO's annotations name",
            version=1,
            derive=things,
            wants=lambda name: name.lower().endswith(".json"),
            inputs={"least": boxes.LEAST_SIDE, "most": boxes.MOST_SIDE, "things": boxes.MOST_THINGS},
        ),
        Stage(name="photographs", help="looks and things", version=1, reads="looks", also=("things",), derive=beside),
        Stage(
            name="asked",
            help="what can be asked, in which pose, at how many steps",
            version=3,
            reads="photographs",
            each=list_asked,
            inputs={
                "share": str(facts.SHARE),
                "others": str(facts.OTHERS),
                "none": str(facts.NO_SHARE),
                "lighter": str(facts.LIGHTER_BY),
                "vivid": str(facts.MORE_VIVID_BY),
            },
        ),
        Stage(name="strata", help="photographs by what can be asked of them", version=1, reads="asked", whole=strata),
    ),
)
