"""`python -m tests.gate_proof`: wrong decisions, power and coverage of every gate; writes its rows of docs/proof.md.

Where scores are 0 or 1, all outcomes of a draw are gone through: the shares are exact. Elsewhere draws are simulated.
`make proof` runs it, and all cells go to `var/proof/gates.md`; a test computes a small part again.
"""

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binom
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

from generator_service.proving.pages import Row
from generator_service.proving.report import FOLDER, PAGE
from tetrad.canonical import hexdigest
from tetrad.statistics.deciding import (
    Sample,
    bet,
    decide_least,
    decide_paired,
    decide_unpaired,
    exact_interval,
    least_drop,
    least_unpaired_drop,
    paired_interval,
    pairs_of,
    sample_interval,
    sample_of,
    unpaired_interval,
)
from tetrad.statistics.deciding.differences import Pairs

GATES = "gates"  # their digest's name
ERROR = 0.05
LOOKS = range(50, 501, 50)
BETTER = (0.0, 0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.4)  # of the candidate alone
NIGHTLY = Path(__file__).parents[1] / "deploy" / "ci" / "github" / "nightly.yml"
NIGHTS = 30
DECAY = 0.005  # of the accuracy, a night
SHARES = (0.11, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.97, 0.999)  # of the baseline


def share(right: int, count: int) -> Sample:
    mean = right / count
    error = (mean * (1 - mean) / (count - 1)) ** 0.5 if count > 1 else None
    return Sample(count=count, mean=mean, standard_error=error, binary=True)


def pairs(better: int, worse: int, count: int) -> Pairs:
    difference = (better - worse) / count
    spread = max((better + worse) / count - difference**2, 0.0) * count / (count - 1)
    return Pairs(count=count, difference=difference, deviation=spread**0.5, candidate_only=better, baseline_only=worse)


def first(count: int, holds: Callable[[int], bool]) -> int:
    """Return the first of 0..count at which something holds that then holds for all greater ones; count + 1 if none."""
    below, above = -1, count + 1
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above


def least_errors(count: int, least: float) -> tuple[float, float]:
    """Return the shares of draws in which a model of exactly the least accuracy passes, and fails."""
    passes = first(count, lambda right: decide_least(share(right, count), least).outcome == "pass")
    fails = first(count, lambda wrong: decide_least(share(count - wrong, count), least).outcome == "fail")
    return float(binom.sf(passes - 1, count, least)), float(binom.cdf(count - fails, count, least))


def _is(outcome: Callable[[int], str], wanted: tuple[str, ...], number: int) -> bool:
    return outcome(number) in wanted


@lru_cache(maxsize=64)
def paired_limits(count: int, margin: float) -> tuple[tuple[int, int], ...]:
    """Return, by the items that the candidate alone has, from how many of the baseline it is no pass, and fails."""

    def outcome(better: int, worse: int) -> str:
        return decide_paired(pairs(better, worse, count), margin).outcome

    return tuple(
        (
            first(count - better, partial(_is, partial(outcome, better), ("undecided", "fail"))),
            first(count - better, partial(_is, partial(outcome, better), ("fail",))),
        )
        for better in range(count + 1)
    )


def paired_chances(count: int, margin: float, better: float, worse: float) -> tuple[float, float]:
    """Return the shares of draws that pass and that fail, where each model alone has such shares of items right."""
    passes = fails = 0.0
    given = worse / (1 - better)
    for number, (no_pass, fail) in enumerate(paired_limits(count, margin)):
        weight = float(binom.pmf(number, count, better))
        if weight > 1e-12:
            passes += weight * float(binom.cdf(no_pass - 1, count - number, given))
            fails += weight * float(binom.sf(fail - 1, count - number, given))
    return passes, fails


