"""Mining of situations: each step on corpora small enough to check by hand, and on imSitu's sample where it is."""

import csv
import os
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec
import numpy as np
import pytest

from generator_service.drawing.people.places import SIDE
from generator_service.drawing.people.vocabulary import LEAST_VERBS, VALUES, changes, verb_changes
from generator_service.drawing.people.vocabulary import VERBS as EVERY_VERB
from generator_service.mining.counting import Counting
from generator_service.mining.jobs import StageReport, mine
from generator_service.mining.situations.analogies import Limits, find_analogies
from generator_service.mining.situations.annotations import (
    ROLES,
    AnnotationError,
    Situation,
    agent_of,
    read_annotations,
    read_row,
)
from generator_service.mining.situations.composed import build_composed, composed_situations
from generator_service.mining.situations.corpus import ABSENT, Corpus, build_corpus
from generator_service.mining.situations.distractors import ALL, find_distractors, identical, similarity
from generator_service.mining.situations.job import JOB
from generator_service.mining.situations.pairs import Pairs, find_pairs
from generator_service.mining.situations.salience import LEAST_SHARE, indistinct, keep_salient
from generator_service.mining.wordnet import WordNet
from generator_service.sources.fetching import PackageUnavailable
from generator_service.sources.lexicon import FILES, build_wordnet
from generator_service.sources.store import SourceStore, SourceUnfitError, of_folder
from generator_service.sources.tables import find_table
from tests.photographs import jpeg
from tests.unit.generator_service.drawing.people.conftest import Mannequins
from tests.unit.generator_service.sources.pictures import add

DATA = Path(os.environ.get("TETRAD_DATA", Path(__file__).parents[5] / "shared" / "data"))
DOG, MAN, WOMAN, BEAGLE, CAR, TREE = "n02084071", "n10287213", "n10787470", "n02088364", "n02958343", "n13104059"


WORDNET = Path(os.environ.get("TETRAD_WORDNET", "/usr/share/wordnet"))
LEAST_AGREEMENT = 0.96


@pytest.fixture
def store(tmp_path: Path) -> SourceStore:
    return of_folder(tmp_path / "sources")


def silent(_stage: str, _done: int, _of: int) -> None:
    """Show nothing."""


def one(verb: str, *frames: Mapping[str, str], **more: object) -> Situation:
    return Situation(verb=verb, frames=tuple(map(dict, frames)), **more)  # type: ignore[arg-type]


def corpus(**situations: Situation) -> Corpus:
    return build_corpus(sorted(situations.items()), {"hauling": "carrier"})


def pairs_of(of: Corpus) -> set[tuple[str, str, str, str, str]]:
    found = find_pairs(of, Counting())
    return {
        (pairs.role, pairs.value, pairs.other, of.images[a], of.images[b])
        for pairs in found
        for a, b in pairs.images.tolist()
    }


# A WordNet of a few words in its own form: number, file, type, count of words, words, pointers.
NOUNS = """\
00000001 03 n 01 entity 0 000 | all
00015388 03 n 01 animal 0 001 @ 00000001 n 0000 | a
00007846 03 n 01 person 0 001 @ 00000001 n 0000 | a
09605289 03 n 01 adult 0 001 @ 00007846 n 0000 | a
09624168 03 n 01 male 0 001 @ 00007846 n 0000 | a
09619168 03 n 01 female 0 001 @ 00007846 n 0000 | a
10287213 03 n 01 man 0 002 @ 09605289 n 0000 @ 09624168 n 0000 | a
10787470 03 n 01 woman 0 002 @ 09605289 n 0000 @ 09619168 n 0000 | a
10285313 03 n 01 boy 0 001 @ 09624168 n 0000 | a
09632518 03 n 01 worker 0 001 @ 00007846 n 0000 | a
02084071 03 n 01 dog 0 001 @ 00015388 n 0000 | a
02088364 03 n 02 beagle 0 hound_dog 0 001 @ 02084071 n 0000 | a
02121620 03 n 01 cat 0 001 @ 00015388 n 0000 | a
02958343 03 n 02 car 0 auto 0 001 @ 00000001 n 0000 | a
02959942 03 n 02 railcar 0 CAR 0 001 @ 00000001 n 0000 | a
"""
VERBS = """\
00000010 38 v 01 move 0 000 | a
00000011 38 v 01 run 0 001 @ 00000010 v 0000 | a
00000012 38 v 01 sprint 0 001 @ 00000011 v 0000 | a
00000013 38 v 01 jump 0 001 @ 00000010 v 0000 | a
00000020 29 v 01 eat 0 000 | a
"""
INDEX = """\
run v 1 1 @ 1 1 00000011
sprint v 1 1 @ 1 0 00000012
jump v 1 1 @ 1 0 00000013
eat v 1 1 @ 1 0 00000020
"""


