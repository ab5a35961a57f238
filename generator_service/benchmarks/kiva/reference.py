"""Hold the published figures with their sources, and the paper's words where it gives no figure.

The paper shows its scores as bars. Figures are from the authors' release (Apache-2.0): means over its tables of trials
for extrapolation, and counts of the released replies of 10% samples, with one stitched picture, for trials whose change
is told and for those without a change. tests/benchmarks/kiva/test_reference.py counts the latter again.

All were measured on the paper's own trials, with distractors as published. Boards of fresh items show them and say so.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator_service.benchmarks.kiva.spec import DOMAINS
from tetrad.contracts.benchmarks import ReferenceRow
from tetrad.contracts.wire import ParameterValue

PAPER = "Yiu et al. 2025 (KiVA)"
REPEATS = 3
_ONE_PICTURE: dict[str, ParameterValue] = {"presentation": "composite", "repeats": REPEATS}
_AS_PUBLISHED = _ONE_PICTURE | {"distractors": "published"}
_GIVEN = "its released replies 'single_image_ground_truth_within': how it changed is told, then three repeats"
_UNCHANGED = "its released replies 'single_image_no_change': the pictures of trials without a change, three repeats"

Where = dict[str, tuple[str, ...]]
Right = Mapping[str, tuple[int, int]]
"""Domain to (right replies, trials); each trial has three replies."""

GIVEN_SPECIFICATION: Mapping[str, Right] = {
    "GPT-4V": {
        "color": (33, 15),
        "size": (17, 10),
        "number": (24, 20),
        "rotation": (15, 15),
        "reflection": (20, 20),
    },
    "LLaVA-1.5": {
        "color": (14, 15),
        "size": (7, 10),
        "number": (15, 20),
        "rotation": (17, 15),
        "reflection": (13, 10),
    },
}
NO_CHANGE: Mapping[str, Right] = {
    "GPT-4V": {
        "color": (11, 15),
        "size": (4, 10),
        "number": (9, 20),
        "rotation": (14, 15),
        "reflection": (5, 10),
    },
    "LLaVA-1.5": {
        "color": (16, 15),
        "size": (9, 10),
        "number": (22, 20),
        "rotation": (17, 15),
        "reflection": (8, 10),
    },
}
EXTRAPOLATION: Mapping[tuple[str, str], tuple[float, ...]] = {
    ("GPT-4V, several pictures", "full"): (96.1, 77.3, 25.5, 28.9, 29.7),
    ("GPT-4V, one picture", "full"): (76.4, 55.3, 33.5, 36.0, 34.7),
    ("LLaVA-1.5, one picture", "full"): (29.8, 29.3, 28.3, 33.3, 28.3),
    ("MANTIS, several pictures", "full"): (36.4, 34.3, 32.8, 37.1, 32.0),
    ("GPT-4V, one picture", "extrapolation-only"): (48.9, 48.0, 34.0, 40.4, 38.3),
}
"""Percent of right extrapolations by domain, by model and setting."""
CHANGE_TOLD = 0.661
"""Of GPT-4V with several pictures and the change told: domains weigh alike. The single picture's are counted above."""


@dataclass(frozen=True, kw_only=True)
class Stages:
    """The right answers of one table of the release by domain: (asked, what right, how right of these, which right).

    repeats: how often a trial was asked, so that `asked` is trials times repeats.
    """

    name: str
    kind: str
    source: str
    by_domain: Mapping[str, tuple[int, int, int, int]]
    repeats: int = 1
    prompt: str = "the paper's (appendix A.2)"
    shows_which: bool = True


