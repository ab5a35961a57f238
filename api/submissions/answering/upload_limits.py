"""How many answers an upload may hold, counted while it is read: 64 KiB of gzip unpack to millions of entries.

What is listed first and counted then takes gigabytes by the time it is refused.
"""

import threading
from collections.abc import Callable

import msgspec

from tetrad.server.problems import ProblemError, refuse

MOST_LINES = 100_000
MOST_BLANK_LINES = 2 * MOST_LINES  # some programs write one between any two
MOST_COMMAS = 10 * MOST_LINES  # an array with no more of them has few enough entries to be listed uncounted


class _Counting(threading.local):
    """What this thread may still count: StopIteration says that nothing is left."""

    def __init__(self) -> None:
        self.next: Callable[[], int] = iter(range(0)).__next__


class _Entry(msgspec.Struct):
    """An object of which nothing is kept."""

    def __post_init__(self) -> None:
        _counting.next()


class _Entries(msgspec.Struct, forbid_unknown_fields=True):
    answers: list[_Entry]


_counting = _Counting()
_DECODER = msgspec.json.Decoder(_Entries)


def count_entries(body: bytes) -> None:
    """Count the entries of a JSON upload up to the first that is no object or one too many.

    Replies hold any number of commas, so the array itself is walked, though only where its entries may be too many.

    Raises:
        ProblemError: 413, more than MOST_LINES.
        msgspec.DecodeError: something else is wrong before that.
    """
    if body.count(b",") > MOST_COMMAS:
        _counting.next = iter(range(MOST_LINES)).__next__
        try:
            _DECODER.decode(body)
        except StopIteration as error:
            raise too_many_answers() from error


def too_many_answers() -> ProblemError:
    remedy = f"send {MOST_LINES} in one upload and the rest in others"
    return refuse(413, "answers", None, f"more than {MOST_LINES} answers", remedy)


def too_many_blanks() -> ProblemError:
    return refuse(413, "body", None, f"has more than {MOST_BLANK_LINES} empty lines", "leave them out")
