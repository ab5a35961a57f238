"""The job `situations`: from annotated situations to analogies with distractors, in steps as published.

    frames       the situation of every image           (not a step of the paper: the files, read)
    words        what the corpus says of its words
    pairs        step 1: images that differ in one value
    salient      step 2: differences that stand out      (needs WordNet)
    described    step 3: no word describes the other image better      (needs an image-text model, or is skipped)
    analogies    step 4: two pairs with one change
    distractors  step 5: difficult distractors
    asked        not a step of the paper: analogies that VASR's track `photographs` asks
    roles        the same by role

Where no image-text model is given, or the source has no pictures, step 3 keeps everything, and its report says so. The
work is done on columns (corpus.py).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from generator_service.drawing.canvas import resize
from generator_service.drawing.png import encode_png
from generator_service.mining.counting import Counting
from generator_service.mining.jobs import Describing, Given, Job, Row, Stage, scored_by
from generator_service.mining.situations.analogies import Analogies, Limits, find_analogies
from generator_service.mining.situations.annotations import (
    VERB,
    VOCABULARY,
    AnnotationError,
    Situation,
    Vocabulary,
    read_annotations,
    read_row,
    read_words,
)
from generator_service.mining.situations.asking import Shown, ask_analogy, shown_by
from generator_service.mining.situations.corpus import Corpus, build_corpus
from generator_service.mining.situations.describing import LEAST as LEAST_LIKELY
from generator_service.mining.situations.describing import SHARPNESS, Described, describable, texts_of
from generator_service.mining.situations.distractors import KEPT, find_distractors
from generator_service.mining.situations.pairs import Pairs, find_pairs
from generator_service.mining.situations.salience import LEAST_SHARE, MOST_ALIKE, MOST_DIFFERENCES, keep_salient
from generator_service.sources.decoding import PHOTOGRAPH, decode_picture
from generator_service.sources.photographs import is_picture
from generator_service.sources.store import SourceUnfitError

LIMITS = Limits()
SHOWN = 131_072  # images whose frames are kept in words: all of imSitu, in 200 MB
LISTED = 20  # images without a picture that the report names
NO_SCORES = "step 3 is skipped: {why}, so a pair of which a word describes the other picture better is not dropped"
NO_MODEL = "no image-text model was given (--embeddings URL --model NAME)"
NO_PICTURES = "the source has no pictures"
LONGEST = 336  # pixels of the longer side of what the image-text model is shown
Rows = Iterator[tuple[str, Row]]


def frames(given: Given, counting: Counting) -> Rows:
    """Yield the situation of every image; where the source has pictures, of those that it has a picture of."""
    pictured = {name for name in given.names if is_picture(name)}
    by_last = {name.rpartition("/")[2]: name for name in pictured}
    missing: list[str] = []
    for image, situation in sorted(_annotations(given)[0].items()):
        if pictured and image not in by_last:
            counting.drop("no picture", situation.verb, 1, (image,))
            missing.append(image)
            continue
        counting.keep(situation.verb, 1)
        yield image, msgspec.to_builtins(situation) | ({"picture": by_last[image]} if pictured else {})
    if missing:
        more = f" and {len(missing) - LISTED} more" if len(missing) > LISTED else ""
        counting.notes.append(
            f"{len(missing)} annotated images have no picture and are left out: {', '.join(missing[:LISTED])}{more}; "
            "add the source again with them"
        )


def words(given: Given, _counting: Counting) -> Rows:
    """Yield one row, what the corpus says of its words."""
    yield VOCABULARY, msgspec.to_builtins(_annotations(given)[1])


def pairs(given: Given, counting: Counting) -> Rows:
    """Yield the pairs of every change, images by their number in the table of frames."""
    return _rows_of_pairs(find_pairs(_corpus(given), counting))


def outstanding(given: Given, counting: Counting) -> Rows:
    """Yield the pairs that step 2 keeps."""
    return _rows_of_pairs(keep_salient(_corpus(given), given.lexicon, _pairs(given), counting))


def plain(given: Given, counting: Counting) -> Rows:
    """Yield the pairs that step 3 keeps."""
    asking, found = given.described, list(_pairs(given))
    seen = {} if asking is None else _pictures_of(given, found)
    if asking is None or (found and not seen):
        counting.notes.append(NO_SCORES.format(why=NO_MODEL if asking is None else NO_PICTURES))
        for pairs in found:
            counting.keep(pairs.role, pairs.images.size)
        yield from _rows_of_pairs(found)
        return
    vocabulary = read_words(given.tables["words"])
    vectors = _vectors(_corpus(given), vocabulary, found, seen, asking)
    counting.notes.append(scored_by(asking.model))
    yield from _rows_of_pairs(describable(_corpus(given), vocabulary, vectors, found, counting))


def _pictures_of(given: Given, found: Sequence[Pairs]) -> Mapping[int, tuple[str, Situation]]:
    """Return the picture and the situation of each image of these pairs, by its number, where it has a picture."""
    corpus = _corpus(given)
    wanted = {corpus.images[image] for image in _images_of(found).tolist()}
    return {
        corpus.place[image]: (row["picture"], read_row(row))
        for image, row in given.tables["frames"].rows()
        if image in wanted and "picture" in row
    }


def _images_of(found: Sequence[Pairs]) -> npt.NDArray[np.int64]:
    """Return the numbers of all images of these pairs, each once, in order."""
    return np.unique(np.concatenate([pairs.images.reshape(-1) for pairs in found] or [np.zeros(0, np.int64)]))


def _vectors(
    corpus: Corpus,
    vocabulary: Vocabulary,
    found: Sequence[Pairs],
    seen: Mapping[int, tuple[str, Situation]],
    asking: Describing,
) -> Described:
    """Ask for the vectors of all images of these pairs, of the boxes of the roles that differ, and of their texts."""
    shown = _images_of(found).tolist()
    wanted: dict[tuple[int, int], int] = {}
    boxes: list[tuple[int, tuple[int, int, int, int], int]] = []
    for pairs in (pairs for pairs in found if pairs.role != VERB):
        images = np.unique(pairs.images)
        for image, slot in zip(images.tolist(), corpus.slots(pairs.role)[images].tolist(), strict=True):
            situation = seen[image][1]
            box = situation.boxes.get(corpus.role_sets[corpus.role_set[image]][slot])
            if box is not None and situation.width and (image, slot) not in wanted:
                wanted[image, slot] = len(boxes)
                boxes.append((image, box, situation.width))

    def body(image: int, box: tuple[int, int, int, int] | None = None, width: int = 0) -> bytes:
        return _small_png(asking.read(seen[image][0]), box, width)

    ask = asking.model
    rows = ask.pictures([partial(body, image) for image in shown], asking.kept, asking.progress)
    whole = np.zeros((len(corpus.images), rows.shape[1]), np.float32)
    whole[shown] = rows
    texts = texts_of(corpus, vocabulary, shown)
    return Described(
        whole=whole,
        boxes=wanted,
        boxed=ask.pictures([partial(body, *box) for box in boxes], asking.kept, asking.progress, "boxes"),
        texts={text: number for number, text in enumerate(texts)},
        told=ask.texts(texts, asking.kept, asking.progress),
    )


def _small_png(body: bytes, box: tuple[int, int, int, int] | None, width: int) -> bytes:
    """Return a photograph, or what a box of it holds, as a small PNG. width: of the photograph that the box is of."""
    picture = decode_picture(body, PHOTOGRAPH)
    if box is not None:
        x0, y0, x1, y1 = (max(0, side * picture.shape[1] // width) for side in box)
        part = picture[y0 : max(y1, y0 + 1), x0 : max(x1, x0 + 1)]
        picture = part if part.size else picture
    height, wide = picture.shape[:2]
    longest = max(height, wide)
    if longest > LONGEST:
        picture = resize(picture, max(1, wide * LONGEST // longest), max(1, height * LONGEST // longest))
    return encode_png(picture)


def analogies(given: Given, counting: Counting) -> Rows:
    """Yield analogies by change: images A, A', B, B' in turn, by their number in the table of frames."""
    found = find_analogies(_corpus(given), _pairs(given), counting, LIMITS)
    order = np.argsort(found.change, kind="stable")
    starts = np.searchsorted(found.change[order], np.arange(len(found.changes) + 1))
    for number, (role, value, other) in enumerate(found.changes):
        images = found.images[order[starts[number] : starts[number + 1]]]
        if len(images):
            row = {"role": role, "from": value, "to": other, "images": images.reshape(-1).tolist()}
            yield f"{role}/{value}/{other}", row


def distractors(given: Given, counting: Counting) -> Rows:
    """Yield an analogy a row, images by name, with distractors of both sorts, the most similar first."""
    corpus = _corpus(given)
    changes: list[tuple[str, str, str]] = []
    images, change = [np.zeros((0, 4), dtype=np.int64)], list[int]()
    for _, row in given.rows:
        images.append(np.array(row["images"], dtype=np.int64).reshape(-1, 4))
        change += [len(changes)] * len(images[-1])
        changes.append((row["role"], row["from"], row["to"]))
    every = Analogies(np.concatenate(images), changes, np.array(change, dtype=np.int64))
    for distracted in find_distractors(corpus, every, counting):
        role, value, other = changes[change[distracted.analogy]]
        a, a_changed, b, b_changed = (corpus.images[image] for image in every.images[distracted.analogy].tolist())
        yield (
            f"{role}/{value}/{other}/{distracted.analogy:07d}",
            {
                "role": role,
                "from": value,
                "to": other,
                "A": a,
                "A'": a_changed,
                "B": b,
                "B'": b_changed,
                "other": [corpus.images[image] for image in distracted.other],
                "near": [corpus.images[image] for image in distracted.near],
            },
        )


def ready(given: Given, counting: Counting) -> Rows:
    """Yield the analogies that can be asked."""
    vocabulary = read_words(given.tables["words"])
    situations = {image: read_row(row) for image, row in given.tables["frames"].rows()}

    @lru_cache(maxsize=SHOWN)
    def show(image: str) -> Shown:
        return shown_by(situations[image], vocabulary)

    for key, row in given.rows:
        found = ask_analogy(row, show, counting)
        if found is not None:
            yield key, found


def by_role(rows: Rows) -> Rows:
    """Yield each role with its analogies: key, image A, and how many distractors of either sort there are.

    The image tells the part of a divided source.
    """
    found: dict[str, list[list[Any]]] = {}
    for key, row in rows:
        found.setdefault(row["role"], []).append([key, row["images"][0], len(row["other"]), len(row["near"])])
    yield from ((role, {"analogies": of_role}) for role, of_role in found.items())


def _annotations(given: Given) -> tuple[dict[str, Situation], Vocabulary]:
    try:
        return read_annotations(given.rows)
    except AnnotationError as error:
        raise SourceUnfitError(f"this source holds no situations that can be mined: {error}") from error


def _corpus(given: Given) -> Corpus:
    """Return the columns of the source that is mined: built once for all stages of a run."""
    return _build_from_tables(_ByDigest(given))


class _ByDigest:
    """Two tables and the division of their source, equal where digests are: what is built from them is the same."""

    def __init__(self, given: Given) -> None:
        self.frames, self.words, self.given = given.tables["frames"], given.tables["words"], given

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _ByDigest) and self._digests == other._digests

    def __hash__(self) -> int:
        return hash(self._digests)

    @property
    def _digests(self) -> tuple[str, str, int | None]:
        return self.frames.digest, self.words.digest, self.given.practice_permille


@lru_cache(maxsize=1)
def _build_from_tables(tables: _ByDigest) -> Corpus:
    read = ((image, read_row(row)) for image, row in tables.frames.rows())
    return build_corpus(read, read_words(tables.words).agents, _parts(tables))


def _parts(tables: _ByDigest) -> dict[str, int] | None:
    """Return the number of each image's part, by its picture; None where the source is not divided."""
    if tables.given.practice_permille is None:
        return None
    part = tables.given.part
    return {image: int(part(row.get("picture", image)) == "sealed") for image, row in tables.frames.rows()}


