"""Read the published layout: one JSON list of puzzles, and a picture <id>.png for each, in any folders.

Pictures of single panels (question_<id>_<i>.png, answer_<id>_<i>.png) may lie beside them; they are not mounted.
"""

import hashlib
import re
from pathlib import PurePosixPath

import msgspec

from generator_service.benchmarks.marvel.published.spec import CHOICES, CONFIGURATIONS, PATTERNS, Entry, Puzzle
from generator_service.sources.decoding import UnreadablePictureError, decode_picture
from generator_service.sources.faults import Faults
from generator_service.sources.published import Gathered
from generator_service.sources.reader import Spooled

_PICTURE = re.compile(r"([1-9][0-9]*)\.png")
_PUBLISHED = "give the file as it was published"
_LONGEST_WORD = 120  # characters of a detail's answer: it is shown as an option
_LONGEST_QUESTION = 4000


def gather(source: Spooled, partial: bool, faults: Faults) -> Gathered:  # noqa: FBT001 -- the layouts' one signature
    """Return the puzzles and their pictures; add what is wrong to `faults`.

    partial: leave out puzzles without a picture, and say so in `faults`.
    """
    shown = _find_pictures(source, faults)
    pictures: dict[str, bytes] = {}
    puzzles = []
    for entry in _entries(source, faults):
        name = shown.pop(entry.id, None)
        if name is None:
            faults.lacks(f"{entry.id}.png", "is missing", "add the picture", partial=partial)
            continue
        body = source.read(name)
        try:
            decode_picture(body)
        except UnreadablePictureError as error:
            faults.add(name, str(error), "give a whole PNG")
        sha = hashlib.sha256(body).hexdigest()
        if puzzle := _puzzle(entry, sha, faults):
            pictures[sha] = body
            puzzles.append(puzzle)
    for name in shown.values():
        faults.add(name, "is of no puzzle in the JSON", "add its entry, or take the picture away")
    return Gathered(tuple(sorted(puzzles, key=lambda puzzle: puzzle.id)), pictures)


def _find_pictures(source: Spooled, faults: Faults) -> dict[int, str]:
    found: dict[int, str] = {}
    for name in source.names():
        match = _PICTURE.fullmatch(PurePosixPath(name).name)
        if match and int(match[1]) in found:
            faults.add(name, f"is there twice, also as {found[int(match[1])]}", "keep one of them")
        elif match:
            found[int(match[1])] = name
    return found


def _entries(source: Spooled, faults: Faults) -> list[Entry]:
    """Return the valid entries of the one JSON file, each id once."""
    files = [name for name in source.names() if name.endswith(".json")]
    if len(files) != 1:
        listed = ", ".join(files) or "none"
        faults.add("JSON", f"there must be one .json file, there are {len(files)} ({listed})", _PUBLISHED)
        return []
    try:
        raw = msgspec.json.decode(source.read(files[0]), type=list[msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        faults.add(files[0], f"is no JSON list ({error})", _PUBLISHED)
        return []
    found: dict[int, Entry] = {}
    for place, text in enumerate(raw):
        try:
            entry = msgspec.json.decode(text, type=Entry)
        except (msgspec.ValidationError, UnicodeDecodeError) as error:
            faults.add(f"{files[0]}, entry {place}", str(error), _PUBLISHED)
            continue
        if entry.id in found:
            faults.add(f"puzzle {entry.id}", f"is doubled, again as entry {place}", "keep one of them")
        else:
            found[entry.id] = entry
    return list(found.values())


def _puzzle(entry: Entry, picture: str, faults: Faults) -> Puzzle | None:
    problems = list(_problems(entry))
    for problem, remedy in problems:
        faults.add(f"puzzle {entry.id}", problem, remedy)
    if problems:
        return None
    own = tuple(text.strip() for text in (*entry.c_perception_question_tuple, entry.avr_question))
    return Puzzle(
        id=entry.id,
        pattern=PATTERNS[entry.pattern],
        configuration=CONFIGURATIONS[entry.task_configuration][0],
        answer=entry.answer,
        panels=entry.c_perception_answer_tuple[0],
        detail=entry.f_perception_question.strip(),
        detail_right=entry.f_perception_answer.strip(),
        detail_wrong=entry.f_perception_distractor.strip(),
        picture=picture,
        own_words=own if all(own) else (),
    )


def _problems(entry: Entry) -> list[tuple[str, str]]:
    """Return the faults of one entry, each with its remedy."""
    found = []
    if not 1 <= entry.answer <= CHOICES:
        found.append((f"answer is {entry.answer}", f"give 1 to {CHOICES}"))
    if entry.pattern not in PATTERNS:
        found.append((f"pattern is {entry.pattern!r}", f"give one of {', '.join(PATTERNS)}"))
    context, choices, whole = entry.c_perception_answer_tuple
    if entry.task_configuration not in CONFIGURATIONS:
        remedy = f"give one of {', '.join(CONFIGURATIONS)}"
        found.append((f"task_configuration is {entry.task_configuration!r}", remedy))
    elif context not in CONFIGURATIONS[entry.task_configuration][1] or (choices, whole) != (CHOICES, context + CHOICES):
        counts = f"c_perception_answer_tuple is {context}, {choices}, {whole}"
        remedy = f"give the panels of {entry.task_configuration}, {CHOICES}, and their sum"
        found.append((counts, remedy))
    return found + _detail_problems(entry)


def _detail_problems(entry: Entry) -> list[tuple[str, str]]:
    words = (entry.f_perception_answer.strip(), entry.f_perception_distractor.strip())
    found = []
    if not all(0 < len(word) <= _LONGEST_WORD for word in words) or words[0].casefold() == words[1].casefold():
        remedy = f"give two different ones of 1 to {_LONGEST_WORD} characters"
        found.append(("f_perception_answer and f_perception_distractor are no two answers", remedy))
    if not 0 < len(entry.f_perception_question.strip()) <= _LONGEST_QUESTION:
        remedy = f"give a question of 1 to {_LONGEST_QUESTION} characters"
        found.append(("f_perception_question is empty or too long", remedy))
    if any(len(text) > _LONGEST_QUESTION for text in (entry.avr_question, *entry.c_perception_question_tuple)):
        remedy = f"give questions of at most {_LONGEST_QUESTION} characters"
        found.append(("avr_question or c_perception_question_tuple is too long", remedy))
    return found
