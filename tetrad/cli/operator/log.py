"""`tetrad admin log`: what operators did."""

from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.operator.connecting import operate
from tetrad.cli.output import print_json, table

MOST = 500


def log(
    *,
    subject: str | None = None,
    count: Annotated[int, Parameter(validator=Number(gte=1, lte=MOST))] = 50,
    url: str | None = None,
    json: bool = False,
) -> None:
    """Show what operators did, newest first: when, who, what, to which id, why.

    Args:
        subject: only acts on this id.
        count: how many.
        url: address of the service.
        json: print JSON.
    """
    with operate(url) as client:
        found = client.acts(limit=count, subject=subject)
    if json:
        print_json(found.acts)
        return
    rows = [
        [act.at, act.operator, act.act, act.subject, act.reason, msgspec.json.encode(act.details).decode()]
        for act in found.acts
    ]
    table("Acts", ["at", "operator", "act", "subject", "reason", "details"], rows)
