"""Find a last line such as "Svar: B", in languages of which nothing else is read.

Nothing may stand in the line but the word for an answer and the answer, and nothing after it. So whatever denies,
doubts or corrects the answer in such a language leaves it unread: "Inte svar: B", "Svar: inte B", "Svar: B eller C".
"""

from tetrad.extraction.mentions import Mention
from tetrad.late_regex import late_regex

__all__ = ["ANSWER_WORDS", "answer_line_begins"]

ANSWER_WORDS = {
    # openai/simple-evals, common.py: MULTILINGUAL_ANSWER_REGEXES
    "Arabic": (
        "\u0627\u0644\u0625\u062c\u0627\u0628\u0629",
        "\u0627\u0644\u062c\u0648\u0627\u0628",
        "\u0625\u062c\u0627\u0628\u0629",
        "\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0627\u0644\u0646\u0647\u0627\u0626\u064a\u0629",
        "\u0627\u0644\u0625\u062c\u0627\u0628\u0629 \u0627\u0644\u0635\u062d\u064a\u062d\u0629",
        "\u0627\u0644\u062c\u0648\u0627\u0628 \u0627\u0644\u0646\u0647\u0627\u0626\u064a",
    ),
    "Bengali": ("\u0989\u09a4\u09cd\u09a4\u09b0",),
    "Hindi": ("\u0909\u0924\u094d\u0924\u0930",),
    "Indonesian": ("jawaban",),
    "Swahili": ("jibu",),
    "Yoruba": ("idahun", "\u00ecd\u00e1h\u00f9n", "id\u00e1h\u00f9n"),
    # EuroEval, src/euroeval/prompt_templates/multiple_choice.py
    "Bulgarian": ("\u043e\u0442\u0433\u043e\u0432\u043e\u0440",),
    "Croatian, Serbian, Slovene": ("odgovor",),
    "Czech": ("odpov\u011b\u010f",),
    "Danish, Norwegian, Swedish": ("svar",),
    "Dutch": ("antwoord",),
    "Estonian": ("vastus",),
    "Finnish": ("vastaus",),
    "Greek": ("\u03b1\u03c0\u03ac\u03bd\u03c4\u03b7\u03c3\u03b7",),
    "Hungarian": ("v\u00e1lasz",),
    "Latvian": ("atbilde",),
    "Lithuanian": ("atsakymas",),
    "Polish": ("odpowied\u017a",),
    "Romanian": ("r\u0103spuns",),
    "Slovak": ("odpove\u010f",),
    "Ukrainian": ("\u0432\u0456\u0434\u043f\u043e\u0432\u0456\u0434\u044c",),
    # DAMO-NLP-SG/M3Exam, main.py; the second Vietnamese word: https://en.wiktionary.org/wiki/\u0111\u00e1p_\u00e1n
    "Thai": ("\u0e04\u0e33\u0e15\u0e2d\u0e1a",),
    "Vietnamese": ("c\u00e2u tr\u1ea3 l\u1eddi", "\u0111\u00e1p \u00e1n"),
}
"""The words for an answer in languages that are read in this form alone, each with a public source, in lower case."""

_WORDS = "|".join(sorted((word for words in ANSWER_WORDS.values() for word in words), key=len, reverse=True))
_BEFORE = late_regex(rf"(?:\A|\n)[ #>*\-]{{0,8}}(?P<word>{_WORDS})\s?:\s{{0,4}}\Z")
_AFTER = late_regex(r"[ )\]}.!\n|]*\Z")
_LONGEST = 48  # characters: the marks, the longest word and the colon


def answer_line_begins(text: str, mention: Mention) -> int | None:
    """Return where the line begins that gives the answer and ends the reply; None if the last line is another one."""
    if not mention.firm or not _AFTER.match(text, mention.end):
        return None
    line = _BEFORE.search(text, max(0, mention.start - _LONGEST), mention.start)
    return None if line is None else line.start("word")
