"""A small annotated corpus with pictures, made in the test, and a WordNet of its words.

Three verbs have agents in common and everything else of their own; three others have items in common. So agents and
items change under three verbs each.
"""

from pathlib import Path

import msgspec

from generator_service.mining.wordnet import WordNet
from tests.photographs import jpeg

AGENTS, ITEMS = 4, 4
OWN = 4  # values of a role that a verb has for itself
NOUNS = 60


def noun(kind: str, number: int) -> str:
    return f"n{1000 * ('place', 'agent', 'item').index(kind) + number + 1:08d}"


def entries() -> dict[str, dict[str, object]]:
    """Return the situations by image, in imSitu's form: every agent with every item of a verb."""
    found: dict[str, dict[str, object]] = {}
    for verb in range(6):
        shares_agents = verb < 3
        own = range(10 + OWN * verb, 10 + OWN * (verb + 1))
        agents, items = (range(AGENTS), own) if shares_agents else (own, range(ITEMS))
        for agent in agents:
            for item in items:
                frame = {
                    "agent": noun("agent", agent),
                    "item": noun("item", item),
                    "place": noun("place", verb),
                }
                found[f"verb{verb}_{agent}_{item}.jpg"] = {"verb": f"verb{verb}", "frames": [frame] * 3}
    return found


def lexicon() -> WordNet:
    """Return a WordNet in which every noun of the corpus is a thing of its own."""
    lines = ["00000000 03 n 01 entity 0 000 | all"]
    for kind in ("place", "agent", "item"):
        lines += [f"{noun(kind, one)[1:]} 03 n 01 {kind}{one} 0 001 @ 00000000 n 0000 | a" for one in range(NOUNS)]
    files = {"data.noun": "\n".join(lines) + "\n", "data.verb": "", "index.verb": "", "verb.exc": ""}
    return WordNet(lambda name: ("  1 a licence\n" + files[name]).encode())


def write_annotated(folder: Path, *, missing: int = 0, pictures: bool = True) -> Path:
    """Write annotations, words, and a picture for each situation but the last `missing` ones."""
    folder.mkdir(parents=True, exist_ok=True)
    every = entries()
    (folder / "train.json").write_bytes(msgspec.json.encode(every))
    words = {
        noun(kind, one): {"gloss": [f"{kind} {one}"]} for kind in ("place", "agent", "item") for one in range(NOUNS)
    }
    verbs = {str(one["verb"]): {"order": ["agent", "item", "place"], "roles": {"agent": {}}} for one in every.values()}
    (folder / "imsitu_space.json").write_bytes(msgspec.json.encode({"verbs": verbs, "nouns": words}))
    shown = list(every)[: len(every) - missing] if pictures else []
    for number, name in enumerate(shown):
        (folder / name).write_bytes(jpeg(number))
    return folder


def write_as_swig(folder: Path) -> Path:
    """Write the same as SWiG's files lie: annotations by split with boxes beside the words, pictures elsewhere."""
    plain = write_annotated(folder / "plain")
    annotations, pictures = folder / "given" / "SWiG_jsons", folder / "given" / "images_512"
    annotations.mkdir(parents=True)
    pictures.mkdir()
    boxed = {
        name: {
            **entry,
            "height": 64,
            "width": 64,
            "bb": {"agent": [2, 4, 40, 60], "item": [30, 20, 62, 50], "place": [-1] * 4},
        }
        for name, entry in entries().items()
    }
    for number, split in enumerate(("train", "dev", "test")):
        part = dict(list(boxed.items())[number::3])
        (annotations / f"{split}.json").write_bytes(msgspec.json.encode(part))
    (plain / "imsitu_space.json").rename(annotations / "imsitu_space.json")
    for name in boxed:
        (plain / name).rename(pictures / name)
    return folder / "given"
