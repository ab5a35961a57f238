"""The parts of the OpenAPI document that routes name: API keys and their scopes, problems, pictures."""

from http import HTTPStatus

from litestar.openapi.datastructures import ResponseSpec
from litestar.openapi.spec import SecurityRequirement

from tetrad.contracts.accounts import Scope
from tetrad.contracts.problems import Problem
from tetrad.server.problems import MEDIA_TYPE

OPEN: list[SecurityRequirement] = [{}, {"key": []}]
"""A key changes what is shown, and is not needed."""

OPERATOR_TOKEN: list[SecurityRequirement] = [{"operator": []}]


def key(scope: Scope) -> list[SecurityRequirement]:
    """Return the requirement of an API key of this scope: OpenAPI 3.1 has roles beside any scheme (4.8.30)."""
    return [{"key": [scope]}]


def problems(*statuses: int) -> dict[int, ResponseSpec]:
    """Return the responses for these statuses, each a problem document."""
    return {
        status: ResponseSpec(
            Problem, description=HTTPStatus(status).phrase, media_type=MEDIA_TYPE, generate_examples=False
        )
        for status in statuses
    }


def tar(description: str) -> dict[int, ResponseSpec]:
    """Return the response of an archive. `api.http.description` adds its other forms."""
    return {200: ResponseSpec(bytes, description=description, media_type="application/x-tar", generate_examples=False)}


def png() -> dict[int, ResponseSpec]:
    return {200: ResponseSpec(bytes, description="The picture", media_type="image/png", generate_examples=False)}