STAGES: Mapping[str, tuple[Stages, ...]] = {
    "kiva": (
        Stages(
            name="40 adults",
            kind="human",
            source="its release, KiVA_adults.csv: 14 trials each; stages by the order of rows, some are misnamed",
            by_domain={
                "color": (120, 119, 116, 117),
                "size": (80, 79, 79, 78),
                "number": (160, 158, 145, 155),
                "rotation": (120, 119, 113, 109),
                "reflection": (80, 78, 78, 79),
            },
        ),
        Stages(
            name="40 children of 3 to 7",
            kind="human",
            source="its release, KiVA_children_updated8.9.csv: 10 trials each, of one child 14",
            by_domain={
                "color": (81, 76, 64, 73),
                "size": (80, 75, 58, 69),
                "number": (82, 73, 53, 66),
                "rotation": (81, 64, 51, 47),
                "reflection": (80, 59, 49, 59),
            },
            prompt="the paper's for children (appendix A.3)",
        ),
        Stages(
            name="MANTIS, several pictures",
            kind="model",
            source="its release, 'mantis_multi_image': 50 trials a value, three repeats",
            by_domain={
                "color": (450, 447, 237, 164),
                "size": (300, 119, 60, 103),
                "number": (600, 517, 254, 197),
                "rotation": (450, 413, 211, 167),
                "reflection": (300, 250, 154, 96),
            },
            repeats=REPEATS,
            shows_which=False,  # among the extrapolations above
        ),
    ),
    "kiva-adults": (
        Stages(
            name="40 adults",
            kind="human",
            source="its release, KiVA-adults_adults.csv: those who answered all 19 trials",
            by_domain={
                "color": (200, 200, 196, 196),
                "size": (120, 118, 113, 118),
                "number": (160, 158, 148, 156),
                "rotation": (160, 160, 136, 142),
                "reflection": (120, 119, 110, 101),
            },
        ),
    ),
}
OTHER_PICTURES = "the paper's, not these"
THESE_PICTURES = "the paper's, of which some are mounted here"
_PROMPT = "the paper's (appendix A.2)"


def extrapolations(track: str, pictures: str) -> Iterator[ReferenceRow]:
    """Yield the release's scores of extrapolation: of each model, the mean of the domains, then each domain."""
    for (model, setting), percents in EXTRAPOLATION.items():
        mean = sum(percents) / len(percents)
        by_domain = [({"domain": (domain,)}, percent) for domain, percent in zip(DOMAINS, percents, strict=True)]
        for facets, percent in (({}, mean), *by_domain):
            yield ReferenceRow(
                name=model,
                kind="model",
                metric="extrapolation",
                value=round(percent / 100, 4),
                items=None,
                source=f"{PAPER}, its release: means over trials; domains weigh alike",
                pictures=pictures,
                prompt=_PROMPT,
                where={"track": (track,), "setting": (setting,), **facets},
            )


def count_replies(track: str, pictures: str) -> Iterator[ReferenceRow]:
    """Yield the counts of the released replies: of each model, the mean of the domains, then each domain."""
    tables: tuple[tuple[str, str, Mapping[str, Right], str, Where], ...] = (
        ("extrapolation", "given-specification", GIVEN_SPECIFICATION, _GIVEN, {}),
        ("no-change", "full", NO_CHANGE, _UNCHANGED, {"stage": ("extrapolation",)}),
    )
    for metric, setting, table, source, also in tables:
        for model, right in table.items():
            shares = {domain: found / (REPEATS * trials) for domain, (found, trials) in right.items()}
            everything: tuple[Where, float, int] = (
                {},
                sum(shares.values()) / len(shares),
                sum(trials for _, trials in right.values()),
            )
            groups: list[tuple[Where, float, int]] = [
                ({"domain": (domain,)}, shares[domain], right[domain][1]) for domain in right
            ]
            for facets, value, trials in (everything, *groups):
                yield ReferenceRow(
                    name=f"{model}, one picture",
                    kind="model",
                    metric=metric,
                    value=round(value, 4),
                    items=trials,
                    source=f"{PAPER}, {source}; domains weigh alike",
                    pictures=pictures,
                    prompt=_PROMPT,
                    where={"track": (track,), "setting": (setting,), **also, **facets},
                    parameters=_AS_PUBLISHED if track == "kiva" else _ONE_PICTURE,
                )


def count_stages(
    tables: Iterable[Stages], track: str, pictures: str, how: str = "specification"
) -> Iterator[ReferenceRow]:
    """Yield what the release's tables give for each stage: the mean of the domains, then each domain.

    `how` is the metric of *how* where *what* was right, which cards name differently.
    """
    for stages in tables:
        shares: dict[str, dict[str, float]] = {"classification": {}, how: {}, "extrapolation": {}}
        asked: dict[str, dict[str, int]] = {metric: {} for metric in shares}
        for domain, (number, what, told, which) in stages.by_domain.items():
            counts = (("classification", what, number), (how, told, what), ("extrapolation", which, number))
            for metric, right, of in counts:
                shares[metric][domain] = right / of
                asked[metric][domain] = of
        if not stages.shows_which:
            del shares["extrapolation"]
        for metric, by_domain in shares.items():
            whole = sum(by_domain.values()) / len(by_domain)
            groups: list[tuple[Where, float, int]] = [({}, whole, sum(asked[metric].values()))]
            groups += [({"domain": (domain,)}, share, asked[metric][domain]) for domain, share in by_domain.items()]
            for facets, share, items in groups:
                yield ReferenceRow(
                    name=stages.name,
                    kind=stages.kind,
                    metric=metric,
                    value=round(share, 4),
                    items=items // stages.repeats,
                    source=f"{PAPER}, {stages.source}; domains weigh alike",
                    pictures=pictures,
                    prompt=stages.prompt,
                    where={"track": (track,), "setting": ("full",), **facets},
                )


