"""Word places, directions and lists."""

CLOCK = ("up", "up and right", "right", "down and right", "down", "down and left", "left", "up and left")
SIDES = ("above", "to the right of", "below", "to the left of")
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")
_EIGHT = (
    *("at the top", "at the top right", "at the right", "at the bottom right"),
    *("at the bottom", "at the bottom left", "at the left", "at the top left"),
)
_SIX = (
    *("at the top", "at the upper right", "at the lower right"),
    *("at the bottom", "at the lower left", "at the upper left"),
)


def clock_words(place: int, places: int) -> str:
    """Name a place on a ring of six or eight, counted clockwise from the top."""
    return (_SIX if places == len(_SIX) else _EIGHT)[place]


def cell_words(cell: int, across: int) -> str:
    return f"row {cell // across + 1}, column {cell % across + 1}"


def list_words(parts: list[str]) -> str:
    """Join words: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
