"""Hold the paper's figures, tables 3, 4 and 5, of its photographs: 2,350 gold items are the test set."""

from collections.abc import Iterator

from generator_service.benchmarks.vasr.spec import DIFFICULT, FULL, GUESSED, RANDOM, WHICH
from tetrad.contracts.benchmarks import ReferenceRow

PAPER = "Bitton et al. 2023 (VASR)"
GOLD_TEST = 2350
ANNOTATORS, NO_PROMPT = "the paper's form for annotators", "none: models compare pictures, or are trained"
_TABLE_3 = (
    ("zero-shot arithmetic, ViT", "zero-shot", 86.0, 50.3),
    ("zero-shot arithmetic, Swin", "zero-shot", 86.0, 52.9),
    ("zero-shot arithmetic, DeiT", "zero-shot", 77.7, 47.2),
    ("zero-shot arithmetic, ConvNeXt", "zero-shot", 79.0, 51.2),
    ("zero-shot image-to-text", "zero-shot", 70.0, 38.9),
    ("distractors elimination", "zero-shot", 0.9, 23.4),
    ("situation recognition", "zero-shot", 31.0, 24.6),
    ("supervised concat", "trained", 84.1, 54.9),
    ("supervised arithmetic", "trained", 83.7, 47.4),
)
"""Random and difficult distractors, in percent."""
_PARTIAL = (
    ("zero-shot A', ViT", "zero-shot", "only-a-prime", 84.4, 45.8),
    ("zero-shot B, ViT", "zero-shot", "only-b", 77.6, 24.7),
    ("supervised single image", "trained", "only-b", 82.1, 44.8),
    ("supervised pair of images", "trained", "a-prime-and-b", 83.8, 46.3),
)
_TABLE_4 = ("agent", "item", "verb", "victim", "vehicle", "tool")
_BY_ROLE = (
    ("humans", "human", (95, 98, 85, 84, 83, 66)),
    ("zero-shot arithmetic, ViT", "zero-shot", (50, 48, 49, 48, 56, 58)),
    ("supervised concat", "trained", (69, 50, 44, 52, 46, 44)),
)
_TABLE_5 = (("ViT", 78.7, 27.7), ("Swin", 78.2, 30.7), ("DeiT", 69.3, 27.1), ("ConvNeXt", 70.2, 29.1))
"""Eight candidates, random and difficult."""


def _rows() -> Iterator[ReferenceRow]:
    for name, kind, *both in _TABLE_3:
        for distractors, value in zip((RANDOM, DIFFICULT), both, strict=True):
            yield _row(name, kind, value, "table 3", distractors)
    yield _row("humans", "human", 90.0, "table 3; a tenth of the test set, six of ten people", DIFFICULT, items=235)
    for name, kind, setting, *both in _PARTIAL:
        for distractors, value in zip((RANDOM, DIFFICULT), both, strict=True):
            yield _row(name, kind, value, "table 3, partial inputs", distractors, setting=setting)
    for name, kind, values in _BY_ROLE:
        for role, share in zip(_TABLE_4, values, strict=True):
            yield _row(name, kind, float(share), "table 4", DIFFICULT, role=role, items=None)
    for name, *both in _TABLE_5:
        for distractors, value in zip((RANDOM, DIFFICULT), both, strict=True):
            yield _row(f"zero-shot arithmetic, {name}", "zero-shot", value, "table 5", distractors, candidates="8")


def _row(
    name: str,
    kind: str,
    percent: float,
    table: str,
    distractors: str,
    *,
    setting: str = FULL,
    candidates: str = "4",
    role: str = "",
    items: int | None = GOLD_TEST,
) -> ReferenceRow:
    where: dict[str, tuple[str, ...]] = {"setting": (setting,), "stage": (WHICH if setting == FULL else GUESSED,)}
    if role:
        where["role"] = (role,)
    return ReferenceRow(
        name=name,
        kind=kind,
        metric="accuracy",
        value=round(percent / 100, 4),
        items=items,
        source=f"{PAPER}, {table}",
        pictures="the paper's photographs, not these",
        prompt=ANNOTATORS if kind == "human" else NO_PROMPT,
        where=where,
        parameters={"distractors": distractors, "candidates": candidates},
    )


REFERENCE = tuple(_rows())
