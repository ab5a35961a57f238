"""Rate limits: one bucket of tokens a caller, kept in Redis, so that replicas share it and no race passes it."""

from api.http.limits.counting import RateLimits
from api.http.limits.middleware import ITEMS, ITEMS_TOO, UNCOUNTED, RateLimitMiddleware

__all__ = ["ITEMS", "ITEMS_TOO", "UNCOUNTED", "RateLimitMiddleware", "RateLimits"]
