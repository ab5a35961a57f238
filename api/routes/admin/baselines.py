"""Operators and baselines: one request runs them at every track and setting of the benchmarks it names."""

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.params import JSONBody

from api.context import AppContext
from api.evaluations.baselines import start_baselines
from api.http.documents import problems
from api.operator.access import Operator
from tetrad.contracts.evaluations import BaselinesRequest, BaselinesStarted


@post(
    "/baselines",
    status_code=202,
    operation_id="adminStartBaselines",
    summary="Run baselines at every track and setting of the benchmarks named: listed, never ranked",
    responses=problems(400, 404, 422, 503),
    sync_to_thread=True,
)
def baselines(
    context: NamedDependency[AppContext], operator: NamedDependency[Operator], data: JSONBody[BaselinesRequest]
) -> Response[BaselinesStarted]:
    """Start an evaluation at each place. Without models, all chat models of the provider `in-process`."""
    return Response(start_baselines(context, operator, data), status_code=202)


HANDLERS = [baselines]
