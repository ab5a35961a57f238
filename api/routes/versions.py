"""The versions of this service, and the client of its own version."""

from typing import Any

from litestar import Request, get
from litestar.di import NamedDependency
from litestar.exceptions import NotFoundException
from litestar.openapi.datastructures import ResponseSpec
from litestar.response.base import ASGIResponse

from api.client_wheel import FOLDER, client_wheel
from api.context import AppContext
from api.http.documents import problems
from api.http.path_ids import WheelName
from api.http.pictures import is_known_to
from tetrad import __version__
from tetrad.contracts.versions import ServiceVersions
from tetrad.extraction import EXTRACTOR_VERSION
from tetrad.versions import API_VERSION, LOG_VERSION, PROTOCOL_VERSION, SCORER_VERSION

WHEEL = ResponseSpec(bytes, description="The wheel", media_type="application/zip", generate_examples=False)


@get(
    "/versions",
    operation_id="getVersions",
    summary="The versions of this service, and the client to install",
    responses=problems(502, 503),
    sync_to_thread=True,
)
def versions(context: NamedDependency[AppContext]) -> ServiceVersions:
    """Name the versions of all that a result depends on, and where the client of this version is."""
    served: dict[str, list[int]] = {}
    for info in context.cards.all():
        served.setdefault(info.card.name, []).append(info.card.version)
    return ServiceVersions(
        package=__version__,
        api=API_VERSION,
        protocol=PROTOCOL_VERSION,
        log=LOG_VERSION,
        extractor=EXTRACTOR_VERSION,
        scorer=SCORER_VERSION,
        benchmarks={name: sorted(numbers) for name, numbers in sorted(served.items())},
        client=client_wheel().locate(context.settings),
    )


@get(
    f"{FOLDER}/{{name:str}}",
    operation_id="getClient",
    summary="The wheel of the client",
    responses={200: WHEEL, **problems(404)},
    sync_to_thread=False,
)
def client(request: Request[Any, Any, Any], name: WheelName) -> ASGIResponse:
    """Give the wheel that `GET /v1/versions` names; pip checks its SHA-256."""
    wheel = client_wheel()
    if name != wheel.name:
        raise NotFoundException(f"there is no {name}; GET /v1/versions names the wheel of this service")
    headers = {"ETag": f'"{wheel.sha256}"', "Cache-Control": "public, no-cache"}  # a clone may change within a commit
    if is_known_to(request.headers.get("if-none-match"), headers["ETag"]):
        return ASGIResponse(status_code=304, headers=headers)
    return ASGIResponse(body=wheel.body, media_type="application/zip", headers=headers)


HANDLERS = [versions]
FILES = [client]
