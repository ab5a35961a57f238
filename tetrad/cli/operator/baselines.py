"""`tetrad admin baselines`: run the baselines on every benchmark and setting."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption, connect
from tetrad.cli.operator.connecting import ReasonOption, operate
from tetrad.cli.output import JsonOption, print_json, say
from tetrad.contracts.evaluations import BaselinesRequest, BaselinesStarted
from tetrad.contracts.submissions import DEFAULT_SIZE


def baselines(
    *,
    model: list[str] | None = None,
    benchmark: list[str] | None = None,
    size: Annotated[int, Parameter(validator=Number(gte=1, lte=100_000))] = DEFAULT_SIZE,
    reason: ReasonOption = "",
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Start the baselines. Boards list them without a rank.

    Args:
        model: a model of the gateway; may be repeated. All chat models of the provider in-process by default.
        benchmark: may be repeated; all by default.
        size: items of each draw.
    """
    names = benchmark or _all(url)
    evaluations: list[str] = []
    left_out: dict[str, str] = {}
    with operate(url) as client:
        for name in names:  # one request each: all at once would take longer than a client waits
            started = client.start_baselines(
                BaselinesRequest(models=model or [], benchmarks=[name], size=size, reason=reason)
            )
            evaluations += started.evaluations
            left_out |= started.left_out
    if json:
        print_json(BaselinesStarted(evaluations=evaluations, left_out=left_out))
        return
    say(f"{len(evaluations)} evaluations are started; boards list their rows once they are scored.")
    for why in dict.fromkeys(left_out.values()):
        places = [place for place, reason in left_out.items() if reason == why]
        say(f"left out {', '.join(places)}: {why}")


def _all(url: str | None) -> list[str]:
    """Return the benchmarks that can be drawn afresh."""
    with connect(url) as client:
        cards = [info.card for info in client.benchmarks().benchmarks]
    return list(dict.fromkeys(card.name for card in cards if card.corpus is None))
