"""An independent solution, from what the pictures show: no table, set or function of the sampler's or the question's.

It walks over the properties one by one and reads from each pair's two states what happens to it; sets of triples,
`target` and `applied` are not used. An item stands only if this agrees with its key.
"""

from generator_service.benchmarks.carv.spec import DIAGNOSIS, Scene, State

_NAMES = ("subject", "subject_number", "object", "object_color", "spatial_relation")


class Unsolvable(ValueError):  # noqa: N818 - named for what went wrong
    """The pictures don't lead to one state."""


def solve(scene: Scene) -> dict[str, str]:
    """Return the right answer of the item's question, by its id."""
    state = solved(scene)
    question = "diagnosis" if scene.setting == DIAGNOSIS else "caption"
    return {question: ", ".join(getattr(state, name) for name in _NAMES)}


def solved(scene: Scene) -> State:
    """Return the state that the query becomes."""
    return State(*[_value(scene, name) for name in _NAMES])


def _value(scene: Scene, name: str) -> str:
    """Follow one property: the query's value, or what the wanted change makes of it."""
    own = str(getattr(scene.query, name))
    moves = [(getattr(pair.before, name), getattr(pair.after, name)) for pair in scene.pairs]
    wanted = {move for move in moves if move[0] != move[1] and _is_wanted(move, moves, scene.operation)}
    if not wanted:
        return own
    if len(wanted) > 1:
        raise Unsolvable(f"{name} is to change twice: {sorted(wanted)}")
    [(old, new)] = wanted
    if old != own:
        raise Unsolvable(f"{name} is to change from {old}, and the query has {own}")
    return str(new)


def _is_wanted(move: tuple[str, str], moves: list[tuple[str, str]], operation: str) -> bool:
    if operation in ("apply", "union"):
        return True
    if operation == "intersection":
        return all(other == move for other in moves)
    return moves[0] == move != moves[1]
