"""Make lines that follow a law, for the sampler. Every line over a field's values is listed once, by its last value.

A context is drawn for the value that completes it: a last line that ends in it, and more lines of that parameter.
"""

from collections.abc import Hashable, Iterable, Sequence
from itertools import product

from generator_service.benchmarks.marvel.rules.fitting import ways
from generator_service.benchmarks.marvel.rules.laws import BY_NAME, OPERATIONS, Law, Line
from generator_service.benchmarks.marvel.spec import GROUP, SEQUENCE
from generator_service.cache_budget import cache_within_budget
from tetrad.streams import Stream

_LONGEST_LISTED = 3  # lines of three are listed by trying all; longer ones grow from their first three values
_MASK_TRIES = 40


class CannotBeKey(ValueError):  # noqa: N818 - named for what went wrong
    """No context leads to the value. Its whole set of choices must be drawn again."""


@cache_within_budget(1024)
def lines(law: Law, values: tuple[int, ...], size: int, length: int) -> tuple[tuple[Hashable, Line], ...]:
    """List every line of this length that follows the law and shows it before its last value, with its parameter."""
    first = min(length, _LONGEST_LISTED)
    listed = _following(law, product(values, repeat=first), size)
    for _ in range(length - first):
        listed = _following(law, ((*line, value) for _, line in listed for value in values), size)
    return tuple((parameter, line) for parameter, line in listed if law.is_shown(line[:-1]))


def _following(law: Law, tried: Iterable[Line], size: int) -> list[tuple[Hashable, Line]]:
    """Return the lines that follow the law, each with its parameter."""
    read = ((law.read(line, size), line) for line in tried)
    return [(parameter, line) for parameter, line in read if parameter is not None]


@cache_within_budget(4096)
def _ending(
    law: Law, values: tuple[int, ...], size: int, length: int, rows: int
) -> dict[int, list[tuple[Hashable, Line]]]:
    """Group lines by their last value, leaving out parameters with too few lines for the other rows."""
    listed = lines(law, values, size, length)
    of_parameter = _by_parameter(law, values, size, length)
    found: dict[int, list[tuple[Hashable, Line]]] = {}
    for parameter, line in listed:
        if len(of_parameter[_group(law, parameter)]) >= min(rows, 2):
            found.setdefault(line[-1], []).append((parameter, line))
    return found


@cache_within_budget(4096)
def _by_parameter(law: Law, values: tuple[int, ...], size: int, length: int) -> dict[Hashable, list[Line]]:
    found: dict[Hashable, list[Line]] = {}
    for parameter, line in lines(law, values, size, length):
        found.setdefault(_group(law, parameter), []).append(line)
    return found


def _group(law: Law, parameter: Hashable) -> Hashable:
    return parameter if law.shared else None


def attainable(law: Law, values: tuple[int, ...], size: int, configuration: str, panels: int) -> tuple[int, ...]:
    """Return the values that can complete a puzzle under the law."""
    length, rows = _shape(configuration, panels)
    return tuple(sorted(_ending(law, values, size, length, rows)))


def context_for(  # noqa: PLR0917 - a law, its field, and the puzzle's frame
    law: Law, values: tuple[int, ...], size: int, configuration: str, panels: int, key: int, stream: Stream
) -> Line:
    """Draw the context's values, in the order in which rows are read, so that the law leads to `key`.

    Raises:
        CannotBeKey: nothing leads there.
    """
    length, rows = _shape(configuration, panels)
    ending = _ending(law, values, size, length, rows).get(key)
    if not ending:
        raise CannotBeKey(f"{law.name} never ends in {key}")
    parameters = list(dict.fromkeys(_group(law, parameter) for parameter, _ in ending))
    chosen = stream.choice(parameters)
    last = stream.choice([line for parameter, line in ending if _group(law, parameter) == chosen])
    others = [line for line in _by_parameter(law, values, size, length)[chosen] if line != last]
    above = (
        stream.sample(others, rows - 1) if len(others) >= rows - 1 else [stream.choice(others) for _ in range(rows - 1)]
    )
    return tuple(value for line in (*above, last) for value in line)[:-1]


def masks_for(operation: str, bits: int, rows: int, key: int, stream: Stream) -> Line:
    """Draw rows of three masks, the third made of the other two, the last row ending in `key`.

    Raises:
        CannotBeKey: every try was degenerate (a mask empty, or a result equal to one of its parts).
    """
    made = [_row_of_masks(operation, bits, None, stream) for _ in range(rows - 1)]
    made.append(_row_of_masks(operation, bits, key, stream))
    return tuple(mask for row in made for mask in row)[:-1]


def _row_of_masks(operation: str, bits: int, key: int | None, stream: Stream) -> Line:
    compute, every = OPERATIONS[operation], (1 << bits) - 1
    for _ in range(_MASK_TRIES):
        a, b = stream.below(every) + 1, stream.below(every) + 1
        if key is not None:
            a, b = _towards(operation, a, b, key, every)
        c = compute(a, b) & every
        if len({a, b, c, 0}) == 4 and (key is None or c == key):  # noqa: PLR2004 - three masks, all different, none empty
            return a, b, c
    raise CannotBeKey(f"{operation} does not lead to {key:b}" if key is not None else f"{operation} of {bits} bits")


def _towards(operation: str, a: int, b: int, key: int, every: int) -> tuple[int, int]:
    """Bend two random masks so that the operation leads to `key`."""
    if operation == "union":
        return a & key, (key & ~(a & key)) | (b & key)
    if operation == "overlap":
        return a | key, (b & ~a | key) & every
    if operation == "either, not both":
        return a, a ^ key
    if operation == "taken away":
        return a | key, b & ~key | (a & ~key)
    return a & ~key | (b & ~key), b | key


def spread_values(flat: Sequence[int], way: str) -> Line:
    """Put values drawn row by row in reading order, transposed if the rule runs down columns."""
    if way != "column":
        return tuple(flat)
    return tuple(flat[3 * (place % 3) + place // 3] for place in range(len(flat)))


def _shape(configuration: str, panels: int) -> tuple[int, int]:
    """Return the length of a line, and the number of lines."""
    if configuration in {SEQUENCE, GROUP}:
        return panels, 1
    rows = ways(configuration, panels)[0][1]
    return len(rows[0]), len(rows)


def law_named(name: str) -> Law:
    return BY_NAME[name]
