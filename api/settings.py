"""The api's settings: variables TETRAD_API_*."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec

from tetrad.server.settings import Settings, SettingsError

PREFIX = "TETRAD_API"

Token = Annotated[str, msgspec.Meta(min_length=32)]
Quota = Annotated[int, msgspec.Meta(ge=0, le=100_000_000)]
DayQuota = Annotated[int, msgspec.Meta(ge=0, le=10**12)]
OPERATOR = r"([a-z0-9._-]{1,64}(:view)?=)?[A-Za-z0-9_-]{32,}"
OperatorTokens = Annotated[str, msgspec.Meta(pattern=rf"^$|^{OPERATOR}(,{OPERATOR})*$")]
Line = Annotated[str, msgspec.Meta(max_length=200)]
DOMAIN = r"[a-z0-9-]+(\.[a-z0-9-]+)+"
PostgresRole = Annotated[str, msgspec.Meta(pattern=r"^([a-z_][a-z0-9_]{0,62})?$")]
Cap = Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)]


class ApiSettings(Settings, frozen=True, kw_only=True):
    """The settings of the api: no seed secret, no keys token, no provider key.

    `practice_url` is the generator whose processes make practice items; empty, it is the one of `generator_url`.
    Without `redis_url` scoring is not notified, and its sweeper finds what is due. Without `gateway_url` there are no
    service models. With `ledger_token` the gateway keeps what calls cost in this database, and asks which of its tokens
    are revoked. `gateway_token` only lists the gateway's models (there it is `list:TOKEN`). `gateway_public_url` is
    where a token's holder finds the gateway. `scoring_role` is scoring's own user of a Postgres: the api, which owns
    the tables, gives it the rights it needs. `public_url` is put before every link;
    empty, links are relative, and what needs a whole address takes `loopback_url`. `operator_token` opens /v1/admin:
    one TOKEN, NAME=TOKEN or, to view and change nothing, NAME:view=TOKEN for each operator, joined by commas; empty,
    nobody may. With
    `registration` approval, a new team waits for an operator before it can submit. The caps are the defaults of teams
    that have none of their own. With invite a team needs a code (`tetrad admin
    invites`); with email, a contact that is an address of one of `registration_domains`, joined by commas. The caps in
    all bound what all teams do together within 24 hours, so that many new ones can't take everything: `reserve_percent`
    of them is kept for established teams, which an operator approved, or which are `established_days` old and have been
    scored. Teams that are not are bounded by address, too. No verification is taken from whoever has no key while
    `verifications_queue` of them, or twice as many submissions, wait; with a key the limit is ten times as high.
    Claimed reports take `verifications_kept_mib` in all. With less than `least_free_mib` on a disk of the database or
    the store, the api is not ready, and says why.

    Bulk workers make data sets. They have a user of their own of a Postgres, `bulk_role`, and a number of their own at
    Redis, `bulk_redis_url`; shards lie in `datasets_store_url`. Without the latter, data sets are recipes alone. Shards
    are streamed from there, or, with a `datasets_endpoint`, the address at which readers reach that object store, they
    are sent to a signed address of it. The orders of a team take up to `datasets_quota_gib`; 0 is no bound.

    The settings with `requests` are requests a minute, counted in Redis; 0 is no limit, and without Redis there is
    none. Those with `items` bound practice in the same way, of a key also in any day: an item or a picture counts as
    many items of KiVA as it costs to make (`cost` and `picture_cost` of its track). `practice_in_progress` bounds what
    a caller has in progress at once at a process of the api. A bulk call (rows, verdicts, environments) is 429 where
    those before it at that process would take longer than `bulk_wait_seconds`.
    `sign_ins_per_minute` bounds attempts to sign in on the pages, of an address and of an API key.
    `operator_name`, `operator_contact` (a mail address or a page) and `operator_privacy` (paragraphs, with | between
    them) stand on the page that says who runs this; `notice` stands on the page of the state.
    `metrics_token` opens `GET /metrics`; empty, there are no metrics.
    `database_connections` is the most that each process of the api opens to a Postgres; it is refused at the start
    where the database lets in fewer. `key_event_streams` is the most streams of events that an API key may have open at
    a process of the api. A generator that has not answered for `generator_timeout_seconds` is away, and the request's
    thread free again. `trusted_proxies` are the networks, joined by commas, whose X-Forwarded-For is believed.

    The `evaluation` settings are those of evaluations: a team has up to `evaluations_cap` that have not ended; 0 means
    that nobody starts any. One of models that cost money has a budget of `evaluation_budget` US dollars where its
    request names none, and is refused where it needs more. A worker has `evaluation_runs` under way at a
    time, each for `evaluation_slice_seconds` while others wait. A run has up to `evaluation_concurrency` questions in
    flight. The runs of a killed worker are taken over after `evaluation_lease_seconds`. The worker touches
    `evaluation_heartbeat_file`.
    """

    database_url: str
    store_url: str
    generator_url: str
    practice_url: str = ""
    generator_practice_token: Token
    generator_sealed_token: Token
    redis_url: str = ""
    gateway_url: str = ""
    gateway_token: str = ""
    gateway_public_url: str = ""
    ledger_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{32,}$")] = ""
    scoring_role: PostgresRole = ""
    operator_token: OperatorTokens = ""
    registration: Literal["open", "approval", "invite", "email", "closed"] = "open"
    registration_domains: Annotated[str, msgspec.Meta(pattern=rf"^$|^{DOMAIN}(,{DOMAIN})*$")] = ""
    open_submissions_cap: Cap = 100
    items_a_day_cap: Cap = 200_000
    models_cap: Cap = 200
    items_a_day_in_all: Cap = 1_000_000
    items_a_day_an_address: Cap = 200_000
    open_submissions_in_all: Cap = 10_000
    teams_a_day_in_all: Cap = 1_000
    teams_a_day_an_address: Cap = 100
    reserve_percent: Annotated[int, msgspec.Meta(ge=0, le=100)] = 50
    established_days: Annotated[float, msgspec.Meta(ge=0, le=3650)] = 7.0
    verifications_queue: Cap = 50
    verifications_kept_mib: Annotated[int, msgspec.Meta(ge=1, le=2**20)] = 2048
    least_free_mib: Annotated[int, msgspec.Meta(ge=0, le=2**30)] = 64
    bulk_role: PostgresRole = ""
    bulk_redis_url: str = ""
    datasets_store_url: str = ""
    datasets_endpoint: str = ""
    datasets_quota_gib: Annotated[int, msgspec.Meta(ge=0, le=2**20)] = 200
    public_url: str = ""
    loopback_url: str = "http://127.0.0.1:8000"
    picture_cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65536)] = 64
    key_requests_per_minute: Quota = 30_000  # 1,000 trials with all their pictures are some 10,000 requests
    anonymous_requests_per_minute: Quota = 3_000
    key_items_per_minute: Quota = 1_000_000
    key_items_per_day: DayQuota = 500_000_000  # some four core hours
    anonymous_items_per_minute: Quota = 200_000  # a tenth of a core: 2,500 pictures of KiVA, or 5,800 items of MARVEL
    practice_in_progress: Quota = 50_000
    bulk_wait_seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 30.0
    sign_ins_per_minute: Quota = 30
    key_event_streams: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 100
    generator_timeout_seconds: Annotated[float, msgspec.Meta(ge=1, le=600)] = 30.0
    trusted_proxies: str = ""
    evaluations_cap: Cap = 10
    evaluation_budget: Annotated[float, msgspec.Meta(ge=0, le=1_000_000)] = 10.0
    evaluation_runs: Annotated[int, msgspec.Meta(ge=1, le=100)] = 4
    evaluation_concurrency: Annotated[int, msgspec.Meta(ge=1, le=64)] = 32
    evaluation_lease_seconds: Annotated[float, msgspec.Meta(ge=1, le=600)] = 10.0
    evaluation_slice_seconds: Annotated[float, msgspec.Meta(gt=0, le=3600)] = 60.0
    evaluation_heartbeat_file: str = ""
    operator_name: Line = ""
    operator_contact: Line = ""
    operator_privacy: Annotated[str, msgspec.Meta(max_length=4000)] = ""
    notice: Annotated[str, msgspec.Meta(max_length=500)] = ""
    metrics_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{16,}$")] = ""
    database_connections: Annotated[int, msgspec.Meta(ge=1, le=1000)] = 20
    log_level: str = "INFO"

    @property
    def address(self) -> str:
        """The address of this service, for what others type or install. A request's Host never names it."""
        return (self.public_url or self.loopback_url).rstrip("/")

    @property
    def root(self) -> str:
        """The path below which the service is: a page and its pictures come from the host that it was asked at."""
        return urlsplit(self.public_url).path.rstrip("/")

    def __post_init__(self) -> None:
        """Check that registration by e-mail has domains. Raises: SettingsError: it has none."""
        if self.registration == "email" and not self.registration_domains:
            raise SettingsError(f"{PREFIX}_REGISTRATION=email needs {PREFIX}_REGISTRATION_DOMAINS beside it")


class EvaluationSettings(ApiSettings, frozen=True, kw_only=True):
    """The settings of the evaluations worker: those of the api, and the secrets that the public api does not hold.

    `gateway_token_secrets`, joined by commas: the first one signs the tokens of runs, and the gateway knows all.
    At `metrics_address`, HOST:PORT, this process shows its numbers to whoever has the `metrics_token`; empty, nowhere.
    """

    gateway_token_secrets: Annotated[str, msgspec.Meta(pattern=r"^$|^[^,]{32,}(,[^,]{32,})*$")] = ""
    metrics_address: Annotated[str, msgspec.Meta(pattern=r"^$|^[^:]*:\d{1,5}$")] = ""
