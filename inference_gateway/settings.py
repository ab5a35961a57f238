"""The gateway's settings: variables TETRAD_GATEWAY_*."""

from pathlib import Path
from typing import Annotated, get_args

import msgspec

from inference_gateway.access import LIST, ServicePurpose
from inference_gateway.day_bounds import DayBounds
from tetrad.contracts.inference import Purpose
from tetrad.money import NANODOLLARS_A_DOLLAR
from tetrad.server.settings import Settings, SettingsError

PREFIX = "TETRAD_GATEWAY"
SHIPPED_MODELS = Path(__file__).with_name("models.toml")
LEAST_TOKEN = 16
LEAST_SECRET = 32
Dollars = Annotated[float, msgspec.Meta(ge=0, le=1_000_000)]
Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class GatewaySettings(Settings, frozen=True, kw_only=True):
    """The settings of the gateway. Only the gateway holds the providers' keys; the registry names their places.

    `tokens`: those of our own services, joined by commas, each as TOKEN or PURPOSE:TOKEN (practice, sealed, judge);
    a TOKEN alone is for sealed. `list:TOKEN` is the api's: it lists models, also those of a team, and opens nothing
    else. A service may have several while they are changed.

    `token_secrets`: the secrets with which the evaluations worker and operators sign tokens of teams, joined by commas;
    empty for no such tokens.
    `api_url` and `ledger_token`: where the list of revoked tokens is, and where settlements are kept for good.
    `revocation_seconds`: how often the list is asked for; `revocation_grace_seconds`: how long signed tokens pass while
    the api is away.

    `redis_url`: where replicas share limits and budgets. Without it, or without the api, models that cost money are
    refused, and others have local limits. `alone`: no other process of the gateway uses this Redis. After a restart of
    Redis nobody else's calls in flight are then waited for.

    `models_file`: the registry (TOML); empty for the shipped one. It is read again when it or a secret's file changes,
    checked every `reload_seconds`. `body_limit_mib`: the largest request. `picture_pixels`: the largest picture of a
    message, checked in its header before it is decoded.

    `attempts`: calls of an upstream for one request, the first included; `wait_seconds`: for all its waits, for a turn
    and between attempts. `drain_seconds`: a reply whose caller left is read for so long, to learn its usage.

    `day_budget`: US dollars that all calls of a day (UTC) may cost together; 0 refuses whatever costs money.
    `purpose_budgets`: less for the calls of one purpose, joined by commas, each as PURPOSE:DOLLARS. Both are counted
    beside the budgets of tokens and teams, which the api tells: whoever takes the api can't raise them. `days_folder`:
    a folder on this machine's disk for what each process's calls of a day cost, in case Redis loses its sums. With an
    empty one, it is in the memory of processes, and lost if all of them die together with Redis.

    `metrics_token`: opens `GET /metrics`; empty, there are no metrics. `picture_mib`: of all pictures in flight
    together, decoded.

    `cache_teams`: the teams whose equal requests get equal replies, joined by commas, `*` for all; empty for none.
    `cache_seconds`, `cache_mib`: how long replies are kept, and how much of them.
    """

    tokens: str
    token_secrets: str = ""
    api_url: str = ""
    ledger_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{32,}$")] = ""
    redis_url: str = ""
    alone: bool = False
    revocation_seconds: Seconds = 5.0
    revocation_grace_seconds: Seconds = 600.0
    models_file: str = ""
    reload_seconds: Seconds = 2.0
    log_level: str = "INFO"
    body_limit_mib: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 64
    picture_pixels: Annotated[int, msgspec.Meta(ge=1)] = 4096 * 4096
    attempts: Annotated[int, msgspec.Meta(ge=1, le=10)] = 4
    wait_seconds: Annotated[float, msgspec.Meta(ge=0, le=600)] = 60.0
    drain_seconds: Seconds = 120.0
    day_budget: Dollars = 100.0
    purpose_budgets: str = ""
    days_folder: str = ""
    metrics_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{16,}$")] = ""
    picture_mib: Annotated[int, msgspec.Meta(ge=1, le=1_048_576)] = 512
    cache_teams: str = ""
    cache_seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 3600.0
    cache_mib: Annotated[int, msgspec.Meta(ge=1, le=65_536)] = 64

    def accepted_tokens(self) -> dict[str, ServicePurpose]:
        """Return the services' tokens, each with the purpose of its calls, or `list` for none.

        Raises:
            SettingsError: there is none, or one is too short to be a secret.
        """
        found: dict[str, ServicePurpose] = {}
        for part in self.tokens.split(","):
            purpose, separator, token = part.strip().partition(":")
            if not separator or purpose not in {*get_args(Purpose), LIST}:
                purpose, token = "sealed", part.strip()
            if len(token) < LEAST_TOKEN:
                raise SettingsError(f"{PREFIX}_TOKENS: each token needs {LEAST_TOKEN} characters or more")
            found[token] = msgspec.convert(purpose, ServicePurpose)
        return found

    def day_bounds(self) -> DayBounds:
        """Return what calls may cost in a day. Raises: SettingsError: a part of `purpose_budgets` is no such bound."""
        purposes: dict[Purpose, int] = {}
        for part in self.purpose_budgets.split(",") if self.purpose_budgets else []:
            purpose, _, dollars = part.strip().partition(":")
            try:
                amount = msgspec.convert(dollars, Dollars, strict=False)
                purposes[msgspec.convert(purpose, Purpose)] = round(amount * NANODOLLARS_A_DOLLAR)
            except msgspec.ValidationError as error:
                wanted = f"PURPOSE:DOLLARS with one of {', '.join(get_args(Purpose))}"
                raise SettingsError(f"{PREFIX}_PURPOSE_BUDGETS: {part!r} is not {wanted}") from error
        return DayBounds(instance=round(self.day_budget * NANODOLLARS_A_DOLLAR), purposes=purposes)

    def check_secrets(self) -> None:
        """Check that secrets are long enough, and that the api's address is set. Raises: SettingsError: otherwise."""
        secrets = [part.strip() for part in self.token_secrets.split(",")] if self.token_secrets else []
        if any(len(secret) < LEAST_SECRET for secret in secrets):
            raise SettingsError(f"{PREFIX}_TOKEN_SECRETS: each secret needs {LEAST_SECRET} characters or more")
        if secrets and not (self.api_url and self.ledger_token):
            needed = f"{PREFIX}_API_URL and {PREFIX}_LEDGER_TOKEN"
            raise SettingsError(
                f"{PREFIX}_TOKEN_SECRETS needs {needed}, because the api lists the revoked tokens; set both"
            )

    def registry_file(self) -> Path:
        return Path(self.models_file) if self.models_file else SHIPPED_MODELS