def unpaired_chances(count: int, of_baseline: int, margin: float, truths: tuple[float, float]) -> tuple[float, float]:
    """Return the shares of draws that pass and that fail, at the true accuracies of candidate and baseline."""
    passes = fails = 0.0
    for known, no_fail, passing in unpaired_limits(count, of_baseline, margin):
        weight = float(binom.pmf(known, of_baseline, truths[1]))
        passes += weight * float(binom.sf(passing - 1, count, truths[0]))
        fails += weight * float(binom.cdf(no_fail - 1, count, truths[0]))
    return passes, fails


@lru_cache(maxsize=64)
def unpaired_limits(count: int, of_baseline: int, margin: float) -> tuple[tuple[int, int, int], ...]:
    def outcome(known: int, right: int) -> str:
        return decide_unpaired(share(right, count), share(known, of_baseline), margin).outcome

    return tuple(
        (
            known,
            first(count, partial(_is, partial(outcome, known), ("undecided", "pass"))),
            first(count, partial(_is, partial(outcome, known), ("pass",))),
        )
        for known in range(of_baseline + 1)
    )


def nightly_job() -> tuple[int, float]:
    """Return the items and the allowed drop of the job that is shipped, which asks a fixed baseline anew."""
    text = NIGHTLY.read_text()
    assert "--paired fresh" in text
    (size,), (margin,) = re.findall(r"--size (\d+)", text), re.findall(r"--allow-drop ([\d.]+)", text)
    return int(size), float(margin)


def month(rng: np.random.Generator, drops: Sequence[float], discordance: float) -> list[str]:
    """Return what the shipped job decides on each night of a model that is so much worse on it."""
    count, margin = nightly_job()
    outcomes: list[str] = []
    for drop in drops:
        better = max(discordance - drop, 0.0) / 2
        alone = better, better + drop
        ours, theirs, _ = rng.multinomial(count, (*alone, 1 - sum(alone)))
        outcomes.append(decide_paired(pairs(int(ours), int(theirs), count), margin).outcome)
    return outcomes


def months_with_red(rng: np.random.Generator, drops: Sequence[float], discordance: float, months: int) -> float:
    """Return the share of months with a night that is not green: the job takes "could not tell" for red."""
    seen = [month(rng, drops, discordance) for _ in range(months)]
    return sum(any(outcome != "pass" for outcome in outcomes) for outcomes in seen) / months


def looked_at(rng: np.random.Generator, better: float, worse: float, margin: float, runs: int) -> list[tuple[str, int]]:
    """Return how each run ends that is looked at every 50 items, and after how many."""
    ends: list[tuple[str, int]] = []
    for _ in range(runs):
        values = rng.choice([1.0, -1.0, 0.0], LOOKS[-1], p=(better, worse, 1 - better - worse)).tolist()
        for count in LOOKS:
            outcome, _, _ = bet(values[:count], -margin, lowest=-1.0, highest=1.0)
            if outcome != "undecided":
                break
        ends.append((outcome, count))
    return ends


def repeated(rng: np.random.Generator, truth: float, count: int) -> NDArray[np.float64]:
    """Return the scores of items that are asked three times each, with a chance of their own: alike within an item."""
    return rng.binomial(3, rng.beta(2 * truth, 2 * (1 - truth), count)) / 3


def coverage_of_shares(count: int, truth: float) -> tuple[float, float]:
    """Return how often our 95% interval and statsmodels' hold the truth."""
    weights = binom.pmf(np.arange(count + 1), count, truth)
    ours = [exact_interval(right, count).contains(truth) for right in range(count + 1)]
    low, high = proportion_confint(np.arange(count + 1), count, method="beta")
    theirs = (np.nan_to_num(low) <= truth) & (truth <= np.where(np.isnan(high), 1.0, high))
    return float(weights @ np.array(ours)), float(weights @ theirs)


def coverage_of_pairs(rng: np.random.Generator, count: int, better: float, worse: float, runs: int) -> float:
    seen = rng.multinomial(count, (better, worse, 1 - better - worse), runs)
    held = [paired_interval(pairs(int(b), int(w), count)).contains(better - worse) for b, w, _ in seen]
    return float(np.mean(held))


