"""Draw an item of photographs: what is asked of which C in which pose, the options, the program, and A.

A photograph is drawn among those that can be asked; then its pose and facts among its entries, and its hue rotation;
then the options, the right one among them, and a program that makes it right. A is drawn among the photographs on which
every program that can't be told from the item's gives the same right option: no item looks at its own pixels.
"""

from collections.abc import Sequence

from generator_service.benchmark import Streams
from generator_service.benchmarks.visanalog.grids import choose
from generator_service.benchmarks.visanalog.photographs.asking import choice_and_pose, stratum_name
from generator_service.benchmarks.visanalog.photographs.bank import PhotographBank
from generator_service.benchmarks.visanalog.photographs.facts import photograph_values
from generator_service.benchmarks.visanalog.photographs.grids import photograph_grids
from generator_service.benchmarks.visanalog.programs import Ints
from generator_service.benchmarks.visanalog.spec import Photograph, Scene


class NoPhotographError(RuntimeError):
    """No photograph tells an item's program from those that give another answer: the bank let too few through."""


def sample_photographs(  # noqa: PLR0917 - what is drawn, and from which streams
    bank: PhotographBank, setting: str, search_space: str, family: str, steps: int, streams: Streams
) -> Scene:
    """Draw an item of a stratum.

    Raises:
        NoPhotographError: no photograph can be A.
    """
    stream = streams("query")
    name = stream.choice(bank.names(family, steps))
    known = bank.read_tables(name)
    facts, pose = choice_and_pose(stream.choice(known.asked[stratum_name(family, steps)]), known.things)
    query = Photograph(name, known.look, known.things, pose, stream.below(4))
    values = photograph_values(query, facts)
    chosen = choose(photograph_grids(values, facts, steps), values, streams)
    return Scene(
        item=f"{streams('item').word():016x}",
        setting=setting,
        search_space=search_space,
        source=_source(bank, name, chosen.program, values, streams),
        query=query,
        program=chosen.program,
        facts=facts,
        options=chosen.options,
        right=chosen.right,
    )


def _source(bank: PhotographBank, query: str, program: int, values: Ints, streams: Streams) -> Photograph:
    """Draw A: another photograph than C, on which what looks like the program has the program's answer."""
    for name in streams("source").shuffle(bank.telling):
        if name != query and _tells(values, program, bank.alike(name, program)):
            return Photograph(name, bank.read_tables(name).look)
    raise NoPhotographError(f"none of {len(bank.telling)} photographs tells program {program} from others")


def _tells(values: Ints, program: int, alike: Sequence[int]) -> bool:
    return bool((values[list(alike)] == values[program]).all())
