"""Mounted corpora on disk: FOLDER/NAME/DIGEST/{corpus.json, pictures/SHA.png}. A folder is there whole or not at all.

The labels are in here: the folder is the generator's own, mode 700.
"""

import fcntl
import hashlib
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import msgspec

from generator_service.corpora.corpus import PICTURES, Contents, Corpus, Gathered, Layout, digest_of
from generator_service.corpora.faults import CorpusError, Faults
from generator_service.corpora.pictures import UnreadablePictureError, decoded
from generator_service.corpora.sources import open_source

CONTENTS = "corpus.json"
UNFINISHED = ".unfinished-"


class CorpusDamagedError(CorpusError):
    """A mounted corpus is not what it was when it was mounted."""


class CorpusStore:
    """The corpora below one folder, of the layouts given."""

    def __init__(self, folder: Path, layouts: Mapping[str, Layout]) -> None:
        self._folder = folder
        self._layouts = {layout.corpus_name: layout for layout in layouts.values()}

    def add(self, layout: Layout, source: Path, *, partial: bool = False) -> Corpus:
        """Check a folder or archive and mount it; the same content again changes nothing.

        Raises:
            CorpusFaultsError: it breaks the layout's rules; nothing is mounted.
            CorpusError: it can't be read, or another content is mounted under this name.
        """
        gathered = self._gathered(layout, source, partial=partial)
        names = tuple(sorted(gathered.pictures))
        contents = Contents(layout=layout.name, version=layout.version, items=gathered.items, pictures=names)
        digest = digest_of(contents.encoded())
        with self._locked():
            mounted = self._digests(layout.corpus_name)
            if mounted and mounted != [digest]:
                raise CorpusError(
                    f"{layout.corpus_name} is mounted with other content (digest {mounted[0][:12]}); remove it first, "
                    f"once no draw of it is open: tetrad corpus remove {layout.corpus_name}"
                )
            if not mounted:
                self._write(self._folder / layout.corpus_name / digest, contents.encoded(), gathered.pictures)
            return self._load(layout.corpus_name, digest)

    def load_all(self) -> list[Corpus]:
        """Return every mounted corpus, each file compared with its digest.

        Raises:
            CorpusDamagedError: one is not what it was, or of a layout that is not known here.
        """
        return [self._load(name, digest) for name in self.names() for digest in self._digests(name)]

    def names(self) -> list[str]:
        if not self._folder.is_dir():
            return []
        return sorted(path.name for path in self._folder.iterdir() if path.name[:1] != "." and self._digests(path.name))

    def check(self, name: str) -> Corpus:
        """Compare every file of a corpus with its digest and decode every picture.

        Raises:
            CorpusError: there is no such corpus, or it is damaged.
        """
        corpus = self._load(name, self.digest(name))
        for path in sorted((corpus.folder / PICTURES).iterdir()):
            try:
                decoded(path.read_bytes())
            except UnreadablePictureError as error:
                raise _damaged(corpus.folder, f"{path.name} {error}") from error
        return corpus

    def remove(self, name: str) -> str:
        """Take a corpus away and return its digest.

        Raises:
            CorpusError: there is no such corpus.
        """
        with self._locked():
            digest = self.digest(name)
            gone = Path(mkdtemp(prefix=UNFINISHED, dir=self._folder))
            (self._folder / name).rename(gone / name)
        shutil.rmtree(gone)
        return digest

    def digest(self, name: str) -> str:
        """Return a mounted corpus's digest.

        Raises:
            CorpusError: there is no such corpus.
        """
        found = self._digests(name) if name in self.names() else []
        if not found:
            mounted = ", ".join(self.names()) or "none"
            raise CorpusError(f"no corpus {name!r} is mounted in {self._folder}; mounted: {mounted}")
        return found[0]

    def layout_of(self, corpus: Corpus) -> Layout:
        return self._layouts[corpus.name]

    def _gathered(self, layout: Layout, source: Path, *, partial: bool) -> Gathered:
        faults = Faults()
        with open_source(source) as opened:
            gathered = layout.gather(opened, partial, faults)
        if not gathered.items and not faults.total:
            faults.add(source.name, f"holds no item of the layout {layout.name}", "give the folder as it was published")
        faults.check()
        return gathered

    def _digests(self, name: str) -> list[str]:
        folder = self._folder / name
        return sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Keep other writers out, and clear away what one that was killed has left."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._folder.chmod(0o700)
        with (self._folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for left in self._folder.glob(f"{UNFINISHED}*"):
                shutil.rmtree(left)
            yield

    def _write(self, target: Path, contents: bytes, pictures: Mapping[str, bytes]) -> None:
        """Write everything aside, then move it into place in one step."""
        aside = Path(mkdtemp(prefix=UNFINISHED, dir=self._folder))
        (aside / PICTURES).mkdir()
        (aside / CONTENTS).write_bytes(contents)
        for sha, body in pictures.items():
            (aside / PICTURES / f"{sha}.png").write_bytes(body)
        target.parent.mkdir(exist_ok=True)
        aside.rename(target)

    def _load(self, name: str, digest: str) -> Corpus:
        folder, layout = self._folder / name / digest, self._layouts.get(name)
        if layout is None:
            raise _damaged(folder, "is of no layout that this version knows")
        body = (folder / CONTENTS).read_bytes() if (folder / CONTENTS).is_file() else b""
        if digest_of(body) != digest:
            raise _damaged(folder, f"{CONTENTS} is missing or was changed")
        contents = msgspec.json.decode(body, type=Contents)
        if contents.version != layout.version:
            raise _damaged(folder, f"it was read by version {contents.version} of the layout, now {layout.version}")
        for sha in contents.pictures:
            path = folder / PICTURES / f"{sha}.png"
            if not path.is_file() or hashlib.sha256(path.read_bytes()).hexdigest() != sha:
                raise _damaged(folder, f"picture {path.name} is missing or was changed")
        items: tuple[Any, ...] = tuple(msgspec.convert(item, type=layout.item) for item in contents.items)
        return Corpus(name, layout.name, digest, items, folder)


def _damaged(folder: Path, problem: str) -> CorpusDamagedError:
    return CorpusDamagedError(f"corpus in {folder}: {problem}; remove it and add it again from the original")