@pytest.fixture(scope="module")
def wordnet() -> WordNet:
    files = {"data.noun": NOUNS, "data.verb": VERBS, "index.verb": INDEX, "verb.exc": "ate eat\n"}
    return WordNet(lambda name: ("  1 a licence\n" + files[name]).encode())


def test_a_pair_differs_in_one_value_of_frames_with_the_same_roles() -> None:
    place = {"place": "beach"}
    of = corpus(
        a=one("running", {"agent": "man", **place}),
        b=one("running", {"agent": "dog", **place}),
        c=one("jumping", {"agent": "man", **place}),
        two_values=one("jumping", {"agent": "cat", **place}),
        no_agent=one("running", {"agent": "", **place}),
        other_roles=one("riding", {"agent": "man", "vehicle": "car", **place}),
    )
    assert pairs_of(of) == {
        ("agent", "dog", "man", "b", "a"),
        ("agent", "cat", "man", "two_values", "c"),
        ("verb", "jumping", "running", "c", "a"),
    }


def test_values_that_two_images_share_over_all_annotators_make_no_pair() -> None:
    here = {"place": "beach"}
    of = corpus(
        a=one("running", {"agent": "man", **here}, {"agent": "dog", **here}, {"agent": "man", **here}),
        b=one("running", {"agent": "cat", **here}, {"agent": "dog", **here}, {"agent": "cat", **here}),
        c=one("running", {"agent": "cat", **here}),
    )
    assert pairs_of(of) == {("agent", "cat", "man", "c", "a"), ("agent", "cat", "dog", "c", "a")}


def test_pairs_are_those_that_comparing_every_two_images_finds() -> None:
    rng = np.random.default_rng(3)
    situations = {}
    for number in range(120):
        verb = ("running", "jumping", "hauling")[int(rng.integers(3))]
        roles = ("carrier", "item", "place") if verb == "hauling" else ("agent", "item", "place")
        frames = [
            {role: ("", "x", "y", "z")[int(rng.integers(4))] for role in roles} for _ in range(rng.integers(1, 4))
        ]
        situations[f"{number:03d}"] = one(verb, *frames)
    expected = set()
    for a, ours in situations.items():
        for b, theirs in situations.items():
            for own in ours.frames:
                for other in theirs.frames:
                    if a == b or own.keys() != other.keys():
                        continue
                    left, right = {**own, "verb": ours.verb}, {**other, "verb": theirs.verb}
                    differ = [role for role in left if left[role] != right[role]]
                    if len(differ) != 1 or not left[differ[0]] or not right[differ[0]]:
                        continue
                    (role,) = differ
                    seen = {frame.get(role) for frame in ours.frames} & {frame.get(role) for frame in theirs.frames}
                    if (role == "verb" or not seen) and left[role] < right[role]:
                        expected.add((role, left[role], right[role], a, b))
    assert len(expected) > 100
    assert pairs_of(corpus(**situations)) == expected


@pytest.mark.parametrize(
    ("role", "value", "other", "reason"),
    [
        ("place", MAN, DOG, "role that is not told"),
        ("agent", MAN, DOG, ""),
        ("agent", MAN, WOMAN, ""),
        ("agent", DOG, "n02121620", ""),
        ("agent", DOG, BEAGLE, "one noun is above the other"),
        ("agent", MAN, "n09632518", "people of one kind"),
        ("agent", MAN, "n10285313", "people of one kind"),
        ("agent", WOMAN, "n10285313", ""),
        ("item", CAR, "n02959942", "nouns share a word"),
        ("item", CAR, "n99999999", "no noun of WordNet"),
        ("verb", "running", "sprinting", "verbs of one meaning"),
        ("verb", "running", "eating", ""),
        ("verb", "running", "standing", "a verb that most pictures show"),
    ],
)
def test_step_2_names_why_a_difference_does_not_stand_out(
    wordnet: WordNet, role: str, value: str, other: str, reason: str
) -> None:
    assert indistinct(wordnet, Pairs(role, value, other, np.zeros((0, 2), dtype=np.int64))) == reason


