"""One benchmark's proof: all studies of all variants, the leaky generators, and the solvers that see everything."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from generator_service.finding import find_benchmarks
from generator_service.mounting import Mounted
from generator_service.parameters import is_taken
from generator_service.proving.blind_solvers import ORDER, Solver, general_solvers
from generator_service.proving.cases import Case, Variant, cases_of, draw_of, variants_of, view_of
from generator_service.proving.declared import ceilings_under
from generator_service.proving.derived import Bounds, first_asked, judge_learners
from generator_service.proving.equivalence import BROKEN, FAMILY, NOT_REFUTED, UNDECIDED, WEAK, Score, verdicts
from generator_service.proving.knowledge import TELLING_WORDS, Knowledge, Leak, Seeing, knowledge_of, with_telling_part
from generator_service.proving.low_level import bars_under, count_right
from generator_service.proving.picture_solvers import Album, picture_solvers
from generator_service.proving.probes import Held, Probe, hold_probes, judge
from generator_service.proving.study import LOOKS, SEEDS, Study, place_scores
from generator_service.registry import mount

LOW_LEVEL = "low-level"
"""What plain measures of whole pictures see."""
TELLING_PART = "a part of a picture tells the place"
"""The leak that a derived learner must catch."""


@dataclass(frozen=True, kw_only=True)
class Sizes:
    """The number of items of each part.

    `items` are made, `pictures` are drawn, `seen` are solved from pixels, `reached` are made under each parameter set
    that has no part of its own. Probes learn `probed` and answer `answered`; those that see pixels `probed_pictures`.
    Derived learners learn `derived` and answer half as many; with 0 there are none. Plain measures of pictures answer
    `low_level`.
    """

    items: int = 40_000
    pictures: int = 30_000
    leaks: int = 6_000
    leaky_pictures: int = 1_200
    seen: int = 250
    reached: int = 1_000
    probed: int = 100_000
    answered: int = 20_000
    probed_pictures: int = 5_000
    derived: int = 3_000
    low_level: int = 600

    def scale(self, share: float) -> "Sizes":
        """Return smaller sizes, for a quick look."""
        return Sizes(**{name: max(40, int(getattr(self, name) * share)) for name in self.__dataclass_fields__})


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One line of the report."""

    part: str
    solver: str
    sees: str
    cell: str
    score: Score
    verdict: str


def mounted_of(name: str, bank_folder: Path, folders: Sequence[Path] = ()) -> Mounted:
    mounted = mount(
        (benchmark for benchmark in find_benchmarks(folders) if benchmark.name == name), bank_folder
    ).newest(name)
    if mounted is None:
        raise LookupError(f"no benchmark {name!r}; see generator_service/benchmarks")
    return mounted


def variant_findings(
    mounted: Mounted, variant: Variant, sizes: Sizes, *, share: float = 1.0, looks: int = LOOKS
) -> list[Finding]:
    """Test every blind solver against its ceilings. This variant gets `share` of the family-wise error."""
    known = knowledge_of(mounted.benchmark.name)
    family = FAMILY * share / 3  # options and words, places, pictures
    part = str(variant)
    words = Study(mounted=mounted, variant=variant)
    words.learn([*_wordy(known, variant), ORDER], sizes.items)
    words.hold(sizes.items, family, looks)
    return [
        *_findings_of(words, part),
        *_places(words.learned, part, family),
        *_seen_findings(known, words, sizes, family, looks),
    ]


