"""What states an answer in a language is read; its twins that deny, hedge, condition or correct it are not."""

from collections import Counter

from tests.unit.tetrad.extraction.replies import LETTERS
from tests.unit.tetrad.extraction.stated_answers import SPEECHES, Twin, twins_of
from tetrad.extraction import extract_choice

FEWEST_TWINS = 600


def test_each_affirmation_is_read_and_none_of_its_twins_is_read_as_one() -> None:
    twins = [
        (language, twin)
        for language in SPEECHES
        for label, other in (("B", "C"), ("(B)", "(C)"))
        for twin in twins_of(language, label, other)
    ]
    assert len({twin.reply for _, twin in twins}) >= FEWEST_TWINS
    wrong = [
        f"{language} {twin.rule}: {twin.reply!r} reads {read}" for language, twin in twins if (read := _misread(twin))
    ]
    counts = Counter(line.split(":")[0] for line in wrong)
    assert not wrong, "\n".join([f"{len(wrong)} of {len(twins)} misread: {dict(counts)}", *wrong])


def _misread(twin: Twin) -> str | None:
    """Return what a twin reads as, if it is not its answer."""
    read = extract_choice(twin.reply, LETTERS)
    expected = None if twin.answer is None else twin.answer.strip("()")
    return None if read.answer == expected else f"{read.answer} ({read.reason})"
