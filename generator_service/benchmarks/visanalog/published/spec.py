"""Define VISANALOG as published: the fields of an entry, and one question as pure data (Li et al., 2026)."""

from typing import Any

import msgspec

from generator_service.benchmarks.visanalog.spec import LABELS

NAME = "visanalog-published"
VERSION = 1
KINDS = ("zoom", "swap", "rotation", "flip", "hue")
MOST_STEPS = 4


class Embedded(msgspec.Struct, frozen=True, kw_only=True, rename={"body": "bytes"}):
    """A picture as `datasets` stores it in Parquet: its file, or the name of a file that lies beside."""

    body: bytes | None = None
    path: str | None = None


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One object of the published file, without the fields that we don't use.

    Pictures are names of files, or embedded. choices: four texts, in a list or by letter. answer: the letter of the
    right one. program: its steps in order, in one of the forms of `spellings`.
    """

    image_A: str | Embedded  # noqa: N815 - the published name
    image_B: str | Embedded  # noqa: N815
    image_C: str | Embedded  # noqa: N815
    question: str
    choices: list[str] | dict[str, str]
    answer: str
    program: Any


class Asked(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One question. number: its place in the published order. pictures: A, B and C, by the SHA-256 of their bytes."""

    number: int
    pictures: tuple[str, str, str]
    question: str
    choices: tuple[str, str, str, str]
    answer: str
    program: tuple[str, ...]
    kinds: tuple[str, ...]


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A question in a setting."""

    asked: Asked
    setting: str
    search_space: str


__all__ = ["KINDS", "LABELS", "MOST_STEPS", "NAME", "VERSION", "Asked", "Embedded", "Entry", "Scene"]
