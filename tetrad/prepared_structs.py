"""Prepares the types that msgspec decodes, before threads do.

msgspec (0.22) works out what a `Struct` holds when one is first decoded, and shows it to other threads before it is
complete: a thread that decodes the same type meanwhile reads an address of zero, and the process dies (SIGSEGV). A
process that decodes in threads calls `prepare_structs` first, once all its modules are there.
"""

import threading
from collections.abc import Iterator
from contextlib import suppress

import msgspec

_guard = threading.Lock()
_prepared: set[type[msgspec.Struct]] = set()


def prepare_structs() -> None:
    """Work out what every `Struct` of the imported modules holds: 20 ms for 400 types, and nothing a second time."""
    with _guard:
        for struct in set(_subclasses_of(msgspec.Struct)) - _prepared:
            with suppress(NameError, TypeError):  # of somebody else's: who decodes it is told
                msgspec.json.Decoder(struct)
            _prepared.add(struct)


def _subclasses_of(struct: type[msgspec.Struct]) -> Iterator[type[msgspec.Struct]]:
    for subclass in struct.__subclasses__():
        yield subclass
        yield from _subclasses_of(subclass)
