"""The objects that a worker works with: database, object store, generator, perhaps a judge, and its time limits."""

import msgspec
import sqlalchemy as sa

from scoring_service.generator import AT_ONCE, Generator
from scoring_service.jobs.job_records import JobRecords
from scoring_service.jobs.slices import Slices, SliceStore, WorkInHand
from scoring_service.jobs.turns import Turns
from scoring_service.judge import GatewayJudge, open_judge
from scoring_service.settings import ScoringSettings
from tetrad.server.database import make_engine
from tetrad.server.objects import ObjectStore, open_store
from tetrad.server.shortages import DiskWatch, disks_of

CONNECTIONS = AT_ONCE + 6  # each fetch of keys reads its answers; two fetch ahead; then there are lease and sweeper


class WorkerContext(msgspec.Struct, frozen=True, kw_only=True):
    """Opened once a process and shared by its threads."""

    engine: sa.Engine
    store: ObjectStore
    generator: Generator
    judge: GatewayJudge | None
    slices: Slices
    turns: Turns
    disks: DiskWatch
    settings: ScoringSettings
    records: JobRecords

    @property
    def lease_ms(self) -> int:
        return int(self.settings.lease_seconds * 1000)

    def close(self) -> None:
        self.slices.in_hand.close()
        self.generator.close()
        if self.judge is not None:
            self.judge.close()
        self.engine.dispose()


def open_context(settings: ScoringSettings) -> WorkerContext:
    """Open everything. Connections are made at first use."""
    engine = make_engine(settings.database_url, CONNECTIONS)
    kept = SliceStore(engine, settings.generator_keys_token)
    turns = Turns(engine, int(settings.lease_seconds * 1000), settings.most_attempts)
    return WorkerContext(
        engine=engine,
        store=open_store(settings.store_url),
        generator=Generator(settings.generator_url, settings.generator_keys_token, settings.generator_timeout_seconds),
        judge=open_judge(settings),
        slices=Slices(kept, WorkInHand(), settings.slice_seconds, turns.has_new),
        turns=turns,
        disks=DiskWatch(disks_of(settings.database_url, settings.store_url), settings.least_free_mib),
        settings=settings,
        records=JobRecords(),
    )
