"""Contact sheets of people and things, to be looked at: `python -m generator_service.sources.people.sheets STORE OUT`.

One sheet has every verb, with values drawn at random; one has every value of each role, in a verb that it goes with.
"""

import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PIL import Image, ImageDraw

from generator_service.drawing.people.composing import Look, Situation
from generator_service.drawing.people.vocabulary import BY_NAME, VALUES, VERBS, Role, values_of
from generator_service.sources.people.bank import PeopleBank, open_people, people_heads
from generator_service.sources.store import of_folder

_TILE, _LABEL, _COLUMNS = 192, 14, 10
_SHOWN: dict[Role, str] = {"agent": "carrying", "item": "carrying", "tool": "mounting", "vehicle": "hailing"}
"""The verb in which values of a role are shown; of other roles, one that shows them whole."""


def verb_situations(seed: int) -> Iterator[tuple[str, Situation]]:
    """Yield every verb with a person, and once more with an animal where animals do it, each with its label."""
    rng = Random(seed)
    for verb in VERBS:
        for animal in (False, True) if verb.animals else (False,):
            values: dict[str, str] = {role: rng.choice(values_of(verb, role)).name for role in verb.roles}
            agents = [value.name for value in values_of(verb, "agent") if (value.group == "animal") == animal]
            yield verb.name, Situation(verb.name, values | {"agent": rng.choice(agents)})


def value_situations(role: Role, seed: int) -> Iterator[tuple[str, Situation]]:
    """Yield every value of a role in one verb, other roles at random, with its label."""
    rng = Random(seed)
    verb = BY_NAME[_SHOWN.get(role, "measuring")]
    for value in VALUES[role]:
        values: dict[str, str] = {other: rng.choice(values_of(verb, other)).name for other in verb.roles}
        values["agent"] = "man"
        yield value.name, Situation(verb.name, values | {role: value.name})


def sheet(bank: PeopleBank, shown: list[tuple[str, Situation]], seed: int) -> Image.Image:
    """Return labelled pictures of situations side by side."""
    rng = Random(seed)
    rows = -(-len(shown) // _COLUMNS)
    whole = Image.new("RGB", (_COLUMNS * _TILE, rows * (_TILE + _LABEL)), "white")
    draw = ImageDraw.Draw(whole)
    for number, (label, situation) in enumerate(shown):
        picture = bank.compose(situation, Look.draw(rng.randrange)).picture
        left, top = number % _COLUMNS * _TILE, number // _COLUMNS * (_TILE + _LABEL)
        tile = Image.fromarray(picture[..., :3]).resize((_TILE, _TILE), Image.Resampling.BOX)
        whole.paste(tile, (left, top))
        draw.text((left + 3, top + _TILE + 1), label, fill="black")
    return whole


def main(store: str, folder: str, seed: str = "1") -> None:
    """Write the sheets of a store's newest people."""
    opened = of_folder(Path(store))
    bank = open_people(opened, people_heads(opened)[0])
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    sheet(bank, list(verb_situations(int(seed))), int(seed)).save(out / "people-verbs.png")
    for role in VALUES:
        sheet(bank, list(value_situations(role, int(seed))), int(seed)).save(out / f"people-{role}.png")


if __name__ == "__main__":
    main(*sys.argv[1:])
