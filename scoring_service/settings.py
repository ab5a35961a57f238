"""Scoring's settings: variables TETRAD_SCORING_*."""

from typing import Annotated

import msgspec

from tetrad.server.settings import Settings, SettingsError

PREFIX = "TETRAD_SCORING"

Seconds = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class ScoringSettings(Settings, frozen=True, kw_only=True):
    """The settings of scoring. `generator_keys_token` opens the answer keys; only this service has it.

    A job works for `slice_seconds` and keeps its results, then other jobs have their turns. The work of a killed worker
    is taken over within `lease_seconds` plus `sweep_seconds`. `heartbeat_file` is touched after every sweep, for a
    liveness probe. A verification that has ended is kept for `verification_days`. Answers of a scored submission go
    from the database to the object store after `answer_rows_days`. With less than `least_free_mib` on a disk of the
    database or the store, the log says so. `judge_model` names a model of the gateway that gives a second opinion on
    captions; without it none is asked, and the gateway's address and token are not needed. At `metrics_address`,
    HOST:PORT, this process shows its numbers to whoever has the `metrics_token`; empty, nowhere.
    """

    database_url: str
    redis_url: str
    store_url: str
    generator_url: str
    generator_keys_token: Annotated[str, msgspec.Meta(min_length=32)]
    generator_timeout_seconds: Seconds = 300.0
    judge_model: str = ""
    gateway_url: str = ""
    gateway_token: str = ""
    gateway_timeout_seconds: Seconds = 120.0
    sweep_seconds: Seconds = 10.0
    lease_seconds: Seconds = 20.0
    slice_seconds: Annotated[float, msgspec.Meta(gt=0, le=60)] = 1.0
    postpone_seconds: Seconds = 5.0
    most_attempts: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5
    least_free_mib: Annotated[int, msgspec.Meta(ge=0, le=2**30)] = 64
    verification_days: Annotated[float, msgspec.Meta(gt=0, le=3650)] = 30.0
    answer_rows_days: Annotated[float, msgspec.Meta(ge=0, le=36500)] = 30.0
    heartbeat_file: str = ""
    metrics_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{16,}$")] = ""
    metrics_address: Annotated[str, msgspec.Meta(pattern=r"^$|^[^:]*:\d{1,5}$")] = ""
    log_level: str = "INFO"

    def __post_init__(self) -> None:
        """Check that a judge has its gateway. Raises: SettingsError: an address or a token is missing."""
        if self.judge_model and not (self.gateway_url and self.gateway_token):
            raise SettingsError(f"{PREFIX}_JUDGE_MODEL needs {PREFIX}_GATEWAY_URL and {PREFIX}_GATEWAY_TOKEN; set both")
