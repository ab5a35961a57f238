"""The forms of a row that trainers and harnesses read as they are: Responses, chat completions, verl.

A form has the row's prompt and pictures, and what a verdict asks for: the item and the question.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from tetrad.contracts.rows import Row, RowForm, RowPart, RowTurn
from tetrad.rows.making import question_of

DATA_SOURCE = "tetrad/"
"""How the data source of verl begins; the benchmark's name follows."""
PLACE = "<image>"
"""What stands for a picture in a text of verl, and of models that lmms-eval gives one text."""


class NoImagesError(ValueError):
    """A form shows pictures, and the row comes without."""


def form_of(row: Row, form: RowForm) -> bytes:
    """Return a row in a form, as a line of JSON without its end.

    Raises:
        NoImagesError: the form shows pictures that the row lacks.
    """
    return msgspec.json.encode(FORMS[form](row))


def responses(row: Row) -> dict[str, Any]:
    """Return the body of a request to OpenAI's Responses, as NeMo Gym's data sets hold it."""
    return {
        "responses_create_params": {"input": [_response_turn(row, turn) for turn in row.prompt]},
        "item": row.item,
        "question": row.question,
    }


def _response_turn(row: Row, turn: RowTurn) -> dict[str, Any]:
    def picture(image: str) -> dict[str, Any]:
        return {"type": "input_image", "detail": "auto", "image_url": image}

    return _turn(row, turn, "input_text", picture)


def _turn(row: Row, turn: RowTurn, text_type: str, picture: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """Return a turn with the parts of a user's, as the form has them; other turns are texts."""
    if turn.role != "user":
        return {"role": turn.role, "content": _text(turn)}
    parts = [
        {"type": text_type, "text": part.text} if part.index is None else picture(_image(row, part.index))
        for part in turn.content
    ]
    return {"role": turn.role, "content": parts}


def chat(row: Row) -> dict[str, Any]:
    """Return the messages of a request to OpenAI's chat completions."""
    return {
        "messages": [_chat_turn(row, turn) for turn in row.prompt],
        "item": row.item,
        "question": row.question,
    }


def _chat_turn(row: Row, turn: RowTurn) -> dict[str, Any]:
    def picture(image: str) -> dict[str, Any]:
        return {"type": "image_url", "image_url": {"url": image}}

    return _turn(row, turn, "text", picture)


def verl(row: Row) -> dict[str, Any]:
    """Return the columns of a data set of verl: a prompt with `<image>` for each picture, and what a reward needs.

    The ground truth is the row's key, empty in a row without answers.
    """
    shown = [part.index for turn in row.prompt for part in turn.content if part.index is not None]
    return {
        "data_source": DATA_SOURCE + row.benchmark,
        "prompt": [{"role": turn.role, "content": mark_pictures(turn)} for turn in row.prompt],
        "images": [{"image": _image(row, index)} for index in shown],
        "ability": "visual-analogy",
        "reward_model": {"style": "rule", "ground_truth": row.key or ""},
        "extra_info": {
            "index": row.index,
            "seed": row.seed,
            "item": row.item,
            "question": row.question,
            "asked": msgspec.json.encode(question_of(row)).decode(),
        },
    }


def mark_pictures(turn: RowTurn) -> str:
    """Return a turn as one text, with `<image>` for each picture and for nothing else."""

    def words(part: RowPart) -> str:
        return PLACE if part.text is None else part.text.replace(PLACE, PLACE.replace("<", "< "))

    return "\n".join(words(part) for part in turn.content)


def _text(turn: RowTurn) -> str:
    return "\n".join(part.text or "" for part in turn.content)


def _image(row: Row, index: int) -> str:
    picture = row.pictures[index]
    if picture.image is None:
        raise NoImagesError(f"picture {picture.name} has no image: ask for pictures=inline or pictures=url")
    return picture.image


FORMS: Mapping[RowForm, Callable[[Row], Any]] = {
    "rows": lambda row: row,
    "responses": responses,
    "chat": chat,
    "verl": verl,
}
