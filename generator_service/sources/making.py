"""Keep why a source of our own could not be made while the service is up, for the cards of benchmarks that wait for it.

It stands alone so that what serves knows nothing of how sources are made.
"""

from generator_service.sources.store import SourceStore

_PLACE = "drawing"


def note_failure(store: SourceStore, kind: str, why: str) -> None:
    """Keep why a source of this kind could not be made; "" once it can be."""
    if why:
        store.objects.put(f"{_PLACE}/{kind}", why.encode())
    else:
        store.objects.delete(f"{_PLACE}/{kind}")


def failure(store: SourceStore, kind: str) -> str | None:
    """Return why the last try to make a source of this kind failed, None where it did not."""
    body = store.objects.get(f"{_PLACE}/{kind}")
    return None if body is None else body.decode()
