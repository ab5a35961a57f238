"""Hold the published figures with their sources, and the paper's words where it gives no figure.

Figures are counted from the authors' released replies (Apache-2.0) of 10% samples with one stitched picture; the
test tests/benchmarks/kiva/test_reference.py counts them again. The paper shows its other scores as bars only.
"""

from collections.abc import Iterator, Mapping

from tetrad.contracts.benchmarks import ReferenceRow
from tetrad.contracts.wire import ParameterValue

PAPER = "Yiu et al. 2025 (KiVA)"
REPEATS = 3
_AS_PUBLISHED: dict[str, ParameterValue] = {"distractors": "published", "presentation": "composite", "repeats": REPEATS}
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


def _counted() -> Iterator[ReferenceRow]:
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
                    name=model,
                    kind="model",
                    metric=metric,
                    value=round(value, 4),
                    items=trials,
                    source=f"{PAPER}, {source}; domains weigh alike",
                    where={"track": ("kiva",), "setting": (setting,), **also, **facets},
                    parameters=_AS_PUBLISHED,
                )


def _said(name: str, kind: str, words: str, place: str, **where: str) -> ReferenceRow:
    return ReferenceRow(
        name=name,
        kind=kind,
        metric="extrapolation",
        value=None,
        items=None,
        source=f"{PAPER}, {place}",
        where={facet: (value,) for facet, value in where.items()},
        words=words,
    )


_RESULTS = "section 4.1, in words"
_IN_WORDS = (
    _said("adults", "human", "near perfect, 3 to 13 adults a trial", _RESULTS, track="kiva", setting="full"),
    _said(
        "children of 3 to 5", "human", "significantly above chance, 42 children", _RESULTS, track="kiva", setting="full"
    ),
    _said("GPT-o1", "model", "below children in number and reflection", "section 4.2", track="kiva", setting="full"),
    _said("LLaVA-1.5", "model", "no better than chance (33%)", "appendix B.2", track="kiva", setting="full"),
    _said("MANTIS", "model", "no better than chance (33%)", "appendix B.2", track="kiva", setting="full"),
    _said("adults", "human", "near perfect, 40 adults", _RESULTS, track="kiva-adults", setting="full"),
    _said(
        "children of 3 to 5",
        "human",
        "none of 10 children above chance (33%)",
        "section 4",
        track="kiva-adults",
        setting="full",
    ),
    _said("GPT-o1", "model", "near adults in color only", _RESULTS, track="kiva-adults", setting="full"),
    _said(
        "adults",
        "human",
        "as right as with the verbal questions, and slower, 200 adults",
        _RESULTS,
        track="kiva",
        setting="extrapolation-only",
    ),
    _said(
        "children of 3 to 5",
        "human",
        "less right than with the verbal questions, 20 children",
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
        where={"track": ("kiva",), "setting": ("full",), "stage": ("classification",)},
    )
    for model in ("LLaVA-1.5", "MANTIS")
)

REFERENCE = (*_IN_WORDS, *_counted(), *_HALLUCINATED)
