"""Tell the proof about VISANALOG: solvers that see C or the program alone, copiers, probes, and nine leaky twins."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

import msgspec
import numpy as np
from scipy.sparse import csr_matrix

from generator_service.benchmark import PictureArray, Streams
from generator_service.benchmarks.visanalog import BENCHMARK
from generator_service.benchmarks.visanalog.asked import values_of
from generator_service.benchmarks.visanalog.grids import Grid, Option, group_programs, keep_doubt, offer_slips
from generator_service.benchmarks.visanalog.identifiability import MARGIN, SMALL, compare_programs
from generator_service.benchmarks.visanalog.pictures import AFTER, BEFORE, QUERY, role_of, shown_names
from generator_service.benchmarks.visanalog.programs import EXCHANGED, INDEX, LEFT_OUT, PROGRAMS, Program
from generator_service.benchmarks.visanalog.question import mistakes
from generator_service.benchmarks.visanalog.spec import (
    COLOUR,
    COMPOSED,
    END_TO_END,
    LABELS,
    LADDER,
    NAMING,
    ORACLE,
    PROGRAM,
    SCENES,
    WRONG_IMAGE,
    Fact,
    Photograph,
    Scene,
    Stander,
    Thing,
)
from generator_service.mounting import Mounted
from generator_service.proving.answerers import SECRET, SEEN_AND_REBUILT, WORDS, Model, write_label
from generator_service.proving.blind_solvers import Offer, Solver, by_rule, option_table
from generator_service.proving.bounds import ABOVE, AT_MOST, EQUAL, Bound
from generator_service.proving.cases import Case, Variant, cases_of, draw_of, view_of
from generator_service.proving.declared import Asked, guessing
from generator_service.proving.knowledge import Knowledge, Leak, with_scenes
from generator_service.proving.probes import Copies, Probe, known_by_heart, probe_on_labels, probe_on_pixels
from generator_service.proving.study import SEEDS
from tetrad.contracts.items import DrawIdentity
from tetrad.solvers.visanalog import find_edit

_SEARCHED = 0.97  # of the questions whose A and B are searched for the program are answered rightly
_WRONG_IMAGE = "wrong-image: C in D's place"
C_ALONE, PROGRAM_ALONE = "pair-blind", "query-blind"
ONE_STEP = "c-and-options"
ONE_PART = "one-part"
PARTS: Mapping[str, Callable[[Program], Hashable]] = MappingProxyType(
    {
        "layout": lambda program: (program.zoom, program.swap),
        "symmetry": lambda program: program.symmetry,
        "hue": lambda program: program.hue,
    }
)
"""The parts of a program. Who reads only one of them sees C, the options and that part."""


def _own(scene: Scene) -> tuple[int, ...]:
    """Return what holds of C itself: a value of each fact."""
    return tuple(values_of(scene.query, scene.facts)[0].tolist())


def _counts(case: Case) -> list[int]:
    """Return, for each option, how many programs of the item's number of steps make it right on C."""
    scene: Scene = case.scene
    steps = len(PROGRAMS[scene.program].steps)
    known = group_programs(values_of(scene.query, scene.facts), steps)
    return [len(known.get(option, ())) for option in scene.options]


def drawn_programs(scene: Scene) -> Mapping[Option, Sequence[int]]:
    """Return, by option, the programs that would be drawn from if it were the right one."""
    values, steps = values_of(scene.query, scene.facts), len(PROGRAMS[scene.program].steps)
    known = group_programs(values, steps)
    grid = Grid(scene.options, {option: known[option] for option in scene.options if option in known})
    kept = keep_doubt(grid, steps) if steps > 1 else grid
    return offer_slips(kept or grid, values).programs


def shares_left(scene: Scene, part: str) -> list[float]:
    """Return, for each option, which share of its programs has this part in common with the item's."""
    of_part = PARTS[part]
    own, programs = of_part(PROGRAMS[scene.program]), drawn_programs(scene)
    found = []
    for option in scene.options:
        numbers = programs.get(option, ())
        found.append(sum(of_part(PROGRAMS[number]) == own for number in numbers) / max(len(numbers), 1))
    return found


def _reader_of(part: str) -> Solver:
    return Solver(
        name=f"{part} alone",
        sees=ONE_PART,
        exact=False,
        look=lambda case: shares_left(case.scene, part),
        learn=by_rule(_likeliest),
    )


