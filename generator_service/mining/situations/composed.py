"""Compose a corpus of situations from the vocabulary of composed scenes: frames alone, in imSitu's form.

For each role of each verb, in several contexts drawn from a seed, there is a situation with every value that goes with
the verb, and for each context of a frame one with every verb. So each change of the vocabulary is there under every
verb that its values go with, and all steps of mining find it. Places are drawn like the other values.

With `noise` three annotators look at each situation. One of them now and then names a meaning above the value ("canine"
for dog), or leaves the role empty, as people do.

With people and things each situation has a look, and the box of every value in the picture that is composed of it.
"""

from collections.abc import Iterator, Mapping

import msgspec

from generator_service.drawing.people.composing import Look, People, boxes_of
from generator_service.drawing.people.composing import Situation as Scene
from generator_service.drawing.people.places import SIDE
from generator_service.drawing.people.vocabulary import BY_NAME, FRAMES, VALUES, VERBS, Role, Verb, can_fill, values_of
from generator_service.mining.situations.annotations import Situation
from generator_service.mining.wordnet import WordNet
from generator_service.sources.store import Head, Payload, SourceStore
from tetrad.canonical import hexdigest
from tetrad.streams import Stream

CONTEXTS = 3
ANNOTATORS = 3
NAMED_ABOVE, LEFT_EMPTY = 150, 20  # of a thousand values of an annotator
COMPOSED, SEED = "composed", "1"
PURPOSE = "tetrad/composed-situations/1"
Values = Mapping[Role, str]


def composed_situations(
    seed: str, *, contexts: int = CONTEXTS, noise: WordNet | None = None, people: People | None = None
) -> dict[str, Situation]:
    """Return the corpus of a seed by image; the same on every machine.

    contexts: how often each value of a role is there under each verb, at least. noise: WordNet, to have three
    annotators; without it one annotator names every value. people: what pictures are composed of, to have the box of
    every value; without them there are no boxes.
    """
    every = {(verb, *(values[role] for role in BY_NAME[verb].roles)) for verb, values in _lines(seed, contexts)}
    found = {}
    for number, (verb, *names) in enumerate(sorted(every)):
        values = dict(zip(BY_NAME[verb].roles, names, strict=True))
        frame: dict[str, str] = {role: _SYNSETS[role][name] for role, name in values.items()}
        frames = (frame,) if noise is None else _annotate(Stream(PURPOSE, seed, "annotators", number), frame, noise)
        image = f"{verb}-{number:06d}"
        found[image] = Situation(verb=verb, frames=frames)
        if people is not None:
            boxes = boxes_of(
                people, Scene(verb, {str(role): name for role, name in values.items()}), composed_look(seed, number)
            )
            # The place is what is behind everything.
            whole = {**boxes, "place": (0, 0, SIDE, SIDE)} if "place" in values else boxes
            found[image] = Situation(verb=verb, frames=frames, boxes=dict(whole), width=SIDE, height=SIDE)
    return found


def composed_look(seed: str, number: int) -> Look:
    """Return the look that the boxes of a situation are of; number: its place in the corpus."""
    return Look.draw(Stream(PURPOSE, seed, "look", number).below)


def build_composed(store: SourceStore, people: People | None) -> Head:
    """Keep the corpus of SEED as situations:composed, with boxes if there are people; return it where it is there."""
    found = composed_situations(SEED, people=people)
    body = msgspec.json.encode({image: _annotation(situation) for image, situation in found.items()})
    digest = hexdigest(PURPOSE, body)
    there = store.find("situations", digest)
    if there is not None:
        return there
    head = Head(
        kind="situations",
        name=COMPOSED,
        digest=digest,
        access="public",
        labels_public=True,
        licence="CC0-1.0",
    )
    with store.lock():
        return store.write(head, iter((Payload(name="situations.json", body=body),)))


def _annotation(situation: Situation) -> dict[str, object]:
    """Return a situation in imSitu's form, with SWiG's fields where it has boxes."""
    plain: dict[str, object] = {"verb": situation.verb, "frames": situation.frames}
    if not situation.boxes:
        return plain
    return plain | {"bb": situation.boxes, "width": situation.width, "height": situation.height}


def _lines(seed: str, contexts: int) -> Iterator[tuple[str, Values]]:
    """Yield verbs with values: of each role of each verb, and of the verb of each frame, all with the rest alike."""
    for verb in VERBS:
        for role in verb.roles:
            for context in range(contexts):
                rest = _context(Stream(PURPOSE, seed, "context", verb.name, role, context), verb)
                for value in values_of(verb, role):
                    yield verb.name, {**rest, role: value.name}
    for frame in FRAMES:
        verbs = [verb for verb in VERBS if verb.frame == frame]
        for context in range(len(verbs) * contexts):
            rest = _context(Stream(PURPOSE, seed, "verbs", frame, context), verbs[context % len(verbs)])
            yield from (
                (verb.name, rest) for verb in verbs if all(can_fill(verb, *filling) for filling in rest.items())
            )


def _context(stream: Stream, verb: Verb) -> Values:
    return {role: stream.choice(values_of(verb, role)).name for role in verb.roles}


def _annotate(stream: Stream, frame: Mapping[str, str], wordnet: WordNet) -> tuple[dict[str, str], ...]:
    """Return what three annotators say of a frame."""
    return tuple({role: _name_noun(stream, noun, wordnet) for role, noun in frame.items()} for _ in range(ANNOTATORS))


def _name_noun(stream: Stream, noun: str, wordnet: WordNet) -> str:
    chance = stream.below(1000)
    if chance < LEFT_EMPTY:
        return ""
    above = sorted(wordnet.parents(noun))
    return stream.choice(above) if above and chance < LEFT_EMPTY + NAMED_ABOVE else noun


_SYNSETS = {role: {value.name: value.synset for value in values} for role, values in VALUES.items()}
