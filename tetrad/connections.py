"""How many connections an HTTP client of ours opens to a server, and keeps until they are idle for 5 s: equally many.

httpx keeps 20 of 100 by default. The pool below it (httpcore 1.0.9) counts the busy ones among those 20, so from the
21st on it closes each connection that falls idle, at times one that it has just given to another thread: that thread's
request fails with "Bad file descriptor", or waits until it times out (httpcore's issue 1110). With equal numbers that
can happen only in the moment in which a connection has been idle for 5 s.
"""

import httpx

LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100)