def _likeliest(counts: Sequence[float]) -> str:
    return LABELS[max(range(len(counts)), key=counts.__getitem__)]


def _other_than_c(case: Case) -> list[str]:
    """Return the labels of the options that do not hold of C."""
    own = _own(case.scene)
    return [label for label, option in zip(LABELS, case.scene.options, strict=True) if option != own]


def _most_like_c(scene: Scene) -> str:
    own = _own(scene)
    alike = [sum(a == b for a, b in zip(option, own, strict=True)) for option in scene.options]
    return LABELS[max(range(len(alike)), key=alike.__getitem__)]


def _under_program(case: Case) -> Offer:
    """Return the options with names made nameless, beside what the program does to poses and colours."""
    scene: Scene = case.scene
    program = PROGRAMS[scene.program]
    return Offer(LABELS, tuple(_nameless(scene, option) for option in scene.options), (program.symmetry, program.hue))


def _nameless(scene: Scene, option: Sequence[int]) -> tuple[Hashable, ...]:
    found: list[Hashable] = []
    for place, (fact, value) in enumerate(zip(scene.facts, option, strict=True)):
        if fact.kind in NAMING:
            others = sorted(
                {option[place] for option in scene.options}, key=lambda number: scene.query.things[number].name
            )
            found.append(others.index(value))
        else:
            found.append((fact.kind, value & 3 if fact.kind == COLOUR else value))
    return tuple(found)


_COUNTING = Solver(name="count-programs", sees=C_ALONE, exact=True, look=_counts, learn=by_rule(_likeliest))
_NOT_C = Solver(name="not-C", sees=ONE_STEP, exact=True, look=_other_than_c, learn=by_rule(lambda labels: labels[0]))
# The setting wrong-image shows C in D's place: who answers it sees C and the options, and takes what holds there.
_IN_PLACE_OF_D = Solver(
    name=_WRONG_IMAGE, sees=C_ALONE, exact=False, look=lambda case: _most_like_c(case.scene), learn=by_rule(str)
)
_ELSEWHERE = (replace(_COUNTING, sees=ONE_STEP, exact=False), replace(_NOT_C, sees=C_ALONE, exact=False))
_OF_ONE_PART = tuple(map(_reader_of, PARTS))
_TOLD = option_table(_under_program, name="table by program", sees=PROGRAM_ALONE)


def _solvers(_: Variant) -> Sequence[Solver]:
    return [
        _COUNTING,
        _NOT_C,
        *_ELSEWHERE,
        _IN_PLACE_OF_D,
        replace(_IN_PLACE_OF_D, sees=ONE_STEP),
        *_OF_ONE_PART,
        _TOLD,
    ]


# Probes: learners that are trained on many items. Who sees C learns how each option differs from what holds there.


def _texts_beside_c(case: Case) -> list[list[str]]:
    """Return what labels of C tell of each option: its words, its difference from C, and where its thing lies in C."""
    scene: Scene = case.scene
    own, steps = _own(scene), len(PROGRAMS[scene.program].steps)
    every = ";".join(sorted(map(str, scene.options)))
    found = []
    for option, words in zip(scene.options, map(str, case.texts()), strict=True):
        parts = [
            f"{fact.kind} {fact.place} {_word_change(fact, was, value)}"
            for fact, was, value in zip(scene.facts, own, option, strict=True)
        ]
        named = _named_in_c(scene, option)
        texts = [words, *words.split("; "), *parts, *named, " and ".join(parts), " and ".join([*parts, *named])]
        same = sum(a == b for a, b in zip(option, own, strict=True))
        texts += [f"{same} as in C", f"{own} {option}", f"{own} {option} of {every}"]
        found.append([*texts, *(f"{steps} {text}" for text in texts)])
    return found


def _word_change(fact: Fact, was: int, value: int) -> str:
    if fact.kind in NAMING:
        return "the same" if was == value else "another"
    return f"{(value - was) & 3} on" if fact.kind == COLOUR and was >= 0 else f"{was} to {value}"