def coverage_unpaired(
    rng: np.random.Generator, count: int, truths: tuple[float, float], runs: int
) -> tuple[float, float]:
    rights = np.column_stack([rng.binomial(count, truth, runs) for truth in truths])
    difference = truths[0] - truths[1]
    ours = [
        unpaired_interval(share(int(ours_right), count), share(int(theirs_right), count)).contains(difference)
        for ours_right, theirs_right in rights
    ]
    low, high = confint_proportions_2indep(rights[:, 0], count, rights[:, 1], count, method="newcomb", compare="diff")
    return float(np.mean(ours)), float(np.mean((low <= difference) & (difference <= high)))


@dataclass(frozen=True, kw_only=True)
class Claim:
    """What is claimed of one kind of gate, its cells, and the worst of them."""

    name: str
    claim: str
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...]
    rows: Sequence[Sequence[object]]
    worst: float
    holds: bool

    def section(self) -> str:
        """Return all cells, as a part of the long report."""
        notes = "".join(f"{note}\n" for note in self.notes)
        lines = [self.columns, ("---",) * len(self.columns), *self.rows]
        return f"## {self.name}: {self.claim}\n\n{notes}\n" + "".join(
            f"| {' | '.join(map(str, cells))} |\n" for cells in lines
        )

    def row_of_page(self) -> Row:
        verdict = "holds" if self.holds else "**does not hold**"
        return (self.name, self.claim, percent(self.worst), f"{len(self.rows)}", verdict)


def percent(value: float) -> str:
    return f"{100 * value:.2f}%"


