"""Mining at the size of imSitu: a corpus as dense in pairs as the paper's, through steps 1, 2, 4 and 5.

The corpus is drawn: its values are nouns of WordNet, as unequally frequent as in imSitu, each verb has its own few
values of a role, and three annotators agree on four values of five. It says nothing about pictures.
"""

import resource
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import numpy as np

from bench.measuring import Bench, Line
from generator_service.mining.jobs import StageReport, mine
from generator_service.mining.situations.annotations import Situation
from generator_service.mining.situations.job import JOB
from generator_service.mining.wordnet import open_wordnet
from generator_service.sources.catalogue import kinds
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.kinds import Given
from generator_service.sources.lexicon import build_wordnet
from generator_service.sources.store import Head, Payload, SourceStore, of_folder

IMSITU, VERBS = 75_702, 504
PARTS = (16, 4, 1)  # of imSitu's size
MOST_SECONDS, MOST_MIB = 120.0, 4096
PHYSICAL = "n00001930"
ROLES = (
    ("agent", "place"),
    ("agent", "item", "place"),
    ("agent", "item", "place", "tool"),
    ("agent", "place", "vehicle"),
    ("agent", "place", "victim"),
    ("agent", "item", "place", "tool", "vehicle"),
)
SHARES = (0.22, 0.35, 0.25, 0.06, 0.06, 0.06)
AGENTS, PLACES, OF_A_ROLE, PLACES_OF_A_VERB, ITEMS_OF_A_VERB = 600, 55, 400, 15, 60
AGREEMENT = 0.8


def mining(_bench: Bench) -> Iterator[Line]:
    """Mine corpora of a sixteenth, a quarter and all of imSitu's size."""
    with TemporaryDirectory(prefix="tetrad-bench-mining-") as folder:
        store = of_folder(Path(folder) / "sources")
        try:
            build_wordnet(store, None)
        except PackageUnavailable as error:
            yield Line(name="situations mined", value="not measured", ratio=str(error))
            return
        for part in PARTS:
            images = IMSITU // part
            head = _add_corpus(store, images, max(4, VERBS // part))
            started, worked = time.perf_counter(), _core_seconds()
            stages = {report.stage: report for report in mine(store, head, JOB, lambda *_counts: None)}
            seconds, core = time.perf_counter() - started, _core_seconds() - worked
            whole = part == 1
            yield Line(
                name=f"{images} situations mined, steps 1, 2, 4, 5",
                value=f"{seconds:.0f} s, {core:.0f} core s",
                ratio=", ".join(f"{count_kept(stages[name]):,} {name}" for name in ("pairs", "salient", "analogies")),
                aim=f"< {MOST_SECONDS:.0f} s" if whole else "",
                met=seconds < MOST_SECONDS if whole else None,
            )
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        yield Line(name="memory of it", value=f"{peak:.0f} MiB", aim=f"< {MOST_MIB} MiB", met=peak < MOST_MIB)


def _core_seconds() -> float:
    """Return the processor time of this process and of those that it has waited for."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def count_kept(report: StageReport) -> int:
    return 0 if report.counts is None else report.counts.total


def _add_corpus(store: SourceStore, images: int, verbs: int) -> Head:
    """Keep a drawn corpus as a source of situations."""
    lexicon = open_wordnet(store)
    if lexicon is None:
        raise LookupError("WordNet was just added, and is not there: check the disk")
    nouns = [noun for noun in lexicon.nouns() if PHYSICAL in lexicon.ancestors(noun)]
    body = msgspec.json.encode(drawn_situations(images, verbs, nouns))
    kind = kinds()["situations"]
    payload = Payload(name="situations.json", body=body)
    if kind.take is None or not isinstance(kind.take(Given(payload.name, body)), Payload):
        raise LookupError("situations refuses the corpus drawn for it")
    head = Head(kind=kind.name, name=f"drawn-{images}", digest=f"{images:064d}")
    return store.write(head, iter((payload,)))


def drawn_situations(images: int, verbs: int, nouns: Sequence[str]) -> dict[str, Situation]:
    """Return a corpus of this size by image."""
    rng = np.random.default_rng(7)
    nouns = [nouns[place] for place in rng.permutation(len(nouns))]
    wide = {role: rng.permutation(len(nouns))[:OF_A_ROLE] for role in ("item", "tool", "vehicle", "victim")}
    found = {}
    for verb, members in enumerate(np.array_split(np.arange(images), verbs)):
        roles = ROLES[rng.choice(len(ROLES), p=SHARES)]
        true = {}
        for role in roles:
            if role == "agent":
                values, slope = np.arange(AGENTS), 1.6
            elif role == "place":
                values, slope = rng.permutation(PLACES)[:PLACES_OF_A_VERB], 1.6
            else:
                values, slope = rng.permutation(wide[role])[:ITEMS_OF_A_VERB], 1.1
            weights = 1 / np.arange(1, len(values) + 1) ** slope
            true[role] = values[rng.choice(len(values), len(members), p=weights / weights.sum())]
        told = [
            {
                role: np.where(rng.random(len(members)) < AGREEMENT, own, rng.permutation(own))
                for role, own in true.items()
            }
            for _annotator in range(3)
        ]
        for place in range(len(members)):
            frames = tuple({role: nouns[int(own[place])] for role, own in frame.items()} for frame in told)
            found[f"v{verb}_{place}.jpg"] = Situation(verb=f"v{verb}", frames=frames)
    return found
