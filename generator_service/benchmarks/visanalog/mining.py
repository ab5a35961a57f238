"""The job over photographs: which programs each of them tells apart, and how much colour it has.

`tetrad source mine photographs:NAME visanalog` runs it. A row is of one photograph, by its file's name: `chroma`, and
`alike`, the programs that can't be told from others there, with those others. A photograph on which more than MOST
pairs of programs are alike is left out: it is of one colour, or nearly.
"""

from typing import Any

from generator_service.benchmarks.visanalog.identifiability import MARGIN, SMALL, VERSION, told
from generator_service.mining.jobs import Job, Row, Stage
from generator_service.sources.decoding import PHOTOGRAPH, decoded
from generator_service.sources.photographs import is_picture

MOST = 10_000


def programs_told(file: tuple[str, Any]) -> Row | None:
    """Return the row of one photograph; None where it tells too few programs apart."""
    _, body = file
    found = told(decoded(body, PHOTOGRAPH))
    alike = found.alike()
    if sum(map(len, alike.values())) > 2 * MOST:
        return None
    return {"chroma": found.chroma, "alike": {str(number): others for number, others in alike.items()}}


JOB = Job(
    name="visanalog",
    kinds=("photographs",),
    help="which of the 448 programs each photograph tells apart, and its chroma",
    stages=(
        Stage(
            name="programs",
            help="all programs applied and compared at 64 pixels a side",
            version=VERSION,
            each=programs_told,
            wants=is_picture,
            inputs={"margin": MARGIN, "side": SMALL},
        ),
    ),
)
