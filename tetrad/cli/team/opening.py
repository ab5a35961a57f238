"""The options that say what is asked, and the submission that is opened with them or gone on with.

In this file: the options, an entry (what is asked, and what answers), and the checks before a submission is opened or
gone on with.
"""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal, get_args

from cyclopts import Group, Parameter

from tetrad.cli.output import say_apart
from tetrad.cli.team.answering import NOTHING_GIVEN, AnsweringOptions, SubmitError
from tetrad.cli.team.parameters import keep_given, parse_parameters
from tetrad.client import Client, ServiceError
from tetrad.contracts.accounts import ModelRequest
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.submissions import DEFAULT_SIZE, Submission, SubmissionRequest
from tetrad.contracts.wire import Name

CONFLICT = 409
NAME = re.compile(get_args(Name)[1].pattern)
SIZES = {"quick": 50, "standard": DEFAULT_SIZE, "full": 1000}


@Parameter(name="*", group=Group("What is asked", sort_key=1))
@dataclass(frozen=True, kw_only=True)
class DrawOptions:
    """What is asked, and under which name its answers stand. None means not given."""

    benchmark: str | None = None
    """For example kiva; needed without --resume."""
    model: str | None = None
    """The name it stands under on the board, registered at first use: a-z, 0-9, dot, underscore and hyphen; needed
    without --resume."""
    track: str | None = None
    """The track; the benchmark's first by default."""
    setting: str | None = None
    """The setting: questions and pictures of an item; the track's first by default."""
    size: int | None = None
    """The number of items; 250 by default, enough for a rank unless the card says that a source is too small."""
    parameter: Annotated[list[str], Parameter(show_default=False)] = field(default_factory=list)
    """NAME=VALUE, may be repeated."""
    source: Annotated[list[str], Parameter(show_default=False)] = field(default_factory=list)
    """KIND:NAME of a source to draw from, may be repeated; the default ones otherwise."""
    conversation: ConversationChoice | None = None
    """The way to ask an item's questions: joined in one conversation, each in a fresh context, or as the card says of
    the setting (the default). It changes no item, but each way has a board of its own."""

    def wanted_size(self) -> int | None:
        return self.size


