"""`tetrad admin baselines`: run the baselines on every benchmark and setting."""

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.operator.connecting import operate
from tetrad.cli.output import print_json, say
from tetrad.contracts.evaluations import BaselinesRequest
from tetrad.contracts.submissions import DEFAULT_SIZE


def baselines(
    *,
    model: Annotated[list[str] | None, Parameter(negative="")] = None,
    benchmark: Annotated[list[str] | None, Parameter(negative="")] = None,
    size: Annotated[int, Parameter(validator=Number(gte=1, lte=100_000))] = DEFAULT_SIZE,
    reason: str = "",
    url: str | None = None,
    json: bool = False,
) -> None:
    """Start the baselines. Boards list them without a rank.

    Args:
        model: a model of the gateway; may be repeated. All chat models that run in the gateway itself by default.
        benchmark: may be repeated; all by default.
        size: items of each draw.
        reason: for the audit log.
        url: address of the service.
        json: print JSON.
    """
    with operate(url) as client:
        request = BaselinesRequest(models=model or [], benchmarks=benchmark or [], size=size, reason=reason)
        started = client.start_baselines(request)
    if json:
        print_json(started)
        return
    say(f"{len(started.evaluations)} evaluations are started; boards list their rows once they are scored.")
    for place, why in started.left_out.items():
        say(f"left out {place}: {why}")