def _seen_findings(known: Knowledge, words: Study, sizes: Sizes, family: float, looks: int) -> Iterator[Finding]:
    """Hold solvers of pictures; where no picture comes twice, at so few items that a ceiling is at best not refuted."""
    few = known.few(words.mounted)
    album = Album(mounted=few, cut=known.cut, holds=known.holds)
    study = Study(mounted=few, variant=words.variant)
    most = known.most_drawn(words.variant)
    if most is None:
        study.learn(picture_solvers(album), sizes.pictures // 3)
        study.hold(sizes.pictures, family, looks)
        yield from _findings_of(study, str(words.variant))
    elif most:
        study.learn(picture_solvers(album), min(most, sizes.pictures))
        study.hold(min(most, sizes.pictures), family, looks=1)
        for finding in _findings_of(study, str(words.variant)):
            yield replace(finding, verdict=NOT_REFUTED) if finding.verdict == UNDECIDED else finding


def probe_findings(mounted: Mounted, variant: Variant, sizes: Sizes, *, share: float = 1.0) -> list[Finding]:
    """Train the probes that `knowledge.py` names, and hold them to their ceilings on new items."""
    probes = knowledge_of(mounted.benchmark.name).probes(mounted, variant)
    labelled, pictured = ([probe for probe in probes if probe.pictured is so] for so in (False, True))
    learn, ask = (partial(cases_of, mounted, draw_of(mounted, variant, seed)) for seed in SEEDS)
    found: list[Held] = []
    for some, learned, asked in (
        (labelled, sizes.probed, sizes.answered),
        (pictured, sizes.probed_pictures, sizes.probed_pictures),
    ):
        if some:
            found += hold_probes(mounted, variant, some, learn(range(learned)), ask(range(asked)))
    return [
        _finding(str(variant), result.solver.name, result.solver.sees, result.where, result.score, result.verdict)
        for result in judge(found, FAMILY * share)
    ]


def derived_findings(mounted: Mounted, variant: Variant, sizes: Sizes) -> list[Finding]:
    """Hold the learners that are derived from the clues to what the card declares for who sees as little."""
    card = mounted.benchmark.card
    found: list[Finding] = []
    for setting, kinds in first_asked(card, variant.track).items():
        if sizes.derived and kinds and is_taken(card, variant.track, setting, variant.parameters):
            found += _derive(mounted, replace(variant, setting=setting), kinds, sizes.derived)
    return found


def _derive(mounted: Mounted, variant: Variant, kinds: Collection[str], size: int) -> Iterator[Finding]:
    learned, asked = (draw_of(mounted, variant, seed) for seed in SEEDS)
    known, new = (
        [case for case in cases_of(mounted, draw, range(items)) if case.keyed.question.kind in kinds]
        for draw, items in ((learned, size), (asked, size // 2))
    )
    bounds = Bounds(
        ceilings=ceilings_under(mounted.benchmark.card, variant.track, learned.identity.parameters),
        lacks=knowledge_of(mounted.benchmark.name).lacks,
    )
    for result in judge_learners(mounted.benchmark, known, new, bounds):
        score = Score(right=result.right, n=result.n, ceiling=result.bound, exact=False)
        verdict = BROKEN if result.is_shortcut else NOT_REFUTED
        sees = f"all but {', '.join(result.hidden)}"
        yield _finding(str(variant), f"derived {result.learner}", sees, result.kind, score, verdict)


def reached_findings(mounted: Mounted, variant: Variant, items: int, *, share: float = 1.0) -> list[Finding]:
    """Test the solvers that need no picture under parameters that have no part of their own. Return each sight's worst.

    The items are too few to show that a ceiling holds. But a ceiling that claims far too much or too little is refuted.
    """
    study = Study(mounted=mounted, variant=variant, once=True)
    study.learn(_wordy(knowledge_of(mounted.benchmark.name), variant), items)
    study.hold(items, FAMILY * share, looks=1)
    by_cell: dict[tuple[str, str], list[Finding]] = {}
    for finding in _findings_of(study, str(variant)):
        by_cell.setdefault((finding.sees, finding.cell), []).append(finding)
    by_sight: dict[str, list[Finding]] = {}
    for found in by_cell.values():
        by_sight.setdefault(found[0].sees, []).append(_unless_refuted(found))
    return [max(found, key=_doubt) for found in by_sight.values()]


def _unless_refuted(found: Sequence[Finding]) -> Finding:
    """Judge one cell by all its solvers: broken if any breaks it, weak if none of the best of its sight reaches it."""
    highest = max(found, key=lambda finding: finding.score.share)
    if any(finding.verdict == BROKEN for finding in found):
        return replace(highest, verdict=BROKEN)
    best = [finding for finding in found if finding.score.exact]
    if best and all(finding.verdict == WEAK for finding in best):
        return replace(max(best, key=lambda finding: finding.score.share), verdict=WEAK)
    return replace(highest, verdict=NOT_REFUTED)


def _doubt(finding: Finding) -> tuple[bool, float]:
    return finding.verdict != NOT_REFUTED, abs(finding.score.share - finding.score.ceiling)


def low_level_findings(mounted: Mounted, variant: Variant, items: int, *, share: float = 1.0) -> list[Finding]:
    """Hold plain measures of whole pictures to the bars of the card: from both sides, for a bar is a measured score."""
    bars = bars_under(mounted.benchmark.card, variant.track, draw_of(mounted, variant, SEEDS[1]).identity.parameters)
    counted = count_right(mounted, cases_of(mounted, draw_of(mounted, variant, SEEDS[1]), range(items)), bars)
    scores = [Score(right=result.right, n=result.n, ceiling=result.bar, exact=True) for result in counted]
    found = []
    for result, score, verdict in zip(counted, scores, verdicts(scores, FAMILY * share), strict=True):
        cell = ", ".join("/".join(values) for values in result.where.values())
        told = NOT_REFUTED if verdict == UNDECIDED else verdict
        found.append(_finding(str(variant), result.solver, LOW_LEVEL, cell, score, told))
    return found


def leak_findings(mounted: Mounted, sizes: Sizes, names: Collection[str] | None = None) -> list[Finding]:
    """Run on each leaky generator, or on those named, the solvers that must be caught; keep each one's worst cell."""
    known = knowledge_of(mounted.benchmark.name)
    leaks = [*known.leaks, *([TELLING_WORDS] if _offers_options(mounted) else [])]
    chosen = [leak for leak in leaks if names is None or leak.name in names]
    found = [_worst(found) for leak in chosen for found in _leak(mounted, known, leak, sizes)]
    if sizes.derived and _offers_options(mounted) and (names is None or TELLING_PART in names):
        leaky = with_telling_part(mounted)
        derived = derived_findings(leaky, variants_of(mounted.benchmark.card)[0], sizes)
        found.append(replace(_worst(derived), part=TELLING_PART))
    return found


def _offers_options(mounted: Mounted) -> bool:
    variant = variants_of(mounted.benchmark.card)[0]
    return any(case.labels for case in cases_of(mounted, draw_of(mounted, variant, SEEDS[0]), range(1)))


def seeing_findings(mounted: Mounted, variant: Variant, sizes: Sizes) -> list[Finding]:
    """Let solvers that see everything solve the items: from scenes, and from the messages a model gets."""
    known = knowledge_of(mounted.benchmark.name)
    found = []
    cases = list(cases_of(mounted, draw_of(mounted, variant, SEEDS[1]), range(sizes.items // 4)))
    right = sum(_solve(mounted, case) == case.label for case in cases)
    score = Score(right=right, n=len(cases), ceiling=1.0, exact=True)
    verdict = "all right" if right == len(cases) else BROKEN
    found.append(_finding(str(variant), "independent solver", "scene", "every question", score, verdict))
    if known.seeing is not None:
        if known.seeing.setting is not None:
            told = replace(variant, setting=known.seeing.setting)
            cases = list(cases_of(mounted, draw_of(mounted, told, SEEDS[1]), range(3 * sizes.seen)))
        found.append(_look_at_pictures(mounted, known.seeing, cases[: 3 * sizes.seen], str(variant)))
    return found


def _solve(mounted: Mounted, case: Case) -> str | None:
    return mounted.benchmark.solve(view_of(mounted.benchmark, case.scene, case.keyed.question))


def judge_leak(finding: Finding) -> Finding:
    """Tell whether a solver broke the ceiling on a leaky generator, as it must."""
    return replace(finding, verdict="caught" if finding.verdict == BROKEN else "NOT CAUGHT")


def _wordy(known: Knowledge, variant: Variant) -> list[Solver]:
    return [*general_solvers(known.beside), *known.solvers(variant)]


def _findings_of(study: Study, part: str) -> Iterator[Finding]:
    for trial in study.trials:
        solver = trial.solver
        if trial.n:
            yield _finding(part, solver.name, solver.sees, str(trial.cell), trial.score, trial.verdict)


def _places(cases: Sequence[Case], part: str, family: float) -> list[Finding]:
    scores = place_scores(cases)
    judged = verdicts(list(scores.values()), family)
    return [
        _finding(part, "place", "place", name, score, verdict)
        for (name, score), verdict in zip(scores.items(), judged, strict=True)
    ]


def _leak(mounted: Mounted, known: Knowledge, leak: Leak, sizes: Sizes) -> Iterator[list[Finding]]:
    """Yield, for each solver that must be caught, its findings in every cell."""
    tracks = {track.name: track for track in mounted.benchmark.card.tracks}
    track = tracks[leak.track or next(iter(tracks))]
    variant = Variant(track=track.name, setting=track.settings[0], parameters=leak.parameters)
    leaky = leak.wrap(mounted)
    few = leak.wrap(known.few(mounted))
    redrawn = few.benchmark.render is not mounted.benchmark.render
    album = Album(mounted=few, cut=known.cut, holds=None if redrawn else known.holds)
    rules = replace(variant, parameters=leak.rules)
    most = known.most_drawn(variant)
    drawn = sizes.leaky_pictures if most is None else min(most, sizes.leaky_pictures)
    probes = [
        probe for probe in known.probes(leaky, variant) if (probe.solver.name, probe.solver.sees) in leak.caught_by
    ]
    words = [solver for solver in [*_wordy(known, rules), ORDER] if (solver.name, solver.sees) in leak.caught_by]
    looking = [solver for solver in picture_solvers(album) if (solver.name, solver.sees) in leak.caught_by]
    findings: list[Finding] = []
    pictures = sizes.leaky_pictures // 3  # for probes to learn on, and as many to answer
    placed = ("place", "place") in leak.caught_by
    if words or probes or placed:
        worded = words or placed or not all(probe.pictured for probe in probes)
        study = _hold_solvers(leaky, variant, words, sizes.leaks if worded else pictures)
        findings += [*_findings_of(study, leak.name), *_places(study.learned, leak.name, FAMILY)]
        findings += _probes_held(study, probes, pictures, leak.name)
    if looking:
        findings += _findings_of(_hold_solvers(few, variant, looking, drawn), leak.name)
    for name, sees in leak.caught_by:
        yield [finding for finding in findings if (finding.solver, finding.sees) == (name, sees)]


def _hold_solvers(mounted: Mounted, variant: Variant, solvers: Sequence[Solver], size: int) -> Study:
    study = Study(mounted=mounted, variant=variant)
    study.learn(solvers, size)
    study.hold(size, FAMILY, looks=1)
    return study


def _probes_held(study: Study, probes: Sequence[Probe], pictures: int, part: str) -> Iterator[Finding]:
    """Yield the findings of probes on the cases of a study; those that see pixels get so many of them."""
    found: list[Held] = []
    asked = study.asked or list(
        cases_of(study.mounted, draw_of(study.mounted, study.variant, SEEDS[1]), range(len(study.learned)))
    )
    for pictured, most in ((False, None), (True, pictures)):
        some = [probe for probe in probes if probe.pictured is pictured]
        found += hold_probes(study.mounted, study.variant, some, study.learned[:most], asked[:most])
    for result in judge(found, FAMILY):
        yield _finding(part, result.solver.name, result.solver.sees, result.where, result.score, result.verdict)


def _worst(findings: Sequence[Finding]) -> Finding:
    return max(findings, key=lambda finding: finding.score.interval[0] - finding.score.ceiling)


def _look_at_pictures(mounted: Mounted, seeing: Seeing, cases: Sequence[Case], part: str) -> Finding:
    chosen = [case for case in cases if case.matches(seeing.where)]
    right = sum(seeing.answer(mounted, case.scene, case.keyed.question) == case.label for case in chosen)
    score = Score(right=right, n=len(chosen), ceiling=seeing.least, exact=False)
    verdict = "above" if score.share > seeing.least else BROKEN
    cell = ", ".join("/".join(values) for values in seeing.where.values())
    return _finding(part, seeing.solver, "rendered messages", cell, score, verdict)


def _finding(part: str, solver: str, sees: str, cell: str, score: Score, verdict: str) -> Finding:  # noqa: PLR0917
    return Finding(part=part, solver=solver, sees=sees, cell=cell, score=score, verdict=verdict)
