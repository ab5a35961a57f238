"""An independent solution: infer the change from the given pair's states, apply it to the test object's.

It shares no table with the sampler and reads neither `value` nor `domain` nor `change`: an item stands only if this
agrees with its keys.
"""

from generator_service.benchmarks.kiva.spec import Scene, State


class NoSingleChange(ValueError):  # noqa: N818 - named for what went wrong
    """The given pair differs in no way, or in more than one way, that KiVA knows."""


def solve(scene: Scene) -> dict[str, str]:
    """Return the right label of every question that the trial has, by question id."""
    change = inferred(scene.given_before, scene.given_after)
    after = scene.test_before if change is None else applied(scene.test_before, change)
    answers: dict[str, str] = {}
    for turn, places in enumerate(scene.extrapolation):
        suffix = f"-{turn + 1}" if turn else ""
        if scene.classification:
            answers["what" + suffix] = _spoken(scene.classification[turn], change and change[0])
            answers["how" + suffix] = _spoken(scene.specification[turn], change and change[1])
        answers["which" + suffix] = "ABC"[_only(places, after)] if after in places else "D"
    return answers


def inferred(before: State, after: State) -> tuple[str, str] | None:
    """Name the aspect and the value of the one change from `before` to `after`; None if there is none."""
    found = [
        ("color", after.color) if after.color != before.color else None,
        ("number", f"{after.count - before.count:+d}") if after.count != before.count else None,
        ("orientation", _turn_name(before.turn, after.turn)) if after.turn != before.turn else None,
        ("orientation", after.mirror) if after.mirror != before.mirror else None,
        ("size", _size_name(before, after)) if (after.across, after.down) != (before.across, before.down) else None,
    ]
    changes = [change for change in found if change]
    if len(changes) > 1:
        raise NoSingleChange(f"{before} to {after} differs in {changes}; KiVA changes one thing at a time")
    return changes[0] if changes else None


def applied(state: State, change: tuple[str, str]) -> State:
    """Return the state that the change leads to."""
    aspect, value = change
    parts = {name: getattr(state, name) for name in State.__struct_fields__}
    if aspect == "color":
        parts["color"] = value
    elif aspect == "number":
        parts["count"] += int(value)
    elif aspect == "size":
        twice = value == "2x"
        parts["across"], parts["down"] = (side * 2 if twice else side // 2 for side in (state.across, state.down))
    elif value in ("x", "y"):
        parts["mirror"] = value
    else:
        parts["turn"] = (state.turn + int(value)) % 360
    return State(**parts)


def _turn_name(before: int, after: int) -> str:
    clockwise = (after - before) % 360
    return {90: "+90", 180: "180", 270: "-90"}[clockwise]


def _size_name(before: State, after: State) -> str:
    if (after.across, after.down) == (2 * before.across, 2 * before.down):
        return "2x"
    if (2 * after.across, 2 * after.down) == (before.across, before.down):
        return "1/2x"
    raise NoSingleChange(f"{before} to {after} is neither twice nor half the size")


def _spoken(places: tuple[str, ...], word: str | None) -> str:
    """Return the label of a word; "no change" stands right after the shuffled places, "doesn't apply" last."""
    if word is None:
        return str(len(places) + 1)
    return str(_only(places, word) + 1) if word in places else str(len(places) + 2)


def _only(places: tuple[object, ...], wanted: object) -> int:
    """Return where `wanted` stands; a place held twice would be two right answers."""
    if places.count(wanted) > 1:
        raise NoSingleChange(f"{wanted} is offered more than once in {places}")
    return places.index(wanted)
