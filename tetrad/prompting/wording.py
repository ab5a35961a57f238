"""Define the words around a question as data. An operator overrides any of them with a small TOML file."""

import string
import tomllib
from collections.abc import Mapping
from pathlib import Path

import msgspec

from tetrad.contracts.items import Question
from tetrad.prompting.steps import Steps

PLACEHOLDERS: Mapping[str, frozenset[str]] = {
    "system": frozenset(),
    "picture": frozenset({"number", "caption"}),
    "option_picture": frozenset({"number", "caption", "label"}),
    "picture_again": frozenset({"number", "caption"}),
    "option_picture_again": frozenset({"number", "caption", "label"}),
    "question": frozenset({"text"}),
    "text_option": frozenset({"label", "text"}),
    "picture_option": frozenset({"label", "number"}),
    "bare_option": frozenset({"label"}),
    "instruction": frozenset({"instruction"}),
    "solution": frozenset({"label"}),
    "no_reply": frozenset(),
}


OF_OPTIONS = (
    "You are shown a puzzle made of pictures. Each picture comes right after the line that names it. "
    "Look at every picture, then choose exactly one of the options offered."
)
IN_OWN_WORDS = (
    "You are given a puzzle about pictures. Each picture that is shown comes right after the line that names it: look "
    "at every one. Then answer in the form that the question asks for."
)


class WordingError(ValueError):
    """A wording does not fit; the message names the file or field, what is wrong, and what it may hold."""


class Wording(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Templates of one prompt, filled with str.format; an empty one leaves its piece out.

    `option_picture` introduces a picture that belongs to one option, `picture` every other. `option_picture_again` and
    `picture_again` replace a picture that an earlier turn of the conversation has shown. `number` is the picture's
    number; where its caption is "picture A", `number` is A and `caption` empty. `no_reply` replaces a reply in an
    earlier turn that was empty, because many servers refuse an empty message. `solution` is the reply to a solved
    example. Solvers recover the question from the prompt (tetrad.solvers.seen_question). They find an option by a label
    in brackets at the start of a line, its picture by a single bracketed label in the words just before it, and a
    picture shown above by its number.
    `system` None stands for our own words: one text for questions with options, another for those without. `strategies`
    replaces the steps of a strategy by its name, or adds one; their texts have no placeholders.
    """

    system: str | None = None
    picture: str = "Picture {number}. {caption}"
    option_picture: str = "Picture {number}, option ({label}). {caption}"
    picture_again: str = "Picture {number}, shown above. {caption}"
    option_picture_again: str = "Picture {number}, shown above, option ({label}). {caption}"
    question: str = "{text}"
    text_option: str = "({label}) {text}"
    picture_option: str = "({label}) picture {number}"
    bare_option: str = "({label})"
    instruction: str = "{instruction}"
    solution: str = "({label})"
    no_reply: str = "(no reply)"
    strategies: dict[str, Steps] = {}

    def __post_init__(self) -> None:
        """Check that every template can be filled; WordingError if not."""
        for field, allowed in PLACEHOLDERS.items():
            _check(field, getattr(self, field) or "", allowed)

    def system_for(self, question: Question) -> str:
        if self.system is not None:
            return self.system
        return OF_OPTIONS if question.options else IN_OWN_WORDS


def load_wording(path: Path) -> Wording:
    """Read a TOML file that sets some of the templates; the others keep their default.

    Raises:
        WordingError: the file can't be read, names an unknown template, or a template has a wrong placeholder.
    """
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Wording)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise WordingError(f"{path}: {error}; give a TOML file of templates") from error
    except msgspec.ValidationError as error:
        raise WordingError(
            f"{path}: {error}; templates are {', '.join(PLACEHOLDERS)}, all text, and tables [strategies.NAME]"
        ) from error


def _check(field: str, template: str, allowed: frozenset[str]) -> None:
    try:
        used = {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}
    except ValueError as error:
        raise WordingError(f"{field}: {error}; write a brace itself as {{{{ or }}}}") from error
    if used - allowed:
        wrong, known = ", ".join(sorted(used - allowed)), ", ".join(sorted(allowed)) or "none"
        raise WordingError(f"{field}: unknown placeholder {wrong}; it may use: {known}")
