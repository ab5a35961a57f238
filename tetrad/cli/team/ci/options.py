"""The options of `tetrad ci` beside those of `tetrad eval`: the gates, the baseline, the service, the reports."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from tetrad.ci.result import Thresholds
from tetrad.cli.team.answering import AnsweringOptions, SubmitError
from tetrad.cli.team.own_run import SpendingOptions
from tetrad.money import MICRODOLLARS_A_DOLLAR


class CiError(SubmitError):
    """The options don't go together, or the draw can't be used."""


@Parameter(name="*", group=Group("Gates", sort_key=4))
@dataclass(frozen=True, kw_only=True)
class GateOptions:
    """What must hold, and when it is looked at."""

    least_accuracy: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))] = None
    """Gate: the accuracy is this share or more, for example 0.6."""
    allow_drop: Annotated[float | None, Parameter(validator=Number(gt=0, lt=1))] = None
    """Gate: not worse than --baseline by more than this share, for example 0.05 for 5 points."""
    most_unread: Annotated[float | None, Parameter(validator=Number(gte=0, lte=1))] = None
    """Gate: at most this share of replies without an answer that can be read."""
    most_cost: Annotated[float | None, Parameter(validator=Number(gte=0))] = None
    """Gate: at most so many dollars; needs --price."""
    most_minutes: Annotated[float | None, Parameter(validator=Number(gt=0))] = None
    """Gate: at most so many minutes from the first question to the last answer."""
    sequential: bool = False
    """Look after every 50 items, each 50 a draw of its own, and stop once every gate has decided."""

    def thresholds(self) -> Thresholds:
        """Return the gates.

        Raises:
            CiError: there is none, or none that --sequential could look at.
        """
        thresholds = Thresholds(
            least_accuracy=self.least_accuracy,
            allow_drop=self.allow_drop,
            most_unread=self.most_unread,
            most_cost=None if self.most_cost is None else round(self.most_cost * MICRODOLLARS_A_DOLLAR),
            most_minutes=self.most_minutes,
        )
        if not thresholds.any():
            raise CiError(
                "no gate was given: ask for --least-accuracy, --allow-drop, --most-unread, --most-cost, "
                "--most-minutes, or several of them"
            )
        if self.sequential and self.least_accuracy is None and self.allow_drop is None:
            raise CiError("--sequential looks at --least-accuracy or --allow-drop; give one, or leave it out")
        return thresholds


@Parameter(name="*", group=Group("Baseline", sort_key=5))
@dataclass(frozen=True, kw_only=True)
class BaselineOptions:
    """What the candidate is compared with, and on which items."""

    baseline: str | None = None
    """A scored submission of yours (sub_...), or the name of a model that is asked anew."""
    baseline_upstream: str | None = None
    """What the baseline's server calls the baseline; its name by default."""
    baseline_base_url: str | None = None
    """Address of the baseline's server; --base-url by default."""
    baseline_command: str | None = None
    """A command that answers for the baseline."""
    paired: Literal["auto", "fresh", "revealed", "published", "no"] = "auto"
    """On which items the two are compared. fresh: one new draw; a model is asked anew. revealed: the candidate answers
    the draw of a submission, which is public. published: the items of a fixed corpus whose labels are public. no: a
    draw of its own against the submission's score, which takes about 2.5 times the items. auto: published for such a
    corpus, else fresh for a model, revealed for a submission."""


@Parameter(name="*", group=Group("Answered by the service", sort_key=6))
@dataclass(frozen=True, kw_only=True)
class ServiceOptions:
    """Whether models of the service's gateway answer."""

    service: bool = False
    """Let the service answer: --model and --baseline are models of its gateway, as `tetrad models` lists them."""
    extraction_model: str | None = None
    """With --service: a model of its gateway that extracts answers from replies which our extractor can't read."""


@Parameter(name="*", group=Group("The run", sort_key=7))
@dataclass(frozen=True, kw_only=True)
class CiRunOptions:
    """Who sees the candidate's draw, and where runs and reports are written."""

    public: bool = False
    """Let the candidate's draw count on the board. By default it is private."""
    out: Path | None = None
    """The folder for summary.md, junit.xml, result.json and report.html; tetrad-ci by default."""
    folder: Path | None = None
    """Where the runs are recorded; `runs` in the folder of --out by default. The same folder goes on with the same
    runs."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the result as JSON."""


def check_together(
    gates: GateOptions,
    baseline: BaselineOptions,
    service: ServiceOptions,
    answering: AnsweringOptions,
    costs: SpendingOptions,
) -> None:
    """Check that options of different groups go together.

    Raises:
        CiError: they don't.
    """
    if (gates.allow_drop is None) != (baseline.baseline is None):
        raise CiError("--allow-drop and --baseline belong together; give both, or leave both out")
    if service.extraction_model is not None and not service.service:
        raise CiError("--extraction-model is a model of the service's gateway; give --service, or leave it out")
    if gates.most_cost is not None and costs.price is None and not service.service:
        raise CiError("--most-cost needs to know what calls cost; give --price INPUT,OUTPUT")
    if service.service and (not answering.is_solver() or answering.upstream or costs.limit_cost is not None):
        raise CiError("--service has the service's gateway answer; leave out what answers on this machine")