def _named_in_c(scene: Scene, option: Sequence[int]) -> list[str]:
    """Return what lies in C under the name that an option gives: its quarter, its distance, pose, and mat."""
    first = scene.facts[0]
    if isinstance(scene.query, Photograph) or first.kind not in NAMING:
        return []
    thing = scene.query.things[option[0]]
    quarter = (thing.at[0] > 0) + 2 * (thing.at[1] > 0)
    found = [f"from {quarter} to {first.place}, {thing.half}", f"pose {thing.pose}"]
    if scene.facts[-1].kind == COLOUR and len(option) > 1:
        found.append(f"color {(option[1] - thing.colour) & 3} on")
    return found


def _texts_beside_the_pair(case: Case) -> list[list[str]]:
    """Return what labels of A and B tell of each option: its words, beside the program and its parts."""
    program = PROGRAMS[case.scene.program]
    parts = (f"turned {program.symmetry}", f"hue {program.hue}", f"zoom {program.zoom}", f"swap {program.swap}")
    found = []
    told = [_nameless(case.scene, option) for option in case.scene.options]
    for values, words in zip(told, map(str, case.texts()), strict=True):
        texts = [str(values), words, *words.split("; "), *map(str, values)]
        found.append([*texts, *(f"{part} {text}" for part in (*parts, str(parts)) for text in texts)])
    return found


def _short_texts(case: Case) -> list[list[str]]:
    """Return what probes on pixels are told of each option: its words, and how early they come by the alphabet."""
    words = [str(text) for text in case.texts()]
    return [[*text.split("; "), f"number {sorted(words).index(text)}"] for text in words]


def _names_of(*roles: str) -> Callable[[Case], list[str]]:
    def names(case: Case) -> list[str]:
        shown = shown_names(case.scene.setting, END_TO_END)
        return [name for name in shown if role_of(case.scene, name) in roles]

    return names


def _probes(mounted: Mounted, _: Variant) -> list[Probe]:
    copies = Copies(mounted)
    return [
        probe_on_labels("probe on labels", C_ALONE, _texts_beside_c),
        probe_on_labels("probe on labels", ONE_STEP, _texts_beside_c),
        probe_on_labels("probe on labels", PROGRAM_ALONE, _texts_beside_the_pair),
        probe_on_pixels("probe on pixels", C_ALONE, copies, _short_texts, _names_of(QUERY)),
        probe_on_pixels("probe on pixels", PROGRAM_ALONE, copies, _short_texts, _names_of(BEFORE, AFTER)),
        known_by_heart("practice by heart", "everything", copies),
    ]


# How varied composed pictures are: what no practice item has shown can't be known by heart.

_NEW = 200  # pictures that are compared with all of practice
_ABOUT = 32  # pixels: things that lie nearer together count as in one place


_AUDITED = 100  # items for each picture whose programs are compared: one takes a seventh of a second