@dataclass(frozen=True, kw_only=True)
class EvalDrawOptions(DrawOptions):
    """The same where nothing is gone on with by its id, so that benchmark and model are needed."""

    benchmark: str = field()
    """For example kiva."""
    model: str = field()
    """The name it stands under on the board, registered at first use: a-z, 0-9, dot, underscore and hyphen."""
    size: int | None = None
    """The number of items, instead of --tier."""
    tier: Literal["quick", "standard", "full"] = "standard"
    """How many items: quick 50, standard 250, full 1000."""

    def wanted_size(self) -> int | None:
        return SIZES[self.tier] if self.size is None else self.size


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A submission as the options describe it: what is asked, what answers, and who sees it. None means not given."""

    draw: DrawOptions = DrawOptions()
    answering: AnsweringOptions = NOTHING_GIVEN
    is_private: bool | None = None
    nonce: str | None = None

    def with_size(self, size: int) -> "Entry":
        return replace(self, draw=replace(self.draw, size=size))

    def request(self) -> SubmissionRequest:
        """Return the request that opens the submission.

        Raises:
            SubmitError: the benchmark, or the model's name on the board, is missing.
        """
        draw = self.draw
        if draw.benchmark is None:
            raise SubmitError(
                "--benchmark is missing: name one of `tetrad benchmarks`, or go on with --resume SUBMISSION"
            )
        if draw.model is None:
            raise SubmitError("--model is missing: name what answers, as it shall stand on the board")
        if not NAME.match(draw.model):
            raise SubmitError(_advice_on_name(draw.model, self.answering))
        size = draw.wanted_size()
        return SubmissionRequest(
            benchmark=draw.benchmark,
            track=draw.track,
            setting=draw.setting,
            size=DEFAULT_SIZE if size is None else size,
            parameters=parse_parameters(draw.parameter),
            source=draw.source,
            model=draw.model,
            visibility="private" if self.is_private else "public",
            nonce=self.nonce,
            conversation=draw.conversation or "as-card",
        )


def _advice_on_name(name: str, answering: AnsweringOptions) -> str:
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.rpartition("/")[2].lower()).strip("-._") or "my-model"
    upstream = "" if answering.base_url is None else f" --upstream {shlex.quote(answering.upstream or name)}"
    return (
        f"--model {name!r}: a name on the board has 1 to 64 of a-z, 0-9, dot, underscore and hyphen, a letter or digit "
        f"first\nuse --model {slug}{upstream}"
    )


def check_solver(client: Client, answering: AnsweringOptions, request: SubmissionRequest) -> None:
    """Check that a solver that answers by its name answers what is asked for, before anything is opened.

    A fixed corpus has a name that its operator gave it, which says nothing: there a solver goes by the questions.

    Raises:
        SubmitError: it does not; the message names solvers that do.
    """
    if not answering.is_solver():
        return
    # Here and not above: `tetrad` works without NumPy and Pillow, these solvers don't.
    from tetrad.solvers import NotCoveredError, check_covered, is_for_any  # noqa: PLC0415 -- of an extra

    if is_for_any(request.model):
        return
    card = client.benchmark(request.benchmark).card
    if card.corpus is not None:
        return
    track = next((track for track in card.tracks if track.name == request.track), card.tracks[0])
    if request.track not in {None, track.name}:
        return  # the service refuses it, and says which tracks there are
    setting = request.setting or track.settings[0]
    try:
        check_covered(request.model, benchmark=request.benchmark, track=track.name, setting=setting)
    except NotCoveredError as error:
        raise SubmitError(f"nothing was opened: {error}\nor give --command or --base-url") from error


def check_answers(client: Client, entry: Entry) -> None:
    """Check that there is what answers for an entry, and that it answers what is asked for.

    Raises:
        SubmitError: there is no such solver or program, it does not answer there, or the options don't go together.
    """
    request = entry.request()
    entry.answering.responder(request.model)
    check_solver(client, entry.answering, request)


def check_key(client: Client) -> None:
    """Check the API key by a request that looks at any: before a model is asked, and before a folder is made.

    Raises:
        ServiceError: it is unknown or revoked.
    """
    client.models(limit=1)


def note_rank(client: Client, request: SubmissionRequest) -> None:
    """Say before a public submission is opened how many of its items will count, where that may be too few for a rank.

    Nothing is said where the service can't tell: of a fixed corpus, or while it makes no practice items.
    """
    if request.visibility == "private":
        return
    place = keep_given(track=request.track, setting=request.setting, source=",".join(request.source) or None)
    try:
        counted = client.count_items(request.benchmark, **{**request.parameters, **place, "size": request.size})
    except ServiceError:
        return
    if counted.lower < counted.least_items:
        draws = "" if counted.lower == counted.upper else f", in most draws {counted.lower} to {counted.upper}"
        say_apart(
            f"about {counted.expected} of {counted.size} items will count{draws} (an item counts if the score is of "
            "it, and items that share a picture count as one); a rank needs "
            f"{counted.least_items}, of all public attempts of {request.model} together"
        )


def open_with_model(client: Client, request: SubmissionRequest, *, idempotency_key: str | None = None) -> Submission:
    """Open the submission. A new model is registered first, by its name alone."""
    own = {model.name for model in client.models(limit=500).models if model.kind == "team"}
    if request.model not in own:
        try:
            client.register_model(ModelRequest(name=request.model))
        except ServiceError as error:
            if error.problem.status != CONFLICT:
                raise
    return client.open_submission(request, idempotency_key=idempotency_key)


def check_same(
    entry: Entry, submission: Submission, *, otherwise: str = "leave out --resume to open another one"
) -> None:
    """Check that a submission to be gone on with was opened with the options given now.

    Args:
        otherwise: what to do to open another one.

    Raises:
        SubmitError: options differ; the message names each of them and the submission's own value.
    """
    if differences := list(_differences(entry, submission)):
        raise SubmitError(
            "\n  ".join([f"{submission.id} was opened otherwise than these options say:", *differences])
            + f"\nleave them out to go on with it, or {otherwise}"
        )


def _differences(entry: Entry, submission: Submission) -> Iterator[str]:
    draw, identity, is_private = entry.draw, submission.identity, submission.visibility == "private"
    pairs = {
        "benchmark": (draw.benchmark, identity.benchmark),
        "model": (draw.model, submission.model),
        "track": (draw.track, identity.track),
        "setting": (draw.setting, identity.setting),
        "size": (draw.wanted_size(), submission.size),
        "nonce": (entry.nonce, submission.nonce),
        # "as-card" was resolved when the submission was opened.
        "conversation": (None if draw.conversation == "as-card" else draw.conversation, submission.conversation),
    }
    yield from (
        f"--{name} {given}: it has {own}" for name, (given, own) in pairs.items() if given is not None and given != own
    )
    for name, value in parse_parameters(draw.parameter).items():
        if name not in identity.parameters:
            yield f"--parameter {name}={value}: it has none of this name"
        elif str(own := identity.parameters[name]) != str(value):  # 1 may be typed for the text "1"
            yield f"--parameter {name}={value}: it has {own}"
    if draw.source:
        yield f"--source {' '.join(draw.source)}: it was drawn from its own sources (bank {identity.bank[:12]})"
    if entry.is_private is not None and entry.is_private != is_private:
        yield f"--{'' if entry.is_private else 'no-'}private: it is {submission.visibility}"