def _rows_of_pairs(found: Iterable[Pairs]) -> Rows:
    for pairs in found:
        images = pairs.images.reshape(-1).tolist()
        row: Row = {"role": pairs.role, "value": pairs.value, "other": pairs.other, "images": images}
        yield f"{pairs.role}/{pairs.value}/{pairs.other}", row


def _pairs(given: Given) -> Iterator[Pairs]:
    for _, row in given.rows:
        images = np.array(row["images"], dtype=np.int64).reshape(-1, 2)
        yield Pairs(row["role"], row["value"], row["other"], images)


def _is_annotation(name: str) -> bool:
    return name.lower().endswith(".json")


_COLUMNS: tuple[str, ...] = ("frames", "words")
_SALIENCE: dict[str, Any] = {
    "least_share": round(1000 * LEAST_SHARE),
    "most_alike": round(1000 * MOST_ALIKE),
    "most_differences": MOST_DIFFERENCES,
}
JOB = Job(
    name="situations",
    kinds=("situations",),
    help="analogies with difficult distractors, from annotated situations",
    stages=(
        Stage(name="frames", help="the situation of every image", version=1, derive=frames, wants=_is_annotation),
        Stage(name="words", help="what the corpus says of its words", version=1, derive=words, wants=_is_annotation),
        Stage(
            name="pairs",
            help="images that differ in one value",
            version=1,
            reads="frames",
            also=("words",),
            derive=pairs,
        ),
        Stage(
            name="salient",
            help="differences that stand out",
            version=1,
            reads="pairs",
            also=_COLUMNS,
            wordnet=True,
            derive=outstanding,
            inputs=_SALIENCE,
        ),
        Stage(
            name="described",
            help="no word describes the other image better",
            version=1,
            reads="salient",
            also=_COLUMNS,
            describes=True,
            derive=plain,
            inputs={"least": round(1000 * LEAST_LIKELY), "sharpness": round(SHARPNESS), "longest": LONGEST},
        ),
        Stage(
            name="analogies",
            help="two pairs with one change",
            version=2,
            reads="described",
            also=_COLUMNS,
            derive=analogies,
            inputs={"tries": LIMITS.tries, "of_change": LIMITS.of_change, "of_image": LIMITS.of_image},
        ),
        Stage(
            name="distractors",
            help="difficult distractors",
            version=2,
            reads="analogies",
            also=_COLUMNS,
            derive=distractors,
            inputs={"kept": KEPT},
        ),
        Stage(
            name="asked",
            help="analogies that one candidate solves",
            version=1,
            reads="distractors",
            also=_COLUMNS,
            derive=ready,
        ),
        Stage(name="roles", help="the same by role", version=1, reads="asked", whole=by_role),
    ),
)
