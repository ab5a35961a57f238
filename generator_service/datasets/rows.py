"""Make rows of practice items: those of a range of a draw, or those of items whose conversation goes on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from generator_service.benchmark import PictureArray
from generator_service.drawing.png import encode_png
from generator_service.items import Item, make_item, select_asked
from generator_service.mounting import Mounted
from generator_service.practice import Chosen, Practice
from tetrad.contracts.answers import PracticeAnswer, SealedAnswer
from tetrad.contracts.benchmarks import Card
from tetrad.contracts.items import DrawIdentity, KeyedQuestion, Question
from tetrad.contracts.rows import Row
from tetrad.contracts.submissions import OpenQuestion
from tetrad.internal.item_ids import item_id
from tetrad.internal.practice import PackedRows, PracticeItemRequest, RowsWanted
from tetrad.prompting import picture_address
from tetrad.prompting.turns import joined_questions
from tetrad.rows.forms import form_of
from tetrad.rows.making import Told, make_row

EncodePicture = Callable[[PictureArray], bytes]
NamePicture = Callable[[bytes], str]


def rows_of_draw(
    chosen: Chosen, wanted: RowsWanted, encode: EncodePicture = encode_png, name: NamePicture = picture_address
) -> Iterator[tuple[int, list[Row]]]:
    """Yield the index and the rows of each of these items of a draw, in order.

    The rows are a pure function of the draw, the wishes, the bytes that `encode` makes of a picture, and what `name`
    puts into the rows for an inline one.
    """
    for index in chosen.indexes:
        item = make_item(chosen.mounted, chosen.draw, index)
        maker = ItemRows(chosen.mounted, chosen.draw.identity, chosen.draw.seed, index, item, wanted, encode, name)
        yield index, list(maker.rows())


def pack_rows(chosen: Chosen, wanted: RowsWanted) -> PackedRows:
    """Return the rows of these items of a draw as lines."""
    rows = (rows for _, rows in rows_of_draw(chosen, wanted))
    return _pack(rows, wanted, chosen.draw.seed, chosen.next_offset)


def pack_next_rows(practice: Practice, items: Sequence[PracticeItemRequest], wanted: RowsWanted) -> PackedRows:
    """Return the rows of the questions that are open after the answers that each item comes with, as lines.

    Raises:
        IdentityError: this instance does not make an item.
        NeverOpenedError: an answer is to a question that the others do not open.
    """

    def rows_of(request: PracticeItemRequest) -> list[Row]:
        mounted, item = practice.item(request)
        maker = ItemRows(mounted, request.identity, request.seed, request.index, item, wanted)
        return list(maker.rows(request.answers))

    return _pack(map(rows_of, items), wanted, "", None)


def _pack(items: Iterable[list[Row]], wanted: RowsWanted, seed: str, next_offset: int | None) -> PackedRows:
    lines, ends = bytearray(), list[int]()
    count, pictures = 0, 0
    for rows in items:
        for row in rows:
            lines += form_of(row, wanted.form) + b"\n"
        count += len(rows)
        pictures += len({picture.name for row in rows for picture in row.pictures})
        ends.append(len(lines))
    drawn = pictures if wanted.pictures == "inline" else 0
    return PackedRows(
        seed=seed, items=len(ends), rows=count, pictures=drawn, next_offset=next_offset, lines=bytes(lines), ends=ends
    )


class ItemRows:
    """The rows of one item, each of its pictures drawn once."""

    def __init__(  # noqa: PLR0917 -- an item's identity, and how its rows are to be
        self,
        mounted: Mounted,
        identity: DrawIdentity,
        seed: str,
        index: int,
        item: Item,
        wanted: RowsWanted,
        encode: EncodePicture = encode_png,
        name: NamePicture = picture_address,
    ) -> None:
        self._mounted = mounted
        self._identity = identity
        self._seed = seed
        self._index = index
        self._item = item
        self._wanted = wanted
        self._encode, self._name = encode, name
        self._id = item_id(identity, seed, index)
        self._images: dict[str, str] = {}

    def rows(self, answers: Sequence[PracticeAnswer] = ()) -> Iterator[Row]:
        """Yield the rows of the questions that are open after these answers, or of every question if so wanted.

        Raises:
            NeverOpenedError: an answer is to a question that the others do not open.
        """
        told = Told(*self._mounted.benchmark.describe(self._item.scene)) if self._wanted.answers else None
        keyed = {of_item.question.id: of_item for of_item in self._item.questions}
        stages = _stages(self._mounted.benchmark.card, self._identity.setting)
        for asked in self._open_questions(answers):
            question = asked.question
            shown = chain(question.pictures, *(turn.question.pictures for turn in asked.earlier))
            images = {picture.name: self._image(picture.name) for picture in shown}
            yield make_row(
                self._id,
                self._identity,
                self._seed,
                self._index,
                keyed[question.id],
                stages.index(question.kind) if question.kind in stages else len(stages),
                told,
                {name: image for name, image in images.items() if image},
                asked.earlier,
            )

    def _open_questions(self, answers: Sequence[PracticeAnswer]) -> list[OpenQuestion]:
        if self._wanted.every:
            return [OpenQuestion(item=self._index, question=keyed.question) for keyed in self._item.questions]
        questions = _questions(select_asked(self._mounted, self._item, answers))
        if self._mounted.benchmark.card.conversation(self._identity.setting) == "joined":
            given = [
                SealedAnswer(item=self._index, question=answer.question, answer=answer.answer, response=answer.response)
                for answer in answers
            ]
            return joined_questions(self._index, questions, given)
        answered = {answer.question for answer in answers}
        return [
            OpenQuestion(item=self._index, question=question) for question in questions if question.id not in answered
        ]

    def _image(self, name: str) -> str:
        if name not in self._images:
            self._images[name] = self._make_image(name)
        return self._images[name]

    def _make_image(self, name: str) -> str:
        match self._wanted.pictures:
            case "inline":
                pixels = self._mounted.benchmark.render(self._mounted.bank, self._item.scene, name)
                return self._name(self._encode(pixels))
            case "url":
                return f"{self._wanted.address}/{self._id}/images/{name}"
            case "none":
                return ""


def _questions(asked: Iterable[KeyedQuestion]) -> list[Question]:
    return [keyed.question for keyed in asked]


def _stages(card: Card, setting: str) -> tuple[str, ...]:
    """Return the kinds of question in the order in which they open."""
    return next((named.questions for named in card.settings if named.name == setting), ())