def test_step_2_drops_pairs_by_what_their_images_show_and_counts_them(wordnet: WordNet) -> None:
    whole = {"agent": (0, 0, 50, 50)}
    of = corpus(
        a=one("running", {"agent": MAN, "place": "x"}, boxes=whole, width=100, height=100),
        b=one("running", {"agent": DOG, "place": "x"}, boxes={"agent": (0, 0, 10, 10)}, width=100, height=100),
        c=one("running", {"agent": "n02121620", "place": "x"}, boxes=whole, width=100, height=100),
        d=one("hauling", {"carrier": MAN, "coagent": "y"}),
        e=one("hauling", {"carrier": DOG, "coagent": "y"}),
        f=one("hauling", {"carrier": MAN, "item": "y"}),
        g=one("hauling", {"carrier": DOG, "item": "y"}),
    )
    counting = Counting()
    kept = list(keep_salient(of, wordnet, find_pairs(of, Counting()), counting))
    assert [(pairs.role, pairs.value, pairs.other) for pairs in kept] == [
        ("agent", DOG, MAN),
        ("agent", "n02121620", MAN),
    ], "hauling calls its agent carrier"
    assert [[of.images[image] for image in pairs.images.reshape(-1).tolist()] for pairs in kept] == [
        ["g", "f"],
        ["c", "a"],
    ]
    counts = counting.counts()
    assert counts.kept == {"agent": 4}
    assert counts.dropped == {"a co-agent": {"carrier": 2}, "under 2% of the image": {"agent": 4}}
    assert counts.examples["a co-agent"] == [f"carrier: {DOG} > {MAN}"]


def test_images_with_more_than_two_differences_are_dropped(wordnet: WordNet) -> None:
    agents = (MAN, DOG, "n02121620", CAR)
    at = [{"agent": agent, "place": "x"} for agent in agents]
    of = corpus(a=one("running", at[0]), b=one("running", *at[1:]), c=one("running", *at[1:3]))
    counting = Counting()
    kept = list(keep_salient(of, wordnet, find_pairs(of, Counting()), counting))
    assert {of.images[image] for pairs in kept for image in pairs.images[:, 0]} == {"c"}
    assert counting.counts().dropped == {"more than two differences": {"agent": 6}}


def grid(values: int, verbs: int, items: int = 1) -> Corpus:
    """Return a corpus of each value under each verb, each verb with items of its own."""
    return corpus(
        **{
            f"{verb}-{value}-{item}": one(
                f"v{verb}", {"agent": f"a{value}", "item": f"i{verb}-{item}", "place": f"p{verb}"}
            )
            for verb in range(verbs)
            for value in range(values)
            for item in range(items)
        }
    )


def test_an_analogy_is_two_pairs_with_one_change_and_nothing_else_in_common() -> None:
    of = grid(values=3, verbs=4)
    counting = Counting()
    found = find_analogies(of, find_pairs(of, Counting()), counting)
    assert len(found.images)
    ways: Counter[bool] = Counter()
    for row, change in zip(found.images.tolist(), found.change.tolist(), strict=True):
        role, value, other = found.changes[change]
        a, a_changed, b, b_changed = (of.images[image].split("-") for image in row)
        assert len(set(row)) == 4
        assert role == "agent"
        assert (f"a{a[1]}", f"a{a_changed[1]}", f"a{b[1]}", f"a{b_changed[1]}") == (value, other, value, other)
        assert a[0] == a_changed[0] != b[0] == b_changed[0]
        ways[value < other] += 1
    assert ways[True] > 0 < ways[False], "changes go both ways"
    assert counting.counts().kept["agent"] == len(found.images)


def test_pairs_of_one_place_are_no_analogy_and_limits_hold() -> None:
    shared = corpus(
        **{
            f"{verb}-{value}": one(f"v{verb}", {"agent": f"a{value}", "place": "beach"})
            for verb in range(3)
            for value in range(2)
        }
    )
    counting = Counting()
    found = find_analogies(shared, find_pairs(shared, Counting()), counting)
    assert not len(found.images), "A and B share the place"
    assert counting.counts().dropped["no second pair that fits"]["agent"] == 6
    of = grid(values=4, verbs=6, items=3)
    few = find_analogies(of, find_pairs(of, Counting()), Counting(), Limits(of_change=2, of_image=3))
    assert max(Counter(found.changes[0][0] for _ in few.images)) == "agent"
    assert max(Counter(few.images.reshape(-1).tolist()).values()) <= 3
    both = Counter(tuple(sorted(few.changes[change][1:])) for change in few.change.tolist())
    assert max(both.values()) <= 2