def _pictures(mounted: Mounted, items: int) -> str:
    """Return sections on the pictures of each track that draws them.

    Raises:
        AlikeError: two programs give the same picture, or nearly.
        FewSlipsError: too few wrong options come from a step left out or two exchanged.
    """
    there = [track.name for track in mounted.benchmark.card.tracks if track.name not in mounted.lacking]
    drawn = [track for track in (SCENES, COMPOSED) if track in there]
    return "\n".join(
        section
        for track in drawn
        for section in (
            _variety(mounted, track, items),
            _told_apart(mounted, track, -(-items // _AUDITED)),
            _wrong_options(mounted, track, min(items, _NAMED)),
        )
    )


class AlikeError(RuntimeError):
    """On a drawn picture A two programs can't be told apart: it would not tell what was done to it."""


def _told_apart(mounted: Mounted, track: str, count: int) -> str:
    """Return a section on how well drawn pictures A tell all programs apart, compared on their pixels."""
    variant = Variant(track=track, setting=END_TO_END, parameters={})
    least = np.inf
    for case in cases_of(mounted, draw_of(mounted, variant, SEEDS[0]), range(count)):
        [name] = _names_of(BEFORE)(case)
        found = compare_programs(mounted.benchmark.render(mounted.bank, case.scene, name))
        if found.alike():
            raise AlikeError(f"picture A of item {case.index} of {track} leaves programs alike: {found.alike()}")
        least = min(least, found.least())
    return (
        f"## Programs on pictures A of {track}\n\n"
        f"On each of {count} pictures A all {len(PROGRAMS)} programs were applied, and compared at {SMALL} pixels a "
        f"side: any two of them differ by {least:.1f} levels or more (root of the mean square over pixels and "
        f"channels), and fewer than {MARGIN} would count as alike.\n"
    )


_NAMED = 4_000  # items of which the mistakes are counted
LEAST_SLIPS: Mapping[str, float] = MappingProxyType({"2": 0.14, "3": 0.25, "4": 0.29})
"""By steps, the share of wrong options that a step left out, or two exchanged, must explain."""


class FewSlipsError(RuntimeError):
    """Fewer wrong options than stated come from the mistakes that the paper names first."""


def count_mistakes(scenes: Iterable[Scene]) -> dict[str, Counter[str]]:
    """Return, by steps, how many wrong options come from a step left out, from two exchanged, and from what else."""
    found: dict[str, Counter[str]] = {}
    for scene in scenes:
        counts = found.setdefault(str(len(PROGRAMS[scene.program].steps)), Counter())
        for name in mistakes(scene).values():
            counts["left out" if name in LEFT_OUT.values() else "exchanged" if name == EXCHANGED else "other"] += 1
    return dict(sorted(found.items()))


def _wrong_options(mounted: Mounted, track: str, count: int) -> str:
    """Return a section on the mistakes behind wrong options."""
    draw = draw_of(mounted, Variant(track=track, setting=END_TO_END, parameters={}), SEEDS[0])
    rows = ["| steps | wrong options | a step left out | two steps exchanged |", "| --- | --- | --- | --- |"]
    for steps, counts in count_mistakes(case.scene for case in cases_of(mounted, draw, range(count))).items():
        left_out, exchanged = (counts[name] / counts.total() for name in ("left out", "exchanged"))
        rows.append(f"| {steps} | {counts.total():,} | {left_out:.3f} | {exchanged:.3f} |")
        least = LEAST_SLIPS.get(steps, 0.0)
        if count == _NAMED and left_out + exchanged < least:
            raise FewSlipsError(f"{track}, {steps} steps: {left_out + exchanged:.3f} of wrong options, not {least}")
    return f"## Wrong options of {track}\n\n" + "\n".join(rows) + "\n"


def _variety(mounted: Mounted, track: str, items: int) -> str:
    """Return a section on how many drawn pictures are the same, and how much a new one has of the likest."""
    variant = Variant(track=track, setting=END_TO_END, parameters={})
    practice, new = (
        [case.scene.query.things for case in cases_of(mounted, draw_of(mounted, variant, seed), range(count))]
        for seed, count in zip(SEEDS, (items, _NEW), strict=True)
    )
    numbers: dict[Hashable, int] = {}
    columns = [
        [[numbers.setdefault(_as_seen(thing), len(numbers)) for thing in things] for things in pictures]
        for pictures in (practice, new)
    ]
    known, asked = (_build_matrix(rows, len(numbers)) for rows in columns)
    shared = np.asarray((asked @ known.T).max(axis=1).todense()).ravel()
    share = shared / np.array([len(row) for row in columns[1]])
    return (
        f"## Variety of the pictures of {track}\n\n"
        f"{items:,} items showed {len(set(practice)):,} different pictures C. Of {_NEW} more, "
        f"{sum(picture in set(practice) for picture in new)} were among them. A new C had at most {int(shared.max())} "
        "things in common with any one of them (the same to look at, in the same quarter, distance from the middle, "
        f"pose and color), {share.mean():.1%} of its things on average, {share.max():.1%} at most.\n"
    )


def _as_seen(thing: Thing | Stander) -> Hashable:
    quarter = (thing.at[0] > 0) + 2 * (thing.at[1] > 0)
    far = max(abs(thing.at[0]), abs(thing.at[1])) // _ABOUT
    return thing.look, quarter, far, thing.half, thing.pose, thing.colour


def _build_matrix(rows: Sequence[Sequence[int]], size: int) -> csr_matrix:
    ends = np.cumsum([0, *map(len, rows)])
    numbers = np.concatenate([np.array(row) for row in rows])
    return csr_matrix((np.ones(len(numbers), np.int32), numbers, ends), shape=(len(rows), size))


# Leaky twins. They change which option is right; the program stays.


def _most_programs(scene: Scene, _: Streams) -> Scene:
    """Make the option right that most programs give, as a plain draw of the program would do more often."""
    known = group_programs(values_of(scene.query, scene.facts), len(PROGRAMS[scene.program].steps))
    counts = [len(known.get(option, ())) for option in scene.options]
    return msgspec.structs.replace(scene, right=counts.index(max(counts)))


def _as_in_c(scene: Scene, _: Streams) -> Scene:
    """Make the option right that is most like what holds of C, as where an edit often changes nothing asked about."""
    return msgspec.structs.replace(scene, right=LABELS.index(_most_like_c(scene)))


def _answer_first(scene: Scene, streams: Streams) -> Scene:
    """Put the right option first in half of the items."""
    if streams("leak").below(2):
        return scene
    right = scene.options[scene.right]
    others = tuple(option for option in scene.options if option != right)
    return msgspec.structs.replace(scene, options=(right, *others), right=0)


def _worn_out_words(scene: Scene, _: Streams) -> Scene:
    """Make the option right that comes first by the alphabet."""
    texts = [option.text or "" for option in BENCHMARK.questions(scene)[0].question.options]
    return msgspec.structs.replace(scene, right=texts.index(min(texts)))


def _colours_not_drawn(scene: Scene, _: Streams) -> Scene:
    """Make the option right whose colour is the first of its ring, rotated by the program's hue."""
    hue = PROGRAMS[scene.program].hue
    for place, fact in enumerate(scene.facts):
        if fact.kind == COLOUR:
            fitting = [at for at, option in enumerate(scene.options) if option[place] & 3 in {hue, (hue + 1) & 3}]
            return msgspec.structs.replace(scene, right=fitting[0]) if fitting else scene
    return scene


def _grounds_tell(scene: Scene, _: Streams) -> Scene:
    """Lay everything on the ground whose number is the right option's by the alphabet."""
    if isinstance(scene.query, Photograph) or isinstance(scene.source, Photograph):
        return scene
    texts = [option.text or "" for option in BENCHMARK.questions(scene)[0].question.options]
    ground = sorted(texts).index(texts[scene.right])
    source, query = (msgspec.structs.replace(gathering, ground=ground) for gathering in (scene.source, scene.query))
    return msgspec.structs.replace(scene, source=source, query=query)


def _first_left_by(part: str) -> Callable[[Scene, Streams], Scene]:
    """Return a change that makes the option right that comes first of those that this part of the program leaves."""

    def change(scene: Scene, _: Streams) -> Scene:
        left = shares_left(scene, part)
        return msgspec.structs.replace(scene, right=left.index(max(left)))

    return change


def _leak(name: str, text: str, change: Callable[[Scene, Streams], Scene], *caught_by: tuple[str, str]) -> Leak:
    return Leak(name=name, help=text, wrap=with_scenes(change), caught_by=caught_by, parameters={}, rules={})


LEAKS = (
    _leak(
        "most programs",
        "the option that most programs make right is right",
        _most_programs,
        ("count-programs", C_ALONE),
        ("count-programs", ONE_STEP),
    ),
    _leak(
        "as in C",
        "the option that is most like what holds of C is right",
        _as_in_c,
        (_WRONG_IMAGE, C_ALONE),
        (_WRONG_IMAGE, ONE_STEP),
    ),
    _leak(
        "answer first",
        "in half of the items the right option comes first",
        _answer_first,
        ("place", "place"),
        ("order and place", "order"),
        ("not-C", ONE_STEP),
        ("not-C", C_ALONE),
    ),
    _leak(
        "worn-out words",
        "the option that comes first by the alphabet is right",
        _worn_out_words,
        ("option table", "options-only"),
        ("option table", "pair-blind"),
        ("table of option texts", "text-only"),
        ("bag of words", "text-only"),
        ("probe on labels", C_ALONE),
        ("probe on labels", ONE_STEP),
        ("practice by heart", "everything"),
    ),
    _leak(
        "colors not drawn",
        "before the program all mats have one of two colors",
        _colours_not_drawn,
        ("table by program", PROGRAM_ALONE),
        ("probe on labels", PROGRAM_ALONE),
    ),
    *(
        _leak(
            f"the {part} tells",
            f"the option is right that comes first of those that the program's {part} leaves",
            _first_left_by(part),
            (f"{part} alone", ONE_PART),
        )
        for part in PARTS
    ),
    _leak(
        "grounds tell",
        "the ground says how early the right option comes by the alphabet",
        _grounds_tell,
        ("probe on pixels", C_ALONE),
        ("probe on pixels", PROGRAM_ALONE),
    ),
)


def _reply_of_solver(case: Case, _: DrawIdentity) -> str:
    """Answer with the independent solver; with the first option where it finds none."""
    question = case.keyed.question
    found = BENCHMARK.solve(view_of(BENCHMARK, case.scene, question))
    return write_label(question, found or LABELS[0])


def _reply_of_program_search(case: Case, shown: Mapping[str, PictureArray]) -> str:
    """Find the program in the pixels of A and B, and answer with what it makes of what lies in C.

    The solver is shown what C holds under the program that was found. Where no option holds there it names the first.
    """
    scene: Scene = case.scene
    before, after = (shown[name] for name in shown_names(scene.setting, END_TO_END)[:2])
    edit = find_edit(before, after)
    program = INDEX[edit.zoom, edit.swap, 4 * edit.mirror + edit.turns, edit.hue, False]
    imagined = msgspec.structs.replace(scene, setting=ORACLE, program=program)
    [keyed] = BENCHMARK.questions(imagined)
    return write_label(case.keyed.question, BENCHMARK.solve(view_of(BENCHMARK, imagined, keyed.question)) or LABELS[0])


def _nearly_all(_: Asked) -> Bound:
    return Bound(relation=ABOVE, chance=_SEARCHED)


def _bound_of_solving(asked: Asked) -> Bound | None:
    """Nothing is declared where C stands in D's place: no one can tell there."""
    return None if asked.facets["stage"] == WRONG_IMAGE else Bound(relation=EQUAL, chance=1)


def _bound_of_copying(asked: Asked) -> Bound:
    """Hold to 1/4: at one step what holds of C is never right."""
    return Bound(relation=EQUAL, chance=0 if asked.facets["steps"] == "1" else 1 / 4)


def _left_after_c(asked: Asked) -> Bound:
    return Bound(relation=EQUAL, chance=1 / 3 if asked.facets["steps"] == "1" else 1 / 4)


def _at_most_guessing(asked: Asked) -> Bound | None:
    found = guessing(asked)
    return None if found is None else replace(found, relation=AT_MOST)


# Who answers every rung of the ladder alike is right on all four or on none: an item counts once (`whole`).
MODELS = (
    Model(
        name="independent solver",
        sees=SECRET,
        reply=_reply_of_solver,
        declared=_bound_of_solving,
        by="steps",
        settings=(END_TO_END, ORACLE, PROGRAM, LADDER),
        ways=(END_TO_END,),
    ),
    Model(
        name="program search on pixels",
        sees=SEEN_AND_REBUILT,
        look=_reply_of_program_search,
        declared=_nearly_all,
        by="steps",
        settings=(END_TO_END,),
        ways=(END_TO_END,),
    ),
    Model(name="random", sees=WORDS, solver="random", declared=guessing, by="steps"),
    Model(name="constant", sees=WORDS, solver="constant", declared=guessing, by="steps", whole=True),
    Model(
        name="copy-C",
        sees=SECRET,
        reply=lambda case, _: write_label(case.keyed.question, _most_like_c(case.scene)),
        declared=_bound_of_copying,
        by="steps",
        whole=True,
    ),
    Model(
        name="not-C",
        sees=SECRET,
        reply=lambda case, _: write_label(case.keyed.question, _other_than_c(case)[0]),
        declared=_left_after_c,
        by="steps",
        whole=True,
    ),
    Model(
        name="count-programs",
        sees=SECRET,
        reply=lambda case, _: write_label(case.keyed.question, _likeliest(_counts(case))),
        declared=_left_after_c,
        by="steps",
        whole=True,
    ),
    Model(
        name="C in D's place",
        sees=SECRET,
        reply=_reply_of_solver,
        declared=_at_most_guessing,
        by="steps",
        settings=(WRONG_IMAGE,),
    ),
)

KNOWLEDGE = Knowledge(
    lacks={"c-and-options": (BEFORE, AFTER), "query-blind": (QUERY,)},
    beside=lambda case: _own(case.scene),
    solvers=_solvers,
    leaks=LEAKS,
    models=MODELS,
    probes=_probes,
    section=_pictures,
)
