"""What the handlers work with, made once a process."""

from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from api.http.addresses import Addresses
from api.http.limits import RateLimitMiddleware, RateLimits
from api.http.limits.recognition import is_known
from api.practice.pictures import PictureCache
from api.settings import ApiSettings
from api.submissions.events.feed import EventFeed
from api.upstream.cards import Cards
from api.upstream.gateway import Gateway
from api.upstream.generator import Generator
from api.upstream.job_notifier import Doorbell
from tetrad.server.database import make_engine
from tetrad.server.objects import ObjectStore, open_store


@dataclass(frozen=True)
class Services:
    settings: ApiSettings
    engine: sa.Engine
    store: ObjectStore
    generator: Generator
    gateway: Gateway
    cards: Cards
    doorbell: Doorbell
    pictures: PictureCache
    addresses: Addresses
    limits: RateLimitMiddleware
    feed: EventFeed

    async def close(self) -> None:
        await self.feed.close()
        await self.limits.close()
        await self.generator.close()
        self.gateway.close()
        self.doorbell.close()
        self.engine.dispose()


def make_services(settings: ApiSettings) -> Services:
    generator = Generator(settings)
    engine = make_engine(settings.database_url)
    addresses = Addresses(settings.trusted_proxies)
    return Services(
        settings=settings,
        engine=engine,
        store=open_store(settings.store_url),
        generator=generator,
        gateway=Gateway(settings),
        cards=Cards(generator.benchmarks),
        doorbell=Doorbell(settings.redis_url),
        pictures=PictureCache(settings.picture_cache_mib * 2**20),
        addresses=addresses,
        limits=RateLimitMiddleware(RateLimits(settings.redis_url), settings, addresses, partial(is_known, engine)),
        feed=EventFeed(engine),
    )
