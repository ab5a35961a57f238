"""The built-in object bank of KiVA: 16 kinds x 64 variants, drawn once, kept on disk, read by many processes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from generator_service.drawing.canvas import Picture


@dataclass(frozen=True, kw_only=True)
class ObjectRecord:
    """One drawn thing; `chiral` says that its picture clearly differs from its mirror image."""

    id: str  # "teapot-07"
    kind: str
    variant: int
    chiral: bool


@dataclass(frozen=True, kw_only=True, eq=False)
class ObjectBank:
    """Objects with their pictures and what can be told apart; `digest` is a SHA-256 over ids and decoded pixels."""

    name: str
    version: int
    objects: tuple[ObjectRecord, ...]
    digest: str

    def picture(self, object_id: str) -> Picture:
        """Return the (256, 256, 4) RGBA picture, read-only, mapped from the cache file."""
        raise NotImplementedError

    def difference(self, object_id: str, state_a: str, state_b: str) -> int:
        """Return the permille of the object's area that differs between two states, see `visibility.STATES`.

        States: "plain"; "rotation:45" .. "rotation:315" clockwise; "reflection:x" | ":y" | ":both";
        "color:red" | green | blue | yellow | grey; "size:2x1" | "size:1x2" | "size:2x2" (across x down, against plain).
        Poses (rotation, reflection) compare with each other, colours with colours, sizes with sizes.
        """
        raise NotImplementedError

    def visible(self, object_id: str, state_a: str, state_b: str) -> bool:
        """Tell whether a viewer sees the two states as different: `visibility.THRESHOLD` permille or more."""
        raise NotImplementedError

    def area(self, object_id: str) -> int:
        """Return the permille of the canvas that the object covers."""
        raise NotImplementedError


def load_bank(
    cache_folder: Path,
    *,
    progress: Callable[[int, int], None] | None = None,
    kinds: int | None = None,
    variants: int = 64,
) -> ObjectBank:
    """Open the bank in the folder, drawing it first where it is absent, stale or damaged."""
    raise NotImplementedError