def claims(runs: int) -> Iterator[Claim]:
    yield _least()
    yield _paired()
    yield _unpaired()
    yield _spread(runs)
    yield _sequential(runs // 4)
    yield _power()
    yield _nightly(runs // 40)
    yield _coverage(runs)


def _least() -> Claim:
    rows, worst = [], 0.0
    for count in (50, 250, 1000):
        for least in (0.25, 0.5, 0.7, 0.9):
            errors = least_errors(count, least)
            worst = max(worst, *errors)
            rows.append((count, f"{least:.0%}", *map(percent, errors)))
    return Claim(
        name="Least accuracy",
        claim="a model exactly at it passes, or fails",
        columns=("items", "least", "passes", "fails"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR,
    )


def _paired() -> Claim:
    rows, worst = [], 0.0
    for count in (50, 100, 250, 500):
        for margin in (0.02, 0.05, 0.1):
            found = [paired_chances(count, margin, better, better + margin) for better in BETTER]
            passes, fails = map(max, zip(*found, strict=True))
            worst = max(worst, passes, fails)
            rows.append((count, f"{100 * margin:g}", percent(passes), percent(fails)))
    return Claim(
        name="Allowed drop, the same items",
        claim="a model exactly so much worse passes, or fails",
        notes=(f"The largest share over {len(BETTER)} discordances: the candidate alone is right on 0 to 40%.",),
        columns=("items", "margin in points", "passes", "fails"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR,
    )


def _unpaired() -> Claim:
    rows, worst = [], 0.0
    for count, of_baseline in ((50, 50), (50, 250), (250, 250), (500, 250)):
        for margin in (0.05, 0.1):
            found = [unpaired_chances(count, of_baseline, margin, (accuracy - margin, accuracy)) for accuracy in SHARES]
            passes, fails = map(max, zip(*found, strict=True))
            worst = max(worst, passes, fails)
            rows.append((count, of_baseline, f"{100 * margin:g}", percent(passes), percent(fails)))
    return Claim(
        name="Allowed drop, different items",
        claim="a model exactly so much worse passes, or fails",
        notes=(f"The largest share over {len(SHARES)} accuracies of the baseline from 11% to 99.9%.",),
        columns=("items", "items of the baseline", "margin in points", "passes", "fails"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR,
    )


def _spread(runs: int) -> Claim:
    """Simulate items with three questions each, whose scores are thirds."""
    rng, rows, worst = np.random.default_rng(31), [], 0.0
    for count in (50, 250):
        for truth in (0.3, 0.6, 0.9):
            found = [decide_least(sample_of(repeated(rng, truth, count).tolist()), truth).outcome for _ in range(runs)]
            rows.append(
                (
                    f"accuracy {truth:.0%}",
                    count,
                    *(percent(found.count(outcome) / runs) for outcome in ("pass", "fail")),
                )
            )
            worst = max(worst, found.count("pass") / runs, found.count("fail") / runs)
        outcomes = []
        for _ in range(runs):
            ours, theirs = repeated(rng, 0.55, count), repeated(rng, 0.6, count)
            outcomes.append(decide_paired(pairs_of(ours.tolist(), theirs.tolist()), 0.05).outcome)
        rows.append(
            ("drop of 5 points", count, *(percent(outcomes.count(outcome) / runs) for outcome in ("pass", "fail")))
        )
        worst = max(worst, outcomes.count("pass") / runs, outcomes.count("fail") / runs)
    noise = 3 * (ERROR * (1 - ERROR) / runs) ** 0.5
    return Claim(
        name="Several questions an item",
        claim="a model exactly at the boundary passes, or fails",
        notes=(
            f"Each item is asked three times, and its scores are alike. {runs:,} draws each. The bounds are",
            f"approximate: half a point more is allowed. Simulation alone moves a share by up to {percent(noise)}.",
        ),
        columns=("gate", "items", "passes", "fails"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR + noise + 0.005,
    )


def _sequential(runs: int) -> Claim:
    rng, rows, worst = np.random.default_rng(32), [], 0.0
    for name, better, worse in (
        ("at the boundary, discordance 5%", 0.0, 0.05),
        ("at the boundary, discordance 15%", 0.05, 0.1),
        ("at the boundary, discordance 45%", 0.2, 0.25),
        ("unchanged, discordance 10%", 0.05, 0.05),
        ("5 points better, discordance 15%", 0.1, 0.05),
        ("15 points worse, discordance 25%", 0.05, 0.2),
    ):
        ends = looked_at(rng, better, worse, 0.05, runs)
        passes, fails = (sum(end == outcome for end, _ in ends) / runs for outcome in ("pass", "fail"))
        if name.startswith("at"):
            worst = max(worst, passes, fails)
        rows.append((name, percent(passes), percent(fails), int(np.median([count for _, count in ends]))))
    return Claim(
        name="Sequential",
        claim="a model exactly 5 points worse passes, or fails, at any look",
        notes=(f"A look every 50 items, at most 500; {runs:,} runs each.",),
        columns=("truth", "passes", "fails", "median items"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR,
    )


def _power() -> Claim:
    rows, least = [], 1.0
    for count in (50, 100, 250, 500):
        for discordance in (0.05, 0.1, 0.2):
            margin = least_drop(count, discordance)
            passes, _ = paired_chances(count, round(margin, 6), discordance / 2, discordance / 2)
            least = min(least, passes)
            rows.append((count, f"{discordance:.0%}", f"{100 * margin:.1f}", percent(passes)))
    for count in (50, 250):
        margin = least_unpaired_drop(count, count)
        passes, _ = unpaired_chances(count, count, round(margin, 6), (0.5, 0.5))
        least = min(least, passes)
        rows.append((count, "different items", f"{100 * margin:.1f}", percent(passes)))
    return Claim(
        name="Power",
        claim="an unchanged model passes at the margin that is stated for the size; 80% is aimed at",
        columns=("items", "discordance", "margin in points", "passes"),
        rows=rows,
        worst=least,
        holds=least >= 0.75,
    )


def _nightly(months: int) -> Claim:
    """Look at the job of nightly.yml over months: false alarms, power, and slow decay."""
    count, margin = nightly_job()
    rng, rows, worst = np.random.default_rng(34), [], 0.0
    for discordance in (0.05, 0.1):
        green, _ = paired_chances(count, margin, discordance / 2, discordance / 2)
        red = months_with_red(rng, [0.0] * NIGHTS, discordance, months)
        rows.append(("unchanged", f"{discordance:.0%}", percent(green), "", percent(1 - green**NIGHTS), percent(red)))
        worst = max(worst, 1 - green**NIGHTS)
    is_red = True
    for drop, discordance in ((margin, 0.05), (margin, 0.1), (2 * margin, 0.1)):
        better = max(discordance - drop, 0.0) / 2
        green, fails = paired_chances(count, margin, better, better + drop)
        cells = percent(green), percent(fails), percent(1 - green**NIGHTS), ""
        rows.append((f"{100 * drop:g} points worse", f"{discordance:.0%}", *cells))
        worst = max(worst, green)
        is_red = is_red and (drop == margin or fails >= 1 - ERROR)
    decay = [DECAY * (night + 1) for night in range(NIGHTS)]
    red = months_with_red(rng, decay, 0.1, months)
    rows.append((f"{100 * DECAY:g} points worse each night", "10%", "", "", "", percent(red)))
    return Claim(
        name="Nightly job",
        claim=f"an unchanged model has a red night in a month; one {100 * margin:g} points worse is green on a night",
        notes=(f"A month has {NIGHTS} nights, and {months} months are simulated; the other shares are exact.",),
        columns=("truth", "discordance", "green", "fails", "months with a red night", "the same, simulated"),
        rows=rows,
        worst=worst,
        holds=worst <= ERROR and is_red and red == 1.0,
    )


def _coverage(runs: int) -> Claim:
    rng, rows, least = np.random.default_rng(33), [], 1.0
    for count, truth in ((50, 0.3), (250, 0.7), (250, 0.97)):
        ours, theirs = coverage_of_shares(count, truth)
        rows.append(("accuracy, exact", count, f"{truth:.0%}", percent(ours), percent(theirs)))
        least = min(least, ours)
    for count, truths in ((50, (0.3, 0.5)), (250, (0.7, 0.75)), (250, (0.95, 0.99))):
        ours, theirs = coverage_unpaired(rng, count, truths, runs)
        name = f"{truths[0]:.0%} and {truths[1]:.0%}"
        rows.append(("difference, different items", count, name, percent(ours), percent(theirs)))
        least = min(least, ours)
    for count, better, worse in ((50, 0.05, 0.1), (250, 0.02, 0.05), (250, 0.1, 0.1)):
        ours = coverage_of_pairs(rng, count, better, worse, runs)
        rows.append(
            ("difference, the same items", count, f"{better:.0%} and {worse:.0%} alone", percent(ours), "has none")
        )
        least = min(least, ours)
    for count, truth in ((50, 0.6), (250, 0.9)):
        held = [sample_interval(sample_of(repeated(rng, truth, count).tolist())).contains(truth) for _ in range(runs)]
        rows.append(("accuracy, three questions an item", count, f"{truth:.0%}", percent(float(np.mean(held))), "-"))
        least = min(least, float(np.mean(held)))
    return Claim(
        name="Coverage",
        claim="95% intervals hold the truth",
        notes=(
            f"Exact for accuracies, else {runs:,} draws. statsmodels' are exact, and Newcombe's without correction.",
        ),
        columns=("interval", "items", "truth", "ours", "statsmodels"),
        rows=rows,
        worst=least,
        holds=least >= 0.94,
    )


def digest_of_small_part() -> str:
    """Return a digest of some shares that are quick to compute: another one means that the gates decide otherwise."""
    of_pairs = [paired_chances(50, 0.1, better, better + 0.1) for better in BETTER]
    found = [*least_errors(250, 0.7), *map(max, zip(*of_pairs, strict=True)), *coverage_of_shares(250, 0.97)]
    return hexdigest("tetrad/gate-proof", *map(percent, found))


def main() -> int:
    found = list(claims(runs=4000))
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "gates.md").write_text("\n".join(claim.section() for claim in found))
    PAGE.put(([], [], [claim.row_of_page() for claim in found]), {GATES: digest_of_small_part()})
    return 0 if all(claim.holds for claim in found) else 1


if __name__ == "__main__":
    sys.exit(main())
