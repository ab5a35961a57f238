"""Read what people say of drafts; stands alone because it knows neither models nor photographs.

The file is JSON Lines, one verdict of one person on one draft a line:
{"draft": 3, "person": "anna", "relation": true, "answer": true}
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

PEOPLE = 2
"""So many must accept both the relation and the answer (the paper, section 3)."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person on one draft.

    draft: its number. relation: A and B show one edit and no other. answer: the question has one right option, given
    D, and it is the draft's.
    """

    draft: int
    person: str
    relation: bool
    answer: bool


def read_verdicts(path: Path, drafts: Iterable[int]) -> Mapping[int, bool]:
    """Return for each of these drafts whether two people accept it.

    Raises:
        ValueError: the file can't be read, a person speaks twice of a draft, or a draft has fewer than two verdicts.
    """
    wanted = list(drafts)
    said: dict[int, dict[str, Verdict]] = defaultdict(dict)
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise ValueError(f"{path} can't be read ({error}); give the people's verdicts as JSON lines") from error
    for place, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            one = msgspec.json.decode(line, type=Verdict)
        except msgspec.DecodeError as error:
            form = '{"draft": 0, "person": "...", "relation": true, "answer": true}'
            raise ValueError(f"{path}, line {place}: {error}; write {form}") from error
        if one.person.strip() in said[one.draft]:
            raise ValueError(f"{path}, line {place}: {one.person} speaks twice of draft {one.draft}; keep one line")
        said[one.draft][one.person.strip()] = one
    if lacking := [draft for draft in wanted if len(said[draft]) < PEOPLE]:
        listed = ", ".join(map(str, lacking[:20])) + (", ..." if len(lacking) > 20 else "")  # noqa: PLR2004 - as many fit
        raise ValueError(f"{path}: fewer than {PEOPLE} people speak of the drafts {listed}; add their verdicts")
    return {draft: sum(one.relation and one.answer for one in said[draft].values()) >= PEOPLE for draft in wanted}
