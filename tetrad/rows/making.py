"""Make a row of a question, and a question of a row."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from tetrad.contracts.inference import ImagePart, Message, TextPart
from tetrad.contracts.items import AnswerShape, DrawIdentity, Key, KeyedQuestion, Option, Picture, Question
from tetrad.contracts.rows import PictureRole, Row, RowMistake, RowOption, RowPart, RowPicture, RowTurn
from tetrad.contracts.submissions import EarlierTurn
from tetrad.prompting import Wording, find_strategy

DIRECT = find_strategy("direct")
WORDING = Wording()
NO_IMAGES: Mapping[str, str] = {}


class Told(msgspec.Struct, frozen=True):
    """The truth of an item, for rows with answers."""

    explanation: str
    scene: Mapping[str, object]


def make_row(  # noqa: PLR0917 -- an item's identity, its question, and what is told of it
    item: str,
    identity: DrawIdentity,
    seed: str,
    index: int,
    keyed: KeyedQuestion,
    stage: int,
    told: Told | None,
    images: Mapping[str, str] = NO_IMAGES,
    earlier: Sequence[EarlierTurn] = (),
) -> Row:
    """Return the row of a question.

    Args:
        item: the item's id.
        identity: what the item is drawn from.
        seed: of the draw.
        index: of the item.
        keyed: the question with its key.
        stage: the place of its kind in the order in which the setting asks.
        told: the item's truth; None leaves all answers out.
        images: by picture's name, what stands for it in the row.
        earlier: the turns before it in its conversation.
    """
    question = keyed.question
    prompt, names = _prompt(question, earlier)
    return Row(
        id=f"{item}/{question.id}",
        item=item,
        question=question.id,
        seed=seed,
        index=index,
        benchmark=identity.benchmark,
        version=identity.version,
        track=identity.track,
        setting=identity.setting,
        parameters=_json(identity.parameters),
        source=identity.bank,
        kind=question.kind,
        stage=stage,
        text=question.text,
        instruction=question.instruction,
        shape=_json(question.shape),
        pictures=_pictures(question, earlier, names, images),
        options=tuple(
            RowOption(label=option.label, text=option.text, picture=option.picture) for option in question.options
        ),
        cluster=keyed.cluster,
        prompt=prompt,
        **_answers(keyed, told),
    )


def _answers(keyed: KeyedQuestion, told: Told | None) -> dict[str, Any]:
    """Return the columns that tell the answer."""
    if told is None:
        names = ("answer", "answer_text", "answer_index", "key", "facets", "explanation", "scene")
        return {**dict.fromkeys(names), "mistakes": ()}
    question, label = keyed.question, keyed.key.label
    place = next((place for place, option in enumerate(question.options) if option.label == label), None)
    outcomes: Mapping[str, str] = getattr(keyed.key, "outcomes", {})  # of a choice alone
    return {
        "answer": label,
        "answer_text": label if place is None else _words(question, question.options[place]),
        "answer_index": place,
        "key": _json(keyed.key),
        "mistakes": tuple(RowMistake(label=wrong, name=name) for wrong, name in sorted(outcomes.items())),
        "facets": _json(keyed.facets),
        "explanation": told.explanation,
        "scene": _json(told.scene),
    }


def _words(question: Question, option: Option) -> str:
    if option.text is not None:
        return option.text
    captions = {picture.name: picture.caption for picture in question.pictures}
    return captions.get(option.picture or "", option.label)


def _pictures(
    question: Question, earlier: Sequence[EarlierTurn], names: Sequence[str], images: Mapping[str, str]
) -> tuple[RowPicture, ...]:
    shown = {picture.name: picture for turn in earlier for picture in turn.question.pictures}
    shown |= {picture.name: picture for picture in question.pictures}
    options = {option.picture for option in question.options}
    examples = {name for example in question.examples for name in example.pictures}

    def role(name: str) -> PictureRole:
        if name in options:
            return "option"
        return "example" if name in examples else "given"

    return tuple(
        RowPicture(name=name, role=role(name), caption=shown[name].caption, image=images.get(name)) for name in names
    )


def _prompt(question: Question, earlier: Sequence[EarlierTurn]) -> tuple[tuple[RowTurn, ...], tuple[str, ...]]:
    """Return the turns that ask a question, and the names of the pictures in the order in which they show them."""
    asked = [*(turn.question for turn in earlier), question]
    addresses = {picture.name: picture.name for posed in asked for picture in posed.pictures}
    messages = DIRECT.messages(question, addresses, WORDING, (), earlier)
    places: dict[str, int] = {}
    turns = tuple(_turn(message, places) for message in messages)
    return turns, tuple(places)


def _turn(message: Message, places: dict[str, int]) -> RowTurn:
    content = [TextPart(text=message.content)] if isinstance(message.content, str) else message.content
    role: Any = message.role  # no prompt of ours has a developer
    return RowTurn(role=role, content=tuple(_part(part, places) for part in content))


def _part(part: TextPart | ImagePart, places: dict[str, int]) -> RowPart:
    if isinstance(part, TextPart):
        return RowPart(type="text", text=part.text)
    return RowPart(type="image", index=places.setdefault(part.image_url.url, len(places)))


def question_of(row: Row) -> Question:
    """Return the question of a row, with all that extraction looks at; its solved examples are left out."""
    return Question(
        id=row.question,
        kind=row.kind,
        text=row.text,
        shape=msgspec.json.decode(row.shape, type=AnswerShape),
        options=tuple(Option(label=shown.label, text=shown.text, picture=shown.picture) for shown in row.options),
        pictures=tuple(Picture(name=shown.name, caption=shown.caption) for shown in row.pictures),
        instruction=row.instruction,
    )


def key_of(row: Row) -> Key:
    """Return the key of a row with answers.

    Raises:
        ValueError: the row has none.
    """
    if row.key is None:
        raise ValueError(f"row {row.id} has no key: ask for rows with answers=yes")
    key: Key = msgspec.json.decode(row.key, type=Key)
    return key


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
