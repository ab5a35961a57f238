"""Trust HTTPS peers by one context a process, for all of its clients."""

import ssl
from functools import lru_cache

import httpx


@lru_cache(maxsize=1)
def load_trusted() -> ssl.SSLContext:
    """Return the context that httpx would make (SSL_CERT_FILE and SSL_CERT_DIR count).

    Reading all certificates takes about 30 ms, more than everything else about a client.
    """
    return httpx.create_ssl_context()
