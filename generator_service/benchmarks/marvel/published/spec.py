"""Define MARVEL as published: the fields of its JSON, and one puzzle as pure data (Jiang et al., 2024)."""

import msgspec

NAME = "marvel-published"
VERSION = 1

# As the benchmark that draws fresh puzzles names them.
PATTERNS = {
    "Temporal Movement": "temporal movement",
    "Spatial Relationship": "spatial relationship",
    "Quantities": "quantities",
    "Mathematical": "mathematical",
    "2D-Geometry": "2d-geometry",
    "3D-Geometry": "3d-geometry",
}
NET = "reassembling"  # one net, and nothing blank
# How many panels a configuration has, the blank one included; a sequence has 4 to 8.
CONFIGURATIONS: dict[str, tuple[str, range]] = {
    "Sequence": ("sequence", range(4, 9)),
    "Two-row": ("two-row", range(6, 7)),
    "Matrix": ("matrix", range(9, 10)),
    "Group": ("group", range(3, 4)),
    "3D": (NET, range(1, 2)),
}
CHOICES = 4
FULL, AVR_ONLY, OWN_WORDS = "full", "avr-only", "own-words"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One object of the published JSON, without the fields that we don't use. Texts of questions may be left out."""

    id: int
    pattern: str
    task_configuration: str
    answer: int
    f_perception_question: str
    f_perception_answer: str
    f_perception_distractor: str
    c_perception_answer_tuple: tuple[int, int, int]
    avr_question: str = ""
    c_perception_question_tuple: tuple[str, str, str] = ("", "", "")


class Puzzle(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One puzzle. `picture` is the SHA-256 of its PNG. Panels are those of the context, the blank one included.

    own_words: the data set's texts of the three counts and of the puzzle; none in a set that was mounted without them.
    """

    id: int
    pattern: str
    configuration: str
    answer: int
    panels: int
    detail: str
    detail_right: str
    detail_wrong: str
    picture: str
    own_words: tuple[str, ...] = ()


class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """A puzzle with the two answers to its detail in places.

    full: asks the perception questions, too. own_words: asks as the data set does.
    """

    puzzle: Puzzle
    details: tuple[str, str]
    full: bool
    own_words: bool = False
