"""The objects that the domain works with, made once a process. Nothing here knows HTTP: a worker makes one, too."""

from dataclasses import dataclass

import sqlalchemy as sa

from api.boards.finished_boards import FinishedBoards
from api.settings import ApiSettings
from api.upstream.cards import Cards
from api.upstream.gateway import Gateway
from api.upstream.generator import Generator
from api.upstream.job_notifier import JobNotifier
from tetrad.server.database import make_engine
from tetrad.server.objects import ObjectStore, open_store
from tetrad.server.shortages import DiskWatch, LockWatch, disks_of


@dataclass(frozen=True)
class AppContext:
    """`shards` is the store of data sets; None where this instance has none.

    `signed_shards` is the same store at the address where readers reach it; None where shards are streamed from here.
    """

    settings: ApiSettings
    engine: sa.Engine
    store: ObjectStore
    generator: Generator
    gateway: Gateway
    cards: Cards
    boards: FinishedBoards
    notifier: JobNotifier
    shards: ObjectStore | None
    signed_shards: ObjectStore | None
    disks: DiskWatch
    lock: LockWatch

    async def close(self) -> None:
        await self.generator.close()
        self.gateway.close()
        self.notifier.close()
        self.engine.dispose()


def make_context(settings: ApiSettings) -> AppContext:
    generator = Generator(settings)
    engine = make_engine(settings.database_url, settings.database_connections)
    return AppContext(
        settings=settings,
        engine=engine,
        store=open_store(settings.store_url),
        generator=generator,
        gateway=Gateway(settings),
        cards=Cards(generator.benchmarks),
        boards=FinishedBoards(engine),
        notifier=JobNotifier(settings.redis_url, settings.bulk_redis_url),
        shards=open_store(settings.datasets_store_url) if settings.datasets_store_url else None,
        signed_shards=_open_signed(settings),
        disks=DiskWatch(disks_of(settings.database_url, settings.store_url), settings.least_free_mib),
        lock=LockWatch(engine),
    )


def _open_signed(settings: ApiSettings) -> ObjectStore | None:
    if not (settings.datasets_store_url and settings.datasets_endpoint):
        return None
    return open_store(settings.datasets_store_url, settings.datasets_endpoint)
