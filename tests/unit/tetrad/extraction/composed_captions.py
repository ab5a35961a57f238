"""Captions composed from pieces of ordinary speech: every state in thousands of sentences nobody wrote down."""

import random
from collections.abc import Iterator

from tetrad.solvers.carv import all_states

State = dict[str, str]

_NOUNS = {
    "book": (("book", "books"), ("hardcover book", "hardcover books"), ("closed red book", "closed red books")),
    "bottle": (("bottle", "bottles"), ("green glass bottle", "green glass bottles"), ("wine bottle", "wine bottles")),
    "bowl": (("bowl", "bowls"), ("white ceramic bowl", "white ceramic bowls"), ("wooden bowl", "wooden bowls")),
    "candle": (("candle", "candles"), ("lit candle", "lit candles"), ("tall, white candle", "tall, white candles")),
    "clock": (("clock", "clocks"), ("alarm clock", "alarm clocks"), ("table clock", "table clocks")),
    "mug": (("mug", "mugs"), ("blue coffee mug", "blue coffee mugs"), ("cup", "cups")),
    "plant": (("plant", "plants"), ("potted plant", "potted plants"), ("small houseplant", "small houseplants")),
    "scissors": (
        ("pair of scissors", "pairs of scissors"),
        ("pair of red-handled scissors", "pairs of red-handled scissors"),
    ),
    "toilet paper": (
        ("roll of toilet paper", "rolls of toilet paper"),
        ("roll of white toilet paper", "rolls of white toilet paper"),
        ("toilet paper roll", "toilet paper rolls"),
    ),
}
_COLORS = {
    "wood": ("{of} wooden {what}", "{of} brown {what}", "{of} {what} made of wood", "{of} light wooden {what}"),
    "red": ("{of} red {what}", "{of} bright red {what}", "{of} {what} painted red", "{of} red wooden {what}"),
    "blue": ("{of} blue {what}", "{of} dark blue {what}", "{of} {what} in blue", "{of} blue-painted {what}"),
}
_NUMBERS = {"one": ("A", "One", "A single", "Exactly one"), "two": ("Two", "2", "Two identical", "Exactly two (2)")}
_RELATIONS = {
    "on": ("on", "on top of", "atop", "directly on", "on the surface of"),
    "under": ("under", "underneath", "directly beneath", "on the floor below", "on the floor, right under"),
    "left": ("to the left of", "on the floor to the left of", "on the left side of", "left of"),
    "right": ("to the right of", "on the floor, to the right of", "on the right-hand side of", "just right of"),
}
_ITS = {
    "on": ("on it", "on top of it", "on top"),
    "under": ("under it", "on the floor underneath", "directly beneath it"),
    "left": ("to its left", "on its left side", "on the floor to the left of it"),
    "right": ("to its right", "on the floor on its right", "on the right side of it"),
}
_OPPOSITE = {"left": "to the right of", "right": "to the left of", "on": "beneath", "under": "above"}
_VERBS = ("", "standing", "placed", "that can be seen", "resting", "now located")
_LEADS = (
    "{}.",
    "The image shows {}.",
    "The resulting picture would show {}.",
    '{{"caption": "{}"}}',
    "**Caption:** {}.",
    "Picture 5 shows one thing and then changes.\n\nFinal caption: {}",
)


def composed(count: int, seed: int) -> Iterator[tuple[str, State]]:
    """Yield captions with the state each states in full."""
    stream = random.Random(seed)
    states = all_states()
    for _ in range(count):
        state = stream.choice(states)
        yield stream.choice(_LEADS).format(_sentence(state, stream)), state


def _sentence(state: State, stream: random.Random) -> str:
    number, relation = state["subject_number"], state["spatial_relation"]
    noun = stream.choice(_NOUNS[state["subject"]])[number == "two"]
    subject = f"{stream.choice(_NUMBERS[number])} {noun}"
    lower = subject[0].lower() + subject[1:]
    furniture = stream.choice(_COLORS[state["object_color"]]).format(of="a", what=state["object"])
    there = stream.choice(_RELATIONS[relation])
    verb = "are" if number == "two" else "is"
    ways = (
        f"{subject} {stream.choice(_VERBS)} {there} {furniture}",
        f"{subject} {verb} {there} {furniture}",
        f"{there} {furniture} {verb} {lower}",
        f"{there} {furniture}, there {verb} {lower}",
        f"{furniture} with {lower} {stream.choice(_ITS[relation])}",
        f"{furniture} stands in a plain room with white walls, with {lower} {stream.choice(_ITS[relation])}",
        f"{furniture} {_OPPOSITE[relation]} {lower}",
        f"there is {furniture}, and {lower} {verb} {stream.choice(_ITS[relation])}",
        f"there is {furniture}. {subject} {verb} placed {stream.choice(_ITS[relation])}",
    )
    return stream.choice(ways).replace("  ", " ")