def told_change(track: str, pictures: str) -> ReferenceRow:
    """Return the figure of GPT-4V that sees several pictures and is told how the example changed."""
    return ReferenceRow(
        name="GPT-4V, several pictures",
        kind="model",
        metric="extrapolation",
        value=CHANGE_TOLD,
        items=None,
        source=f"{PAPER}, its released replies 'multi_image_ground_truth_within': how it changed is told; domains "
        "weigh alike",
        pictures=pictures,
        prompt=_PROMPT,
        where={"track": (track,), "setting": ("given-specification",)},
    )


def _quote_row(name: str, kind: str, words: str, place: str, **where: str) -> ReferenceRow:
    return ReferenceRow(
        name=name,
        kind=kind,
        metric="extrapolation",
        value=None,
        items=None,
        source=f"{PAPER}, {place}",
        pictures=OTHER_PICTURES,
        prompt="the paper's for children (appendix A.3)" if "children" in name else _PROMPT,
        where={facet: (value,) for facet, value in where.items()},
        words=words,
    )


_RESULTS = "section 4.1, in words"
_IN_WORDS = (
    _quote_row("adults", "human", "near perfect, 3 to 13 adults a trial", _RESULTS, track="kiva", setting="full"),
    _quote_row(
        "children of 3 to 5",
        "human",
        "significantly above chance in the verbal questions, and extrapolate by them; 42 children",
        _RESULTS,
        track="kiva",
        setting="full",
    ),
    _quote_row(
        "GPT-o1", "model", "below children in number and reflection", "section 4.2", track="kiva", setting="full"
    ),
    _quote_row("LLaVA-1.5", "model", "no better than chance (33%)", "appendix B.2", track="kiva", setting="full"),
    _quote_row("MANTIS", "model", "no better than chance (33%)", "appendix B.2", track="kiva", setting="full"),
    _quote_row("adults", "human", "near perfect, 40 adults", _RESULTS, track="kiva-adults", setting="full"),
    _quote_row(
        "children of 3 to 5",
        "human",
        "none of 10 children above chance (33%)",
        "section 4",
        track="kiva-adults",
        setting="full",
    ),
    _quote_row("GPT-o1", "model", "near adults in color only", _RESULTS, track="kiva-adults", setting="full"),
    _quote_row(
        "adults",
        "human",
        "as right as with the verbal questions, and slower; 200 adults; number, rotation and reflection only",
        _RESULTS,
        track="kiva",
        setting="extrapolation-only",
    ),
    _quote_row(
        "children of 3 to 5",
        "human",
        "less right than with the verbal questions; 20 children; number, rotation and reflection only",
        _RESULTS,
        track="kiva",
        setting="extrapolation-only",
    ),
    _quote_row(
        "GPT-o1",
        "model",
        "with the verbal questions as right in number, better in rotation, worse in reflection",
        _RESULTS,
        track="kiva",
        setting="extrapolation-only",
    ),
)

_HALLUCINATED = tuple(
    ReferenceRow(
        name=model,
        kind="model",
        metric="no-change",
        value=0.0,
        items=None,
        source=f"{PAPER}, section 4.1, 'Models hallucinate where there is no change': a change named in 100% of trials",
        pictures=OTHER_PICTURES,
        prompt=_PROMPT,
        where={"track": ("kiva",), "setting": ("full",), "stage": ("classification",)},
    )
    for model in ("LLaVA-1.5", "MANTIS")
)

REFERENCE = (
    *_IN_WORDS,
    *extrapolations("kiva", OTHER_PICTURES),
    *count_replies("kiva", OTHER_PICTURES),
    *(row for track, tables in STAGES.items() for row in count_stages(tables, track, OTHER_PICTURES)),
    told_change("kiva", OTHER_PICTURES),
    *_HALLUCINATED,
)
