"""What the candidate of `tetrad ci` is compared with, and on which items: checked before anything is opened."""

from dataclasses import dataclass, replace

from tetrad.ci.result import Pairing
from tetrad.cli.team.answering import AnsweringOptions
from tetrad.cli.team.ci.options import BaselineOptions, CiError
from tetrad.cli.team.opening import Entry
from tetrad.client import Client, ServiceError
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.submissions import Submission

SUBMISSION = "sub_"


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """A model that is asked anew (`entry`), or a stored submission; how the two are paired, and why in words."""

    entry: Entry | None = None
    stored: Submission | None = None
    pairing: Pairing | None = None
    why: str = ""


def check_pairing(options: BaselineOptions, card: Card, *, sequential: bool) -> None:
    """Check that the draws of this benchmark can be paired as it was asked for.

    Raises:
        CiError: they can't, or the reports of a fixed corpus say nothing of single items.
    """
    if card.corpus is None:
        if options.paired == "published":
            raise CiError(f"--paired published is for fixed corpora, and {card.name} draws new items; leave it out")
        return
    if not card.corpus.labels_public:
        raise CiError(
            f"{card.name} is a fixed corpus whose labels are not public, so its reports say nothing of single items, "
            "which gates need; compare headlines with `tetrad report`"
        )
    if options.paired in {"fresh", "revealed"} or sequential:
        option = "--sequential" if sequential else f"--paired {options.paired}"
        raise CiError(f"{option} needs new draws, and {card.name} is a fixed corpus; leave it out")


def choose_baseline(client: Client, options: BaselineOptions, candidate: Entry, card: Card) -> Baseline:
    """Return what the candidate is compared with.

    Raises:
        CiError: the pairing that was asked for is impossible.
    """
    if options.baseline is None:
        return Baseline()
    if not options.baseline.startswith(SUBMISSION):
        if options.paired in {"revealed", "no"}:
            raise CiError(
                f"--paired {options.paired} compares with a submission, and --baseline {options.baseline} is a "
                "model's name; name a submission (sub_...), or leave --paired out"
            )
        return Baseline(
            entry=replace(
                candidate,
                draw=replace(candidate.draw, model=options.baseline),
                answering=_answering_for_baseline(options, candidate.answering),
            ),
            pairing="fresh" if card.corpus is None else "published",
            why="the baseline is a model, which is asked anew" if options.paired == "auto" else "",
        )
    if options.paired == "fresh":
        raise CiError(
            f"--paired fresh asks the baseline anew, and {options.baseline} is a submission; name a model and what "
            "answers for it, or leave --paired out"
        )
    return _choose_stored(client, options, candidate, card, options.baseline)


def _answering_for_baseline(options: BaselineOptions, candidate: AnsweringOptions) -> AnsweringOptions:
    """Return what answers for the baseline: its own command or server, asked as the candidate is."""
    command = options.baseline_command
    is_kept_alive = candidate.keep_alive and command is not None
    answering = replace(
        candidate,
        command=command,
        keep_alive=is_kept_alive,
        processes=candidate.processes if is_kept_alive else None,
        base_url=None if command else options.baseline_base_url or candidate.base_url,
        upstream=options.baseline_upstream,
        inspect=None,
    )
    if answering.base_url is None:  # a command or a solver: what is told to a server has no effect
        return replace(answering, max_tokens=None, temperature=None, extra_body=None, upstream=None)
    return answering


def _choose_stored(client: Client, options: BaselineOptions, candidate: Entry, card: Card, name: str) -> Baseline:
    """Return the submission to compare with.

    Raises:
        CiError: it is not scored or of another benchmark, or its items can't be asked again.
    """
    stored = client.submission(name)
    if stored.state != "scored":
        raise CiError(f"--baseline {stored.id} is {stored.state}: only a scored submission can be compared with")
    _check_same_items(candidate, stored)
    if options.paired == "no":
        return Baseline(stored=stored, pairing="no")
    if card.corpus is not None:
        why = "the baseline is a submission on a fixed corpus" if options.paired == "auto" else ""
        return Baseline(stored=stored, pairing="published", why=why)
    try:
        first = client.revealed_items(stored.id, limit=1).items[0]
        client.practice_item(first.practice_id)
    except (ServiceError, IndexError) as error:
        if options.paired == "revealed":
            raise CiError(f"--paired revealed: the items of {stored.id} can't be asked again: {error}") from error
        return Baseline(stored=stored, pairing="no", why=f"the items of {stored.id} can't be asked again")
    why = "the baseline is a submission" if options.paired == "auto" else ""
    return Baseline(stored=stored, pairing="revealed", why=why)


def _check_same_items(candidate: Entry, stored: Submission) -> None:
    for name in ("benchmark", "track", "setting"):
        wanted, own = getattr(candidate.draw, name), getattr(stored.identity, name)
        if wanted is not None and wanted != own:
            raise CiError(f"--{name} {wanted}: the baseline {stored.id} has {own}; compare like with like")
