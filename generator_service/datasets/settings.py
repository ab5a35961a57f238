"""The settings of bulk workers: variables TETRAD_BULK_*. None of them is a secret of the generator's."""

from typing import Annotated

import msgspec

from tetrad.internal.jobs import RETENTION_DAYS
from tetrad.server.settings import Settings

PREFIX = "TETRAD_BULK"


class ShardSettings(Settings, frozen=True, kw_only=True):
    """The settings of a process that makes shards: what it draws from, and nothing secret.

    `sources_url` names the stores of sources, `sources_cache` a folder for packs of a bucket, and `benchmark_folders`
    further folders of benchmarks, all as the generator's settings do.
    """

    sources_url: str
    sources_cache: str = ""
    benchmark_folders: str = ""


class BulkSettings(ShardSettings, frozen=True, kw_only=True):
    """The settings of a worker of RQ that makes shards.

    `database_url` is the api's database, under a user that may touch the tables of data sets alone; `redis_url` a user
    and a number of their own; `store_url` the place of shards. A shard is written to `work_folder` first.

    A shard of a killed worker is made by another after `lease_seconds`. While nothing is queued, a worker looks for
    what Redis lost every `sweep_seconds`; without work for `idle_exit_seconds` it ends, 0 is never. A shard that failed
    `most_attempts` times is given up. With less than `least_free_mib` on the disk of the store or the folder, data sets
    pause. Shards of data sets that nobody holds an order of are removed after `retention_days`. `heartbeat_file` is
    touched as long as the worker lives, for a liveness probe. At `metrics_address`, HOST:PORT, this process shows its
    numbers to whoever has the `metrics_token`; empty, nowhere.
    """

    database_url: str
    redis_url: str
    store_url: str
    work_folder: str = "/tmp"  # noqa: S108 -- a container's own
    lease_seconds: Annotated[float, msgspec.Meta(ge=1, le=600)] = 30.0
    sweep_seconds: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 15
    idle_exit_seconds: Annotated[int, msgspec.Meta(ge=0, le=86_400)] = 0
    most_attempts: Annotated[int, msgspec.Meta(ge=1, le=100)] = 5
    least_free_mib: Annotated[int, msgspec.Meta(ge=0, le=2**30)] = 1024
    retention_days: Annotated[float, msgspec.Meta(ge=0, le=3650)] = RETENTION_DAYS
    database_connections: Annotated[int, msgspec.Meta(ge=1, le=100)] = 3
    heartbeat_file: str = ""
    metrics_token: Annotated[str, msgspec.Meta(pattern=r"^$|^.{16,}$")] = ""
    metrics_address: Annotated[str, msgspec.Meta(pattern=r"^$|^[^:]*:\d{1,5}$")] = ""
    log_level: str = "INFO"