def test_adapted_jaccard_counts_keys_with_an_equal_value_over_keys_of_either() -> None:
    of = corpus(
        a=one("v", {"w": "1", "x": "2", "y": "", "z": "9"}),
        b=one("v", {"w": "1", "x": "", "y": "2", "z": "8"}),
        c=one("u", {"w": "1", "x": "2", "y": "", "z": "7"}),
    )
    a, pool = np.array([0]), np.array([1, 2])
    assert similarity(of, a, pool, 3).tolist() == [[2 * ALL // 4, 2 * ALL // 3]], (
        "w, x, y and the verb; w, x and the verb"
    )
    assert similarity(of, a, pool, ABSENT).tolist() == [[ALL // 4, 2 * ALL // 3]], "no verb; z counts"
    assert identical(of, a, pool, 3).tolist() == [[False, False]]
    assert identical(of, a, np.array([0]), 3).tolist() == [[True]]


def test_no_distractor_solves_the_analogy_or_is_what_its_sort_forbids() -> None:
    of = grid(values=5, verbs=5, items=3)
    found = find_analogies(of, find_pairs(of, Counting()), Counting())
    every = list(find_distractors(of, found, Counting()))
    assert every
    for row in every:
        _, value, new = found.changes[found.change[row.analogy]]
        images = found.images[row.analogy]
        a, a_changed, b, b_changed = (of.images[image].split("-") for image in images)
        assert not {*row.other, *row.near} & set(images.tolist())
        for other in row.other:
            verb, agent, item = of.images[other].split("-")
            assert f"a{agent}" == new
            assert verb != b_changed[0]
        for near in row.near:
            verb, agent, item = of.images[near].split("-")
            assert f"a{agent}" != new
            assert (verb, item) != (b[0], b[2]), "not B' but for the agent"
        first = of.images[row.near[0]].split("-")
        assert first[0] == b[0], "the most similar one shows B's verb"
        assert of.images[row.other[0]].split("-")[0] == a[0] == a_changed[0]
        assert value != new


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"[1]", "Expected `object`"),
        (b'{"a.jpg": {"frames": []}}', "missing required field `verb`"),
        (b'{"a.jpg": {"verb": "v", "frames": []}}', "has 0 frames; give 1 to 3"),
        (b'{"a.jpg": {"verb": "v", "frames": [{"a": ""}, {"b": ""}]}}', "its frames have different roles"),
        (b'{"a.jpg": {"verb": "v", "frames": [{"verb": ""}]}}', "a role is named 'verb'"),
        (b'{"a.jpg": {"verb": "v", "frames": [{"a": ""}], "bb": {"a": [1, 2]}}}', "the box of a has 2 numbers"),
    ],
)
def test_annotations_that_are_none_are_refused_by_entry(body: bytes, problem: str) -> None:
    with pytest.raises(AnnotationError, match=problem):
        read_annotations([("train.json", body)])


def test_swig_s_boxes_are_read_and_missing_ones_are_not() -> None:
    entry = {
        "verb": "running",
        "frames": [{"agent": MAN, "place": ""}],
        "bb": {"agent": [10, 10, 60, 110], "place": [-1, -1, -1, -1]},
        "width": 100,
        "height": 200,
    }
    situations, _ = read_annotations([("train.json", msgspec.json.encode({"running_1.jpg": entry}))])
    assert situations["running_1.jpg"].share("agent") == 0.25
    assert situations["running_1.jpg"].share("place") is None
    one_file, another = (
        msgspec.json.encode({"running_1.jpg": entry | {"verb": verb}}) for verb in ("running", "jumping")
    )
    with pytest.raises(AnnotationError, match=r"running_1\.jpg was annotated otherwise in an earlier file"):
        read_annotations([("a.json", one_file), ("b.json", another)])


def test_the_agent_of_a_verb_is_what_the_corpus_calls_so() -> None:
    space = {"verbs": {"hauling": {"order": ["carrier", "item"], "roles": {"carrier": {}, "item": {}}}}}
    _, vocabulary = read_annotations([("space.json", msgspec.json.encode(space))])
    assert agent_of("hauling", ("item", "carrier"), vocabulary.agents) == "carrier"
    assert agent_of("running", ("agent", "place"), vocabulary.agents) == "agent"
    assert agent_of("raining", ("place",), vocabulary.agents) == ""


