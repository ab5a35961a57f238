"""`tetrad eval`: evaluate a model on this machine, from the first question to the report, in a folder of its own."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import connect_with_key
from tetrad.cli.output import leave_at_once, print_json, say, say_apart
from tetrad.cli.team.own_run import Spending, own_run
from tetrad.cli.team.submit import INTERRUPTED, Options, SubmitError, without_rank
from tetrad.cli.team.thresholds import FailUnder, check_report
from tetrad.contracts.benchmarks import ConversationChoice
from tetrad.contracts.submissions import DEFAULT_SIZE
from tetrad.reporting.run_costs import costs_in_words
from tetrad.runner import ReplyError, RunError, StalledError

SIZES = {"quick": 50, "standard": DEFAULT_SIZE, "full": 1000}
RUNS = Path("tetrad-runs")


@dataclass(frozen=True, kw_only=True)
class EvalOptions:
    """The options: what to evaluate on, and what answers."""

    benchmark: str
    """For example kiva."""
    model: str
    """The name on the board, registered at first use."""
    upstream: str | None = None
    """What the server of --base-url calls the model; the name of --model by default."""
    base_url: str | None = None
    """Address, ending in /v1, of a server with /chat/completions; its key from $OPENAI_API_KEY."""
    command: str | None = None
    """A command that answers instead, for example "python my_model.py"."""
    keep_alive: bool = False
    """Start --command once, and let it answer one line of JSON with another until its input ends."""
    processes: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """Copies of a --command that is kept alive; 1 by default."""
    inspect: str | None = None
    """A model as Inspect names it, such as openai/gpt-x: any of its providers; needs the extra `inspect`."""
    track: str | None = None
    """The track; the benchmark's first by default."""
    setting: str | None = None
    """The setting; the track's first by default."""
    tier: Literal["quick", "standard", "full"] = "standard"
    """How many items: quick 50, standard 250, full 1000."""
    size: int | None = None
    """The number of items, instead of --tier."""
    parameter: list[str] = field(default_factory=list)
    """NAME=VALUE, may be repeated."""
    source: list[str] = field(default_factory=list)
    """KIND:NAME of a source to draw from, may be repeated."""
    conversation: ConversationChoice | None = None
    """The way to ask an item's questions: joined, fresh, or as the card says (the default)."""
    strategy: str = "direct"
    """The way to ask the model."""
    wording: Path | None = None
    """A TOML file of your own words around questions, and of your own strategies."""
    temperature: Annotated[float | None, Parameter(validator=Number(gte=0, lte=2))] = None
    """The sampling temperature of the server; its own by default."""
    max_tokens: Annotated[int | None, Parameter(validator=Number(gte=1))] = None
    """The most tokens of a reply of the server."""
    extra_body: str | None = None
    """A JSON object of further fields for the server."""
    timeout: Annotated[float, Parameter(validator=Number(gt=0))] = 120.0
    """Seconds that a reply may take."""
    concurrency: Annotated[int, Parameter(validator=Number(gte=1))] = 4
    """Questions asked at a time."""
    model_seed: int = 0
    """The seed of the random model."""
    limit_cost: Annotated[float | None, Parameter(validator=Number(gte=0))] = None
    """The most dollars that this run may cost; needs --price and --max-tokens. Calls in flight count at their most."""
    price: str | None = None
    """INPUT,OUTPUT or INPUT,OUTPUT,CACHED: dollars for a million tokens, for example 2.50,10."""
    picture_tokens: Annotated[int, Parameter(validator=Number(gte=0))] = 2000
    """The most tokens that a picture can be, for --limit-cost."""
    folder: Path | None = None
    """Where the run is recorded; tetrad-runs/BENCHMARK-MODEL by default. The same folder goes on with the same run."""
    private: bool = False
    """Keep it off the board."""
    url: str | None = None
    """Address of the service; $TETRAD_URL, else http://127.0.0.1:8000."""
    json: bool = False
    """Print the report as JSON."""
    fail_under: FailUnder = None
    """Exit 4 if the score is below this share, for example 0.5."""

    def submit_options(self) -> Options:
        """Return the same as options of `tetrad submit`.

        Raises:
            SubmitError: options of a server are given without a server.
        """
        if self.upstream is not None and self.base_url is None:
            raise SubmitError("--upstream is what the server of --base-url calls the model; give --base-url")
        return Options(
            benchmark=self.benchmark,
            model=self.model,
            track=self.track,
            setting=self.setting,
            size=SIZES[self.tier] if self.size is None else self.size,
            parameter=self.parameter,
            source=self.source,
            conversation=self.conversation,
            command=self.command,
            keep_alive=self.keep_alive,
            processes=self.processes,
            openai=self.base_url,
            inspect=self.inspect,
            openai_model=self.upstream,
            max_tokens=self.max_tokens,
            timeout=self.timeout,
            extra_body=self.extra_body,
            strategy=self.strategy,
            temperature=self.temperature,
            wording=self.wording,
            private=self.private,
            concurrency=self.concurrency,
            model_seed=self.model_seed,
            url=self.url,
        )


def evaluate(options: Annotated[EvalOptions, Parameter(name="*")]) -> None:
    """Evaluate a model that runs on this machine, or is reached from it, and print the report.

    It can be interrupted at any time: the same line goes on. Every reply is kept in the folder of the run, and no
    question that has one is asked, or paid for, again.
    """
    given = options.submit_options()
    spending = Spending.of(
        price=options.price,
        picture_tokens=options.picture_tokens,
        limit_cost=options.limit_cost,
        max_tokens=options.max_tokens,
    )
    folder = options.folder or RUNS / f"{options.benchmark}-{options.model}"
    with connect_with_key(options.url) as client:
        try:
            report, costs = own_run(client, given, folder, spending)
        except (RunError, ReplyError, StalledError) as error:
            raise SubmitError(
                f"{error}\nwhat is sealed stays so, and what was replied is in {folder}; the same line goes on with it"
            ) from error
        except KeyboardInterrupt:
            say_apart(f"stopped; {folder} has every reply so far, and the same line goes on with it")
            leave_at_once(INTERRUPTED)
        if options.json:
            print_json(report)
        else:
            say(client.report_text(report.submission, "markdown"))
            say_apart(*without_rank(client, client.submission(report.submission), report))
    say_apart(f"{costs_in_words(costs)}; {folder} has every reply", "name another --folder for another run")
    check_report(report, options.fail_under)
