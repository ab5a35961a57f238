"""All open questions with their pictures as one tar archive, for those who work offline.

`questions.ndjson` comes first, then `submission.json`, then `images/`; each picture's `url` in the lines is its path in
the archive. The lines lie on disk while they are sent and a few pictures at most in memory, whatever the size of the
submission.
"""

import asyncio
import io
import tarfile
import tempfile
import zipfile
from collections import deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from typing import IO

import msgspec
from msgspec.structs import replace

from api.context import AppContext
from api.submissions.asking import as_lines, pages
from api.submissions.finding import find_owned, show
from api.submissions.pausing import fetch_picture, fetch_pictures, paused_for
from api.teams.access import Caller
from tetrad.contracts.items import Question
from tetrad.contracts.submissions import OpenQuestion, QuestionPage, Submission

TAR, ZIP = "application/x-tar", "application/zip"
ARCHIVES = {"tar": (TAR,), "zip": (ZIP,)}
"""Forms of an archive of pictures, with the media types that ask for them."""
LINES, ABOUT = "questions.ndjson", "submission.json"
IN_MEMORY = 2**20  # bytes of lines before they go to disk
CHUNK = 2**16
FETCHED_AHEAD = 8  # pictures: the generator works while the client reads
Shown = tuple[int, str, str]
"""An item, a picture's name, its path in the archive."""


async def bundle(
    context: AppContext, caller: Caller, submission: str, first: QuestionPage, listed: str | None = None
) -> AsyncIterator[bytes]:
    """Yield the archive. A failure midway ends the transfer early, which every reader of tar notices."""
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as lines:
        every = pages(context, caller, submission, first, listed)
        await asyncio.to_thread(_write, every, lines)
        size = lines.tell()
        lines.seek(0)
        yield _header(LINES, size)
        while chunk := lines.read(CHUNK):
            yield chunk
        yield _padding(size)
        about = msgspec.json.encode(await asyncio.to_thread(_about, context, caller, submission))
        yield _file(ABOUT, about)
        lines.seek(0)
        async for path, png in _pictures(context, submission, _list_pictures(lines)):
            yield _file(path, png)
    yield bytes(2 * tarfile.BLOCKSIZE)


async def pack_pictures(
    context: AppContext,
    submission: str,
    wanted: Mapping[int, Sequence[str]],
    paused: Mapping[int, str | None],
    form: str,
) -> bytes:
    """Return an archive of these pictures, by item; each is under its item's number and its name.

    Raises:
        SourceUnavailableError: one can't be shown.
    """
    fetches = [fetch_pictures(context, submission, item, names, paused[item]) for item, names in wanted.items()]
    fetched = dict(zip(wanted, await asyncio.gather(*fetches), strict=True))
    return pack_named({f"{item}/{name}": png for item, found in fetched.items() for name, png in found.items()}, form)


def pack_named(pictures: Mapping[str, bytes], form: str) -> bytes:
    """Return an archive of these PNGs, by path, in a form of ARCHIVES.

    In a ZIP each path ends in .png: it is unpacked by people, whose programs go by this. PNGs can't be packed smaller.
    """
    if form == "tar":
        return b"".join([*(_file(path, png) for path, png in pictures.items()), bytes(2 * tarfile.BLOCKSIZE)])
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as archive:
        for path, png in pictures.items():
            archive.writestr(zipfile.ZipInfo(f"{path.removesuffix('.png')}.png"), png)  # of 1980: the same bytes always
    return packed.getvalue()


def _about(context: AppContext, caller: Caller, submission: str) -> Submission:
    return show(context.settings, find_owned(context.engine, caller, submission))


def picture_path(item: int, name: str) -> str:
    return f"images/{item:05d}-{name.removesuffix('.png')}.png"


def _write(every: Iterable[QuestionPage], lines: IO[bytes]) -> None:
    for page in every:
        lines.write(as_lines([_offline(asked) for asked in page.questions]))


def _offline(asked: OpenQuestion) -> OpenQuestion:
    earlier = tuple(replace(turn, question=_with_paths(turn.question, asked.item)) for turn in asked.earlier)
    return replace(asked, question=_with_paths(asked.question, asked.item), earlier=earlier)


def _with_paths(question: Question, item: int) -> Question:
    return replace(
        question,
        pictures=tuple(replace(picture, url=picture_path(item, picture.name)) for picture in question.pictures),
    )


def _list_pictures(lines: IO[bytes]) -> Iterator[Shown]:
    """Yield each picture once; an item's questions stand together and may share pictures."""
    current, seen = -1, set[str]()
    for line in lines:
        asked = msgspec.json.decode(line, type=OpenQuestion)
        if asked.item != current:
            current, seen = asked.item, set()
        for picture in asked.pictures().values():
            if picture.name not in seen:
                seen.add(picture.name)
                yield asked.item, picture.name, picture_path(asked.item, picture.name)


async def _pictures(context: AppContext, submission: str, shown: Iterator[Shown]) -> AsyncIterator[tuple[str, bytes]]:
    """Yield paths and PNGs in order, a few of them fetched ahead."""
    paused = await asyncio.to_thread(paused_for, context.engine, submission)
    waiting: deque[tuple[str, asyncio.Task[bytes]]] = deque()
    try:
        for item, name, path in shown:
            fetching = asyncio.create_task(fetch_picture(context, submission, item, name, paused))
            waiting.append((path, fetching))
            if len(waiting) == FETCHED_AHEAD:
                yield await _await_first(waiting)
        while waiting:
            yield await _await_first(waiting)
    finally:
        for _, unused in waiting:
            unused.cancel()


async def _await_first(waiting: deque[tuple[str, asyncio.Task[bytes]]]) -> tuple[str, bytes]:
    path, fetched = waiting.popleft()
    return path, await fetched


def _file(path: str, content: bytes) -> bytes:
    return _header(path, len(content)) + content + _padding(len(content))


def _header(path: str, size: int) -> bytes:
    entry = tarfile.TarInfo(path)
    entry.size = size
    return entry.tobuf(tarfile.PAX_FORMAT)


def _padding(size: int) -> bytes:
    return bytes(-size % tarfile.BLOCKSIZE)
