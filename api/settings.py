"""The api's settings: variables TETRAD_API_*."""

from typing import Annotated, Literal

import msgspec

from tetrad.serving.settings import Settings

PREFIX = "TETRAD_API"

Token = Annotated[str, msgspec.Meta(min_length=32)]
Quota = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]


class ApiSettings(Settings, frozen=True, kw_only=True):
    """What the api needs: no seed secret, no keys token, no provider key.

    Without `redis_url` nothing is rung and the sweeper of the scoring worker finds what is due. Without
    `gateway_url` there are no service models. `public_url` is put before every link; empty, links are relative.

    Requests are counted in Redis, a minute's worth at once at most; 0 is no limit, and without Redis there is none.
    `trusted_proxies` are the networks, joined by commas, whose X-Forwarded-For is believed.
    """

    database_url: str
    store_url: str
    generator_url: str
    generator_practice_token: Token
    generator_sealed_token: Token
    redis_url: str = ""
    gateway_url: str = ""
    gateway_token: str = ""
    registration: Literal["open", "closed"] = "open"
    public_url: str = ""
    picture_cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = 64
    key_requests_per_minute: Quota = 30_000  # 1,000 trials with all their pictures are some 10,000 requests
    anonymous_requests_per_minute: Quota = 3_000
    anonymous_items_per_minute: Quota = 1_200  # making and drawing practice items, for whoever has no key
    trusted_proxies: str = ""
    log_level: str = "INFO"
