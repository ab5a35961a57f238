"""Pictures to add, made in the test."""

import re
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from generator_service.drawing.canvas import Picture
from generator_service.sources.adding import Added, Wanted, add_source
from generator_service.sources.catalogue import kinds
from generator_service.sources.faults import SourceFaultsError
from generator_service.sources.published import Corpus, Layout, add_published, open_published
from generator_service.sources.store import SourceStore


def hook(seed: int = 0, side: int = 120) -> Picture:
    """Draw a hook of some colour that no turn and no mirror brings back to itself; it does not lie on a diagonal."""
    picture = np.zeros((side, side, 4), np.uint8)
    unit = side // 12
    picture[unit : 11 * unit, 2 * unit : 4 * unit] = (200, (40 * seed) % 256, 60, 255)
    picture[unit : 4 * unit, 4 * unit : 8 * unit] = (200, (40 * seed) % 256, 60, 255)
    picture[8 * unit : 11 * unit, 2 * unit : 9 * unit] = ((70 * seed) % 256, 90, 160, 255)
    picture[6 * unit : 8 * unit, 7 * unit : 9 * unit] = (240, 230, (90 * seed) % 256, 255)
    return picture


def png(picture: Picture) -> bytes:
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, "PNG")
    return buffer.getvalue()


def write(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files by their path inside the folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def add(store: SourceStore, kind: str, path: Path, name: str, *, leave_out: bool = False, **more: object) -> Added:
    """Add a source without progress."""
    wanted = Wanted(name=name, leave_out=leave_out, **more)  # type: ignore[arg-type]
    return add_source(store, kinds()[kind], str(path), wanted, lambda _files, _bytes: None)


def add_corpus(store: SourceStore, layout: Layout, path: Path, *, partial: bool = False) -> Corpus:
    """Add published items and open them."""
    return open_published(store, add_published(store, layout, str(path), partial=partial))


def faults_of(store: SourceStore, layout: Layout, path: Path) -> dict[str, str]:
    """Return the problems that published items are refused for, by place; nothing is added."""
    with pytest.raises(SourceFaultsError) as refused:
        add_corpus(store, layout, path)
    assert store.heads() == []
    return {fault.field: fault.problem for fault in refused.value.faults}


def edit(folder: Path, prefix: str, pattern: str, text: str) -> None:
    """Change a tracker of KiVA's published trials."""
    tracker = folder / "trial_tracker" / f"output_{prefix}.txt"
    tracker.write_text(re.sub(pattern, text, tracker.read_text()))


def at(store: SourceStore) -> list[str]:
    """Return the arguments that name this store to the command."""
    return ["--store", f"file://{store.folder}"]