def written(folder: Path, *, pictures: bool = False) -> Path:
    folder.mkdir()
    entries = {
        f"v{verb}_{value}.jpg": {"verb": f"v{verb}", "frames": [{"agent": value, "item": f"i{verb}"}]}
        for verb in range(3)
        for value in (MAN, DOG)
    }
    (folder / "all.json").write_bytes(msgspec.json.encode(entries))
    if pictures:
        (folder / "v0_n02084071.jpg").write_bytes(jpeg(1))
    return folder


def by_stage(reports: list[StageReport]) -> dict[str, StageReport]:
    return {report.stage: report for report in reports}


def test_without_wordnet_mining_says_what_it_can_t_do_and_goes_on_once_it_is_there(
    store: SourceStore, tmp_path: Path, wordnet: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = add(store, "situations", written(tmp_path / "s"), "s").head
    first = by_stage(mine(store, head, JOB, silent))
    assert (first["frames"].rows_out, first["pairs"].rows_out) == (6, 1)
    assert "tetrad source build wordnet" in first["salient"].told
    assert first["distractors"].told == "not done: it reads analogies, which is not done"
    monkeypatch.setattr("generator_service.mining.jobs.open_wordnet", lambda _store: wordnet)
    again = by_stage(mine(store, head, JOB, silent))
    assert again["pairs"].done_before
    assert again["pairs"].counts == first["pairs"].counts
    assert again["salient"].counts is not None
    assert again["salient"].counts.kept == {"agent": 6}
    assert again["analogies"].counts is not None
    assert again["analogies"].counts.kept["agent"] == 3
    assert again["described"].counts is not None
    assert "step 3 is skipped: no image-text model was given" in again["described"].counts.notes[0]
    assert all(report.digest for report in again.values())


def test_situations_without_a_picture_are_listed(store: SourceStore, tmp_path: Path) -> None:
    head = add(store, "situations", written(tmp_path / "s", pictures=True), "s").head
    frames = by_stage(mine(store, head, JOB, silent))["frames"]
    assert frames.rows_out == 1
    assert frames.counts is not None
    assert sum(frames.counts.dropped["no picture"].values()) == 5
    assert frames.counts.examples["no picture"][0] == "v0_n10287213.jpg"


def test_a_source_that_holds_no_situations_is_refused(store: SourceStore, tmp_path: Path) -> None:
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "a.json").write_text('{"a": 1}')
    head = add(store, "situations", tmp_path / "s", "s").head
    with pytest.raises(SourceUnfitError, match=r"a\.json: a: "):
        mine(store, head, JOB, silent)


def test_wordnet_of_another_version_is_refused(store: SourceStore, tmp_path: Path) -> None:
    (tmp_path / "data.noun").write_text("00001740 03 n 01 entity 0 000 | x\n")
    with pytest.raises(
        PackageUnavailable, match=r"has no data\.noun, data\.verb, index\.verb, verb\.exc of WordNet 3\.0"
    ):
        build_wordnet(store, tmp_path)


@pytest.fixture(scope="module")
def composed() -> Corpus:
    return build_corpus(sorted(composed_situations("7", contexts=1).items()), {})


def test_the_composed_corpus_is_the_same_for_a_seed_and_has_every_change_of_the_vocabulary(composed: Corpus) -> None:
    again = composed_situations("7", contexts=1)
    assert list(composed.images) == sorted(again)
    assert composed_situations("8", contexts=1) != again
    verbs: dict[tuple[str, str, str], set[int]] = {}
    for pairs in find_pairs(composed, Counting()):
        for way in ((pairs.value, pairs.other), (pairs.other, pairs.value)):
            verbs[pairs.role, *way] = set(composed.verb[pairs.images[:, 0]].tolist())
    for role in ROLES:
        if role == "verb":
            wanted = set(verb_changes())
        else:
            synsets = {value.name: value.synset for value in VALUES[role]}
            wanted = {(synsets[before], synsets[after]) for before, after in changes(role)}
        assert len(wanted) >= 1000
        least = 1 if role == "verb" else LEAST_VERBS
        assert {
            (before, after) for (of, before, after), at in verbs.items() if of == role and len(at) >= least
        } >= wanted


