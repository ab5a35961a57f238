"""The objects that a bulk worker works with: database, store, queue, sources, disks."""

from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from redis import Redis
from rq import Queue

from generator_service.datasets.jobs import open_queue
from generator_service.datasets.life_signs import LifeSigns
from generator_service.datasets.settings import BulkSettings
from generator_service.datasets.shards import open_practice
from generator_service.practice import Practice
from tetrad.server.database import make_engine
from tetrad.server.objects import ObjectStore, open_store
from tetrad.server.shortages import Disk, DiskWatch, disks_of


@dataclass(frozen=True)
class BulkContext:
    """Opened once a process. Sources are opened before a worker forks, and shared by its children."""

    settings: BulkSettings
    engine: sa.Engine
    store: ObjectStore
    redis: "Redis[bytes]"
    queue: Queue
    practice: Practice
    disks: DiskWatch
    signs: LifeSigns

    @property
    def lease_ms(self) -> int:
        return int(self.settings.lease_seconds * 1000)


def open_context(settings: BulkSettings) -> BulkContext:
    """Open everything. Connections are made at first use."""
    redis = Redis.from_url(settings.redis_url)
    places = [Disk("work", Path(settings.work_folder)), *disks_of("sqlite://", settings.store_url)]
    return BulkContext(
        settings=settings,
        engine=make_engine(settings.database_url, settings.database_connections),
        store=open_store(settings.store_url),
        redis=redis,
        queue=open_queue(redis),
        practice=open_practice(settings),
        disks=DiskWatch(places, settings.least_free_mib),
        signs=LifeSigns(settings.heartbeat_file),
    )
