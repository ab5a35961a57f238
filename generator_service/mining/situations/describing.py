"""Step 3: pairs of images of which no word describes the other image better (Bitton et al. 2023, section 3.3).

Annotations leave things out: a picture of a tractor may be one of a trailer as well. An image-text model gives vectors
of images and of texts. Of two texts, the softmax of their cosines with an image, times SHARPNESS, is the probability of
each. A pair of images is kept if

- of "a photo of a VALUE", for the two values that differ, each image's own is the likelier one: of the box of the role
  where it is known, else of the whole image;
- the likeliest of all objects of both images is one of its own, for each image (mesh);
- of the verb's sentence with its roles filled in, for both images, each image's own is the likelier one.

Where the verb changes, the sentences decide alone. The paper's threshold was set on a development set that was not
published; ours is one half.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator_service.mining.counting import Counting
from generator_service.mining.situations.annotations import VERB, Vocabulary
from generator_service.mining.situations.corpus import UNFILLED, Corpus, Ints, Mask
from generator_service.mining.situations.pairs import Pairs

SHARPNESS = 100.0  # of CLIP's softmax (Radford et al. 2021, section 2.4: the logit scale it ends at)
LEAST = 0.5
TOGETHER = 512  # pairs whose objects are compared at a time
WORDS_PROMPT = "a photo of a {}"
_SLOT = re.compile(r"\b[A-Z]{2,}\b")
_ASIDE = re.compile(r"\s*\([^)]*\)")
Vectors = npt.NDArray[np.float32]
"""(n, width), unit vectors."""


@dataclass(frozen=True, kw_only=True)
class Described:
    """The vectors that step 3 compares: of whole images, of boxes by image and slot, and of texts.

    whole [n]: a row an image of the corpus. boxes: (image, slot) -> row of `boxed`. texts: text -> row of `told`.
    """

    whole: Vectors
    boxes: Mapping[tuple[int, int], int]
    boxed: Vectors
    texts: Mapping[str, int]
    told: Vectors


def noun_text(vocabulary: Vocabulary, noun: str) -> str:
    """Return the prompt of an object."""
    return WORDS_PROMPT.format(vocabulary.words.get(noun, noun))


def sentence(vocabulary: Vocabulary, verb: str, frame: Mapping[str, str]) -> str:
    """Return the verb's template with the values of a frame filled in; "something" where a role has none."""
    template = _ASIDE.sub("", vocabulary.sentences.get(verb, "")) or f"AGENT {verb}"

    def fill(slot: re.Match[str]) -> str:
        noun = frame.get(slot[0].lower(), "")
        return vocabulary.words.get(noun, noun) or ("someone" if slot[0] == "AGENT" else "something")

    return _SLOT.sub(fill, template)


def texts_of(corpus: Corpus, vocabulary: Vocabulary, images: Sequence[int]) -> list[str]:
    """Return every text that images are compared with: prompts of their objects, and sentences of their frames."""
    nouns = np.unique(corpus.frames[list(images)])
    found = dict.fromkeys(noun_text(vocabulary, corpus.values[noun]) for noun in nouns.tolist() if noun > UNFILLED)
    found |= dict.fromkeys(sentence_of(corpus, vocabulary, image) for image in images)
    return list(found)


def sentence_of(corpus: Corpus, vocabulary: Vocabulary, image: int) -> str:
    """Return the sentence of an image's first frame."""
    roles = corpus.role_sets[corpus.role_set[image]]
    values = (corpus.values[value] for value in corpus.frames[image, 0, : len(roles)].tolist())
    return sentence(vocabulary, corpus.values[corpus.verb[image]], dict(zip(roles, values, strict=True)))