def test_the_composed_corpus_has_the_box_of_every_value_where_there_are_people(
    store: SourceStore, wordnet: WordNet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("generator_service.mining.situations.composed.VERBS", EVERY_VERB[:2])
    monkeypatch.setattr("generator_service.mining.situations.composed.FRAMES", {})
    monkeypatch.setattr("generator_service.mining.situations.composed.CONTEXTS", 1)
    mannequins = Mannequins()
    plain, boxed = composed_situations("7", contexts=1), composed_situations("7", contexts=1, people=mannequins)
    assert boxed.keys() == plain.keys()
    for image, situation in boxed.items():
        assert situation.frames == plain[image].frames
        assert situation.boxes.keys() == situation.frames[0].keys()
        assert all((situation.share(role) or 0) > LEAST_SHARE for role in situation.boxes)
    without, head = build_composed(store, None), build_composed(store, mannequins)
    assert without.digest != head.digest
    assert build_composed(store, mannequins).digest == head.digest
    monkeypatch.setattr("generator_service.mining.jobs.open_wordnet", lambda _store: wordnet)
    mine(store, head, JOB, silent)
    frames = find_table(store, head.digest, JOB.table("frames"))
    assert frames is not None
    rows = [read_row(row) for _, row in frames.rows()]
    assert all(row.boxes and row.width == SIDE for row in rows)


def test_annotators_of_the_composed_corpus_name_meanings_above_and_leave_values_out() -> None:
    class Known(WordNet):
        def parents(self, noun: str) -> frozenset[str]:
            return frozenset({"above " + noun})

    noisy = composed_situations("7", contexts=1, noise=Known(lambda _name: b""))
    exact = composed_situations("7", contexts=1)
    assert noisy.keys() == exact.keys()
    counts: Counter[str] = Counter()
    for image, situation in noisy.items():
        assert len(situation.frames) == 3
        for frame in situation.frames:
            for role, noun in frame.items():
                true = exact[image].frames[0][role]
                counts[{true: "same", "": "empty", "above " + true: "above"}.get(noun, "?")] += 1
    every = sum(counts.values())
    assert counts["?"] == 0
    assert 0.14 < counts["above"] / every < 0.16
    assert 0.015 < counts["empty"] / every < 0.025


def published(name: str) -> list[dict[str, str]]:
    with (DATA / "vasr" / name).open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def imsitu() -> Corpus:
    if not (DATA / "imsitu").exists():
        pytest.skip(f"imSitu's sample is not at {DATA} (TETRAD_DATA names another place)")
    names = ("train.json", "dev.json", "imsitu_space.json")
    situations, vocabulary = read_annotations((name, (DATA / "imsitu" / name).read_bytes()) for name in names)
    return build_corpus(sorted(situations.items()), vocabulary.agents)


def test_step_1_finds_exactly_the_published_pairs(imsitu: Corpus) -> None:
    found = pairs_of(imsitu)
    both = found | {(role, other, value, b, a) for role, value, other, a, b in found}
    rows = {
        (row["different_key"], row["diff_item_A"], row["diff_item_B"], row["A_img"], row["B_img"])
        for row in published("pairs_step1_dev_train.csv")
    }
    assert both == rows
    assert len(both) == 2836
    assert len({(role, a, b) for role, _, _, a, b in both}) == 1814


def test_step_2_agrees_with_what_was_published_on_24_of_25_pairs(imsitu: Corpus) -> None:
    if not all((WORDNET / name).exists() for name in FILES):
        pytest.skip(f"WordNet 3.0 is not at {WORDNET} (TETRAD_WORDNET names another place)")
    lexicon = WordNet(lambda name: (WORDNET / name).read_bytes())
    kept = keep_salient(imsitu, lexicon, find_pairs(imsitu, Counting()), Counting())
    ours = {
        change
        for pairs in kept
        for a, b in pairs.images.tolist()
        for change in (
            (imsitu.images[a], imsitu.images[b], pairs.value, pairs.other),
            (imsitu.images[b], imsitu.images[a], pairs.other, pairs.value),
        )
    }
    theirs, every = (
        {(row["A_img"], row["B_img"], row["diff_item_A"], row["diff_item_B"]) for row in published(name)}
        for name in ("pairs_step2_dev_train.csv", "pairs_step1_dev_train.csv")
    )
    assert len(theirs) == 902
    assert len(every - (ours ^ theirs)) >= LEAST_AGREEMENT * len(every)
    assert len(ours & theirs) >= LEAST_AGREEMENT * len(theirs)
