"""Step 3 of mining: what an image-text model says of pairs, on vectors that are written down here."""

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
import pytest

from generator_service.mining.counting import Counting
from generator_service.mining.situations.annotations import Situation, Vocabulary
from generator_service.mining.situations.corpus import Corpus, build_corpus
from generator_service.mining.situations.describing import Described, describable, sentence, texts_of
from generator_service.mining.situations.pairs import find_pairs

TRACTOR, TRAILER, FIELD = "n00000001", "n00000002", "n00000003"
WORDS = Vocabulary(
    sentences={"pulling": "the AGENT pulls an ITEM (if there is one) in a PLACE", "pushing": "an AGENT pushes an ITEM"},
    words={TRACTOR: "tractor", TRAILER: "trailer", FIELD: "field"},
)
Shown = Mapping[str, tuple[str, ...]]
Boxes = Mapping[tuple[str, str], tuple[str, ...]]
SPACE = ("tractor", "trailer", "field", "pulls", "pushes")


def vector(*words: str) -> np.ndarray:
    """Return the unit vector of what is shown or said: an axis for each word."""
    found = np.array([float(word in words) for word in SPACE], np.float32)
    return found / max(float(np.linalg.norm(found)), 1.0)


def seen(
    corpus: Corpus, shown: Mapping[str, tuple[str, ...]], boxes: Mapping[tuple[str, str], tuple[str, ...]]
) -> Described:
    """Return vectors of images by what they show, and of texts by their words."""
    texts = texts_of(corpus, WORDS, range(len(corpus.images)))
    places = {
        (corpus.place[image], corpus.role_sets[corpus.role_set[corpus.place[image]]].index(role)): number
        for number, (image, role) in enumerate(boxes)
    }
    return Described(
        whole=np.stack([vector(*shown[image]) for image in corpus.images]),
        boxes=places,
        boxed=np.stack([vector(*words) for words in boxes.values()])
        if boxes
        else np.zeros((0, len(SPACE)), np.float32),
        texts={text: number for number, text in enumerate(texts)},
        told=np.stack([vector(*(word for word in SPACE if word in text.split())) for text in texts]),
    )


def pulled(noun: str, verb: str = "pulling") -> Situation:
    return Situation(verb=verb, frames=({"agent": "", "item": noun, "place": FIELD},))


def dropped(shown: Shown, boxes: Boxes = MappingProxyType({})) -> list[str]:
    corpus = build_corpus([("a", pulled(TRACTOR)), ("b", pulled(TRAILER))], {})
    counting = Counting()
    found = list(describable(corpus, WORDS, seen(corpus, shown, boxes), find_pairs(corpus, Counting()), counting))
    assert bool(found) != bool(counting.counts().dropped)
    return list(counting.counts().dropped)


def test_a_pair_of_which_each_image_shows_its_own_object_is_kept() -> None:
    assert not dropped({"a": ("tractor", "pulls"), "b": ("trailer", "pulls")})


def test_a_pair_of_which_one_image_shows_the_other_s_object_better_is_dropped() -> None:
    assert dropped({"a": ("trailer", "pulls"), "b": ("trailer", "pulls")}) == [
        "the other object describes an image better"
    ]


def test_where_a_box_is_known_the_object_is_looked_for_in_it() -> None:
    shown = {"a": ("tractor", "pulls"), "b": ("trailer", "pulls")}
    assert not dropped(shown, {("a", "item"): ("tractor",), ("b", "item"): ("trailer",)})
    assert dropped(shown, {("a", "item"): ("trailer",)}) == ["the other object describes an image better"]


def test_an_object_that_only_the_other_image_is_said_to_hold_must_not_describe_an_image_best() -> None:
    """Both annotators of b see a field as well; a shows nothing but a field."""
    corpus = build_corpus(
        [
            ("a", Situation(verb="pulling", frames=({"agent": "", "item": TRACTOR},))),
            (
                "b",
                Situation(verb="pulling", frames=({"agent": "", "item": TRAILER}, {"agent": FIELD, "item": TRAILER})),
            ),
        ],
        {},
    )
    counting = Counting()
    shown = {"a": ("tractor", "field", "field", "pulls"), "b": ("trailer", "pulls")}
    vectors = seen(corpus, shown, {})
    vectors.whole[0] = 0.3 * vector("tractor") + 0.9 * vector("field")
    pairs = [pair for pair in find_pairs(corpus, Counting()) if pair.role == "item"]
    assert not list(describable(corpus, WORDS, vectors, pairs, counting))
    assert list(counting.counts().dropped) == ["an object of the other image describes an image best"]


@pytest.mark.parametrize(("second", "kept"), [("pushes", True), ("pulls", False)])
def test_where_the_verb_changes_sentences_decide(second: str, *, kept: bool) -> None:
    corpus = build_corpus([("a", pulled(TRACTOR)), ("b", pulled(TRACTOR, "pushing"))], {})
    counting = Counting()
    vectors = seen(corpus, {"a": ("pulls",), "b": (second,)}, {})
    assert bool(list(describable(corpus, WORDS, vectors, find_pairs(corpus, Counting()), counting))) == kept
    assert list(counting.counts().dropped) == ([] if kept else ["the other sentence describes an image better"])


def test_a_sentence_is_the_verb_s_template_with_its_roles_filled_in() -> None:
    assert sentence(WORDS, "pulling", {"item": TRACTOR, "agent": "", "place": FIELD}) == (
        "the someone pulls an tractor in a field"
    )
    assert sentence(WORDS, "unknown", {"agent": TRAILER}) == "trailer unknown"