def describable(
    corpus: Corpus, vocabulary: Vocabulary, vectors: Described, found: Iterable[Pairs], counting: Counting
) -> Iterator[Pairs]:
    """Yield the pairs of each change that are kept."""
    told_of = (sentence_of(corpus, vocabulary, image) for image in range(len(corpus.images)))
    sentences = np.array([vectors.texts.get(text, -1) for text in told_of])
    nouns = np.array([vectors.texts.get(noun_text(vocabulary, value), -1) for value in corpus.values])
    for pairs in found:
        left = pairs.images
        for why, bad in _checks(corpus, vectors, pairs, sentences, nouns):
            wrong = bad(left)
            counting.drop(why, pairs.role, 2 * int(wrong.sum()), (_words(pairs),))
            left = left[~wrong]
        if len(left):
            counting.keep(pairs.role, 2 * len(left), (_words(pairs),))
            yield Pairs(pairs.role, pairs.value, pairs.other, left)


def _checks(
    corpus: Corpus, vectors: Described, pairs: Pairs, sentences: Ints, nouns: Ints
) -> Iterator[tuple[str, Callable[[Ints], Mask]]]:
    """Yield each check of the pairs of one change: why a pair is dropped, and which are."""
    if pairs.role != VERB:
        own, other = (vectors.told[nouns[corpus.number[value]]] for value in (pairs.value, pairs.other))

        def by_object(images: Ints) -> Mask:
            seen = [_seen_vectors(corpus, vectors, pairs.role, images[:, side]) for side in (0, 1)]
            return _doubtful(seen[0] @ own, seen[0] @ other) | _doubtful(seen[1] @ other, seen[1] @ own)

        yield "the other object describes an image better", by_object
        yield (
            "an object of the other image describes an image best",
            lambda images: _where_mistaken(corpus, vectors, pairs.role, images, nouns),
        )

    def by_sentence(images: Ints) -> Mask:
        first, second = (vectors.told[sentences[images[:, side]]] for side in (0, 1))
        shown, changed = (vectors.whole[images[:, side]] for side in (0, 1))
        return _doubtful(_cosines(shown, first), _cosines(shown, second)) | _doubtful(
            _cosines(changed, second), _cosines(changed, first)
        )

    yield "the other sentence describes an image better", by_sentence


def _doubtful(own: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> Mask:
    """Return where the probability of what is an image's own is not above one half."""
    return np.asarray(1 / (1 + np.exp(SHARPNESS * (other.astype(np.float64) - own))) <= LEAST)


def _cosines(rows: Vectors, others: Vectors) -> npt.NDArray[np.float32]:
    return np.asarray((rows * others).sum(axis=1))


def _seen_vectors(corpus: Corpus, vectors: Described, role: str, images: Ints) -> Vectors:
    """Return the vectors of what is looked at for a role: its box in each image, or the whole image."""
    slots = corpus.slots(role)[images].tolist()
    rows = [vectors.boxes.get(place, -1) for place in zip(images.tolist(), slots, strict=True)]
    if not len(vectors.boxed):
        return vectors.whole[images]
    boxed = np.array(rows, dtype=np.int64)
    return np.where((boxed < 0)[:, None], vectors.whole[images], vectors.boxed[boxed])


def _where_mistaken(corpus: Corpus, vectors: Described, role: str, images: Ints, nouns: Ints) -> Mask:
    """Return where the likeliest of all objects of both images is not one of the image's own."""
    bad = np.zeros(len(images), dtype=np.bool_)
    for start in range(0, len(images), TOGETHER):
        part = images[start : start + TOGETHER]
        values = [corpus.frames[part[:, side]].reshape(len(part), -1) for side in (0, 1)]
        every = np.concatenate(values, axis=1)
        known = every > UNFILLED
        texts = vectors.told[nouns[np.where(known, every, UNFILLED)]]
        for side in (0, 1):
            seen = _seen_vectors(corpus, vectors, role, part[:, side])
            likely = np.where(known, np.einsum("pw,ptw->pt", seen, texts), -np.inf)
            best = every[np.arange(len(part)), likely.argmax(axis=1)]
            bad[start : start + TOGETHER] |= ~(values[side] == best[:, None]).any(axis=1)
    return bad


def _words(pairs: Pairs) -> str:
    return f"{pairs.role}: {pairs.value} > {pairs.other}"
