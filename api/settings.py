"""The api's settings: variables TETRAD_API_*."""

from typing import Annotated, Literal

import msgspec

from tetrad.serving.settings import Settings

PREFIX = "TETRAD_API"

Token = Annotated[str, msgspec.Meta(min_length=32)]


class ApiSettings(Settings, frozen=True, kw_only=True):
    """What the api needs: no seed secret, no keys token, no provider key.

    Without `redis_url` nothing is rung and the sweeper of the scoring worker finds what is due. Without
    `gateway_url` there are no service models. `scoring_role` is scoring's own user of a Postgres: the api, which owns
    the tables, gives it the rights it needs. `public_url` is put before every link; empty, links are relative.
    """

    database_url: str
    store_url: str
    generator_url: str
    generator_practice_token: Token
    generator_sealed_token: Token
    redis_url: str = ""
    gateway_url: str = ""
    gateway_token: str = ""
    scoring_role: Annotated[str, msgspec.Meta(pattern=r"^([a-z_][a-z0-9_]{0,62})?$")] = ""
    registration: Literal["open", "closed"] = "open"
    public_url: str = ""
    picture_cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = 64
    log_level: str = "INFO"
