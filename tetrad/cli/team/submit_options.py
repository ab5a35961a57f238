"""The options of `tetrad submit`, and whether they fit a submission that is gone on with."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.team.parameters import parse_parameters
from tetrad.client import TetradError
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.submissions import Submission, SubmissionRequest

SIZE = 200


class SubmitError(TetradError):
    """The options don't go together, or the submission did not end well."""


@dataclass(frozen=True, kw_only=True)
class Options:
    """What to submit to, and what answers. What is None was not given."""

    benchmark: str | None = None
    """For example kiva; needed without --resume."""
    model: str | None = None
    """The name it stands under on the board, registered at first use; needed without --resume."""
    track: str | None = None
    """The track; the benchmark's first by default."""
    setting: str | None = None
    """What is asked and shown; the track's first by default."""
    size: int | None = None
    """How many items; 200 by default."""
    parameter: list[str] = field(default_factory=list)
    """NAME=VALUE, may be repeated."""
    source: list[str] = field(default_factory=list)
    """KIND:NAME of a source to draw from, may be repeated; the default ones otherwise."""
    conversation: ConversationChoice | None = None
    """How an item's questions are asked: joined in one conversation, each in a fresh context, or as the card says of
    the setting (the default). It changes no item, and means another board."""
    command: str | None = None
    """A command that answers, for example "python my_model.py"."""
    openai: str | None = None
    """Address, ending in /v1, of a server with /chat/completions; its key from $OPENAI_API_KEY."""
    strategy: str = "direct"
    """How the model is asked: direct, step-by-step, reflect, reflect-3, instructions-first, code-first, neuro-symbolic,
    in-context."""
    temperature: Annotated[float | None, Parameter(validator=Number(gte=0, lte=2))] = None
    """How the server of --openai draws its words; its own by default. CARV's paper took 0.2."""
    wording: Path | None = None
    """A TOML file of your own words around questions, and of your own strategies."""
    private: bool | None = None
    """Keep it off the board."""
    nonce: str | None = None
    """Your part of the seed; drawn for you by default."""
    bundle: Path | None = None
    """Only open it, and write its questions and pictures to this tar file, to be answered offline."""
    resume: str | None = None
    """Id of a submission of yours to go on with, instead of opening one: benchmark, model and all are its own."""
    concurrency: Annotated[int, Parameter(validator=Number(gte=1))] = 4
    """Questions asked at a time."""
    model_seed: int = 0
    """The seed of the random model."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the report as JSON; with --bundle the submission and the file."""

    def request(self) -> SubmissionRequest:
        """Return what to open.

        Raises:
            SubmitError: what to open, or what it shall stand under, is not said.
        """
        if self.benchmark is None:
            raise SubmitError(
                "--benchmark is missing: name one of `tetrad benchmarks`, or go on with --resume SUBMISSION"
            )
        if self.model is None:
            raise SubmitError("--model is missing: name what answers, as it shall stand on the board")
        return SubmissionRequest(
            benchmark=self.benchmark,
            track=self.track,
            setting=self.setting,
            size=SIZE if self.size is None else self.size,
            parameters=parse_parameters(self.parameter),
            source=self.source,
            model=self.model,
            visibility="private" if self.private else "public",
            nonce=self.nonce,
            conversation=self.conversation or "as-card",
        )


def check_same(options: Options, submission: Submission) -> None:
    """Let a submission be gone on with: nothing is answered under other names than those that were given.

    Raises:
        SubmitError: options say otherwise than it was opened; the message names each, and what it is.
    """
    if differing := list(_differing(options, submission)):
        raise SubmitError(
            "\n  ".join([f"{submission.id} was opened otherwise than these options say:", *differing])
            + "\nleave them out to go on with it, or leave out --resume to open another one"
        )


def _differing(options: Options, submission: Submission) -> Iterator[str]:
    identity, is_private = submission.identity, submission.visibility == "private"
    pairs = {
        "benchmark": (options.benchmark, identity.benchmark),
        "model": (options.model, submission.model),
        "track": (options.track, identity.track),
        "setting": (options.setting, identity.setting),
        "size": (options.size, submission.size),
        "nonce": (options.nonce, submission.nonce),
        # What the card says was settled when it was opened.
        "conversation": (None if options.conversation == "as-card" else options.conversation, submission.conversation),
    }
    yield from (
        f"--{name} {given}: it has {own}" for name, (given, own) in pairs.items() if given is not None and given != own
    )
    for name, value in parse_parameters(options.parameter).items():
        if name not in identity.parameters:
            yield f"--parameter {name}={value}: it has none of this name"
        elif str(own := identity.parameters[name]) != str(value):  # 1 may be typed for the text "1"
            yield f"--parameter {name}={value}: it has {own}"
    if options.private is not None and options.private != is_private:
        yield f"--{'' if options.private else 'no-'}private: it is {submission.visibility}"
