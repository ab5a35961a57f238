"""The objects that only a process that serves HTTP keeps: caches, counts, listeners."""

from dataclasses import dataclass

from api.context import AppContext
from api.http.addresses import Addresses
from api.http.limits import RateLimitMiddleware
from api.http.pictures import PictureCache
from api.http.practice_room import PracticeRoom
from api.submissions.asking import ShownPictures
from api.submissions.events import EventFeed, OpenStreams


@dataclass(frozen=True)
class HttpState:
    addresses: Addresses
    limits: RateLimitMiddleware
    practice: PracticeRoom
    pictures: PictureCache
    shown: ShownPictures
    feed: EventFeed
    streams: OpenStreams

    async def close(self) -> None:
        await self.feed.close()
        await self.limits.close()


def make_http_state(context: AppContext) -> HttpState:
    settings = context.settings
    addresses = Addresses(settings.trusted_proxies)
    limits = RateLimitMiddleware(settings, addresses, context.engine)
    return HttpState(
        addresses=addresses,
        limits=limits,
        practice=PracticeRoom(settings, limits),
        pictures=PictureCache(settings.picture_cache_mib * 2**20),
        shown=ShownPictures(context.engine),
        feed=EventFeed(context.engine),
        streams=OpenStreams(settings.key_event_streams),
    )
