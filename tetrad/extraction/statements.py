"""Find statements of an answer: patterns around a mentioned option.

Each pattern is tried on a short window before or after one mention, so extraction takes linear time for any text.
All texts here are plain and in lower case: patterns that ignore case search at half the speed.
"""

from functools import lru_cache

import msgspec

from tetrad.extraction.anchored import Anchored
from tetrad.extraction.mentions import Mention, last_before
from tetrad.extraction.spoken_statements import (
    Statement,
    are_joined_by_words,
    clause_begins,
    find_statement,
    has_condition,
    is_asked,
    is_conditional,
    is_denied,
    is_lesser,
    takes_back,
)
from tetrad.late_regex import late_regex

__all__ = [
    "are_joined",
    "heads_list",
    "is_boxed",
    "is_hedged",
    "is_likened",
    "is_negated",
    "is_retracted",
    "is_supposed",
    "is_taken_back",
    "names_picture",
    "statement_begins",
]

_WINDOW = 160  # characters before a mention; the longest statements of KiVA's transcripts take about 120
_AFTER = 90
_AROUND = 150  # characters after a mention, where words before it promise the rest
_SUPPOSED = 72
_LONGEST_JOIN = 24
_LONGEST_BOX_JOIN = 60  # "<|end_of_box|>, or alternatively <|begin_of_box|>"
_SHORTEST_RETRACTION = 5

_FILLING_WORDS = (
    "option|choice|answer|number|letter|picture|image|transformation|figure|candidate|pair|set|labelled|labeled|label"
    "|marked|with|by|as|the|one|therefore|clearly|thus|then|indeed|likely|probably|most|definitely|certainly|still"
    "|simply|obviously|only|us|found|in"
)
_FILLING = f"(?:{_FILLING_WORDS})"
_FILL = rf"[\s:=>\-\u2192(\[|\"]{{0,16}}(?:{_FILLING}[\s:(\[\"]{{0,4}}){{0,5}}\Z"
_LINE_FILL = _FILL.replace(r"\s", " ")  # weaker words don't count across a line's end: "at each option:\n(A) shows"
_VERB = (
    r"(?:\b(?:is|was|(?:would|should|must|will|has\sto)\s(?:\w{2,14}\s)?be)\b|'s\b|[:=]|\s[-\u2013\u2014]\s|->|\u2192)"
)
# "is actually", "is, in fact,", "is going to be"
_ADVERBS = (
    r"(?:,?\s(?:(?:most\s)?\w{2,14}ly|in\sfact|of\scourse|then|again|also|just|instead|however|i\s(?:believe|think|guess|would\ssay)"
    r"|going\sto\sbe)\b,?){0,3}"
)
_NOT_BUT = r"(?:\s*not\s[^.\n]{1,24}?\bbut\s(?:rather\s)?)?"
_ASIDE = r"\([^()\n]{2,80}\)"  # in brackets, and no label
_ANSWER = (
    r"(?:\b(?:answer|solution)\b|\b(?:correct|best|final|matching|closest)\s\w+|\bright\s(?:answer|choice|option)"
    r"|\b(?:one|option|choice|transformation|picture|image|object|pair|set|pattern|figure|candidate)"
    rf"(?:\s{_ASIDE}|,\s[^,.\n()]{{2,60}},|,)?\s(?:that|which))"
)
_CHOICE = (
    r"\b(?:option|choice|letter|match|selection|pick|response|prediction|guess|verdict|conclusion"
    r"|ans|final|best|label)\b"
)
_CHOOSING = (
    r"\b(?:choos(?:e|ing)|chose|pick(?:ed|ing)?|select(?:ed|ing)?|go(?:ing)?\swith|opt(?:ing)?\sfor|vot(?:e|ing)\sfor"
    r"|settl(?:e|ing)\son|answer\swith|prefer|leaving|(?:which|that|this)\sleaves|(?:i|we)(?:'d|'ll|\swould|\swill)?\s(?:say|guess|answer))\b"
)
# Twice as fast, because most places are skipped at their first letter.
_MAY_BEGIN = r"(?=[abcfgilmoprstvw\\<\n]|\A)"
_CHOOSING_BEFORE = late_regex(rf"{_CHOOSING}{_LINE_FILL}")
_STATED_BEFORE = late_regex(
    rf"{_MAY_BEGIN}(?:{_ANSWER}(?P<gap>(?:[^.\n()!?;:]|{_ASIDE}){{0,80}}?){_VERB}{_ADVERBS}{_NOT_BUT}{_FILL}"
    rf"|{_CHOICE}(?:\s\w+)?\s?{_VERB}{_ADVERBS}{_NOT_BUT}{_LINE_FILL}"
    rf"|{_CHOOSING}{_LINE_FILL}"
    r"|\b(?:correct|final|right|best|my)\s(?:answer|option|choice)[\s,:]{0,4}\Z"
    r"|(?:\A|\n)[\s#>\-]{0,8}(?:final\s)?answer\s{0,4}\Z|(?:\A|[.!?\n]\s{0,4})ans\.\s{0,4}\Z"
    rf"|(?:\\f?box(?:ed)?|begin.of.box\|>|<(?:final[\s_-]?)?(?:answer|ans|choice|option)>){_FILL})",
)
# Weaker words, which state an answer only when nothing but the end of the sentence follows: "So (B)." "No, it's (C)."
_CONCLUDED_BEFORE = late_regex(
    r"(?:(?:(?:\A|[.!?\n]\s{0,4})(?:clearly|obviously|definitely|certainly|undoubtedly)[ ,:]{1,3}"
    r"|\b(?:so|thus|therefore|hence|ergo|conclusion)\b[\s,:.\u2013\u2014\-]{1,5}"
    r"|\b(?:think|believe|probably|likely)\b"
    r"[ ,:.\u2013\u2014\-]{1,5})(?:(?:it|this|that)(?:'s|\sis|\smust\sbe|\sshould\sbe|\swould\sbe)\b)?"
    rf"|\b(?:it|this|that|which)(?:'s|\sis|\smust\sbe|\sshould\sbe|\swould\sbe)\b){_FILL}",
)
# The end of each word with which such a statement may end before its option, and the marks between the two.
_OTHER_LAST_WORDS = (
    "is|was|be|'s|ly|fact|course|again|also|just|instead|however|believe|think|guess|say|but|rather|so|hence|ergo"
    "|conclusion|wait|no|correction|sorry|mean|choose|choosing|chose|pick|picked|picking|select|selected|selecting|for"
    "|on|prefer|leaving|leaves|box|boxed|ans"
)
_LAST_WORDS = tuple(f"{_FILLING_WORDS}|{_OTHER_LAST_WORDS}".split("|"))
_SIGNS = frozenset(":=>\u2192-\u2013\u2014")  # one may stand for the verb
_MARKS = "".join([*_SIGNS, *'(["|,.', *filter(str.isspace, map(chr, range(0x3001)))])
_LONGEST_LAST = 32  # characters: the longest word, and marks
_SENTENCE_ENDS = late_regex(r"[)\]} ]*(?:[.!](?!\w)|\n|\Z|,?\s(?:not|because|since|if|even\sif)\b)")
_STATED_AFTER = late_regex(
    r"[\s,)]{1,3}(?:(?:is|must be|would be|should be|has to be|seems to be|appears to be)\s(?:\w+ly\s|thus\s|indeed\s)?"
    r"(?:the\s|our\s|my\s)?(?:most\s|single\s|\w+ly\s)?(?:correct|right(?![\s-](?:side|of|facing|hand))|best|answer"
    r"|match(?:ing)?\b|solution|closest|final answer|(?<=the\s)only\s(?!(?:\w+\s){0,3}(?:\w+n't|not|without)\b)"
    r"|one\s(?:that|which))"
    r"|(?:fits|matches)\sbest\b|best\s(?:fits|completes|matches)\b"
    r"|completes\sthe\s(?:pattern|puzzle|matrix|sequence|series|grid|analogy)(?=[.!](?!\w)|\s?(?:\n|\Z)|,?\s(?:because|since|if|even)\b))",
)
# Around the option that takes the place of one that is called wrong: "B is not the answer; C is".
_CONTRASTED_BEFORE = late_regex(
    r"\b(?:is(?:n't|\snot))\s(?:the\s)?(?:(?:correct|right)\s)?(?:answer|choice|option|correct|right|one)"
    r"[;,.:]\s(?:but\s|and\s)?(?:option\s)?[(\[]?\Z"
)
_CONTRASTED_AFTER = late_regex(r"[)\]]?\sis(?:\sinstead)?[ ]{0,4}(?:[.!](?!\w)|\n|\Z)")
# Before an option that answers another question: "In the example, the analogous option would be A".
_OF_EXAMPLE_BEFORE = Anchored(
    r"(?:\A|[.!?;\n]\s{0,4})(?:in|for|on)\s(?:the|this|that|our|an?)\s(?:\w{1,12}\s)?example\b"
    r"(?:(?!\b(?:so|thus|therefore|hence|here|ours)\b)[^.!?\n;]){0,80}"
    r"\b(?:analogous|corresponding|equivalent|would\s(?:be|have\sbeen)|was)\b[^.!?\n;]{0,32}\Z",
    "example",
)
_RIGHT_ONE = (
    r"(?:correct\b|right(?![\s-](?:side|of|facing|hand))\b|best\b|answer\b|match(?:ing)?\b|solution\b|closest\b"
    r"|choice\b|one\b)"
)
# Around an option that something makes right, as in "making (A) the correct answer", "leaves (B) as the best match".
_MADE_BEFORE = late_regex(
    r"\b(?:mak(?:es?|ing)|leav(?:es?|ing)|render(?:s|ing)?|identif(?:ies|ying)|confirm(?:s|ing)?)\s"
    rf"(?:(?:the\s)?{_FILLING}\s){{0,2}}\Z"
)
_MADE_AFTER = late_regex(
    rf"[)\]]?\s(?:as\s)?(?:(?:the|our|my)\s)?(?:(?:most|only|single|possible|plausible|\w+ly)\s){{0,3}}{_RIGHT_ONE}"
)
# Around an option with a reason first, as in "Since (A) turns the same way, it is the correct answer".
_REASON_BEFORE = late_regex(
    r"\b(?:since|because|as|given\sthat)\s(?:only\s|the\s\w{1,16}\s(?:in|of)\s)?"
    rf"(?:(?:the\s)?{_FILLING}\s){{0,2}}\Z"
)
_REASON_AFTER = late_regex(
    r"[^.!?\n()]{1,80}?,\s(?:it|this|that)(?:\s[^.!?\n(),;]{1,32}\sand)?"
    r"(?:'s|\s(?:is|must\sbe|would\sbe|should\sbe|has\sto\sbe))\s"
    rf"(?:(?:\w+ly|therefore|thus|then|indeed)\s)?(?:(?:the|our|my)\s)?(?:(?:only|most|single)\s)?{_RIGHT_ONE}"
)
# Around an option whose change is the example's: "The transformation in (C) is the same as the one on the top".
_CHANGE = r"(?:transformation|change|rotation|turn|flip|reflection|pattern|rule|difference|effect)"
_CHANGE_BEFORE = late_regex(
    rf"\b(?:(?:{_CHANGE}|pair|picture|image)\b(?:\sof\s\w{{1,16}})?|what\shappens)\s"
    rf"(?:(?:shown|seen|applied|made)\s)?(?:in|of|by|for|with)\s(?:(?:the\s)?{_FILLING}\s){{0,2}}\Z"
)
_GIVEN = (
    r"(?:(?:the|that|what)\s)(?:[\w']{1,16}\s){0,4}?(?:top|example|above|given|first\srow|first\spair)\b"
    r"(?:\s(?:one|pair|picture|pattern|row|exactly)){0,2}(?!,?\s(?:but|except|only|though|however)\b|,?\s\w+\snot\b)"
)
_SAME_CHANGE_AFTER = late_regex(
    r"[)\]]?\s(?:(?:is|are)\s(?:exactly\s)?(?:the\ssame\sas|identical\sto|equal\sto)|matches|mirrors|corresponds\sto)\s"
    rf"(?:in\s)?{_GIVEN}"
)
_SAME_KIND_AFTER = late_regex(
    r"[)\]]?\s(?:shows?|has|follows|undergoes|repeats|displays|exhibits)\s(?:exactly\s)?the\ssame\s"
    rf"(?:\w{{1,12}}\s)?{_CHANGE}\s(?:as|that)\s(?:in\s)?{_GIVEN}"
)
# Before a choice that the text supposes and does not make: "One might be tempted to choose (C). However".
_SUPPOSED_BEFORE = late_regex(
    r"\b(?:tempt\w*|inclined|easy|possib\w+|allow(?:s|ed)?|permit(?:s|ted)?|able|unable|ability"
    r"|(?:choice|option|alternative|chance|temptation|freedom)\s(?:of|to|for)|lets?\sus|says?\sto|tells?\sus\sto|without"
    r"|before|instead\sof|rather\sthan|may|might|could|can\sonly)\b[^.!?\n;]{0,40}\Z"
)
_OTHERS_WOULD_BEFORE = late_regex(r"\b(?!(?:i|we)\b)\w+\swould\s\Z")
_DISMISSED_AFTER = late_regex(r"[^.!?\n()]{0,40}[.;,!]\s(?:however|but|yet|still|nevertheless|looking)\b")
_CONDITION_AFTER = late_regex(
    r",?\s(?:only\s)?(?:if\s(?!i\b|we\b|forced\b|pressed\b|asked\b|one\shad\b)|when\b|where\b|unless\b|otherwise\b)"
)
_OFFERED_BEFORE = late_regex(
    r"\b(?:tempt\w*|possib\w+|allow(?:s|ed)?|able|(?:choice|option|alternative|chance|temptation)\s(?:of|to|for))\b"
    r"[^.!?\n;]{0,40}\Z"
)
# Before an option that is said to be missing, as in "There is no option (D)".
_NOUN = r"(?:option|choice|picture|image|answer|candidate|letter|label|transformation|pair|figure|panel)"
_ABSENT_BEFORE = late_regex(
    rf"(?:\b(?:no|without|lacks?)|n't\s(?:an?|any)|\bnot\s(?:an?|any))\s(?:(?:such|correct|valid|further|other)\s)?"
    rf"{_NOUN}\s(?:(?:label+ed|called|marked|named)\s)?\Z|\w\sno\s\Z"
)
_ABSENT_ENDS = (*_NOUN[3:-1].split("|"), "led", "marked", "named", "no")  # the last word before the option
# A heading that a list of options follows, which names no option itself: "the pair that matches:\n- (A) ...\n- (B) ..."
_HEADING_STATES = late_regex(
    r"(?<!each\s)(?<!every\s)\b(?:answer|option|choice)\s(?:is|was|would\sbe|must\sbe|should\sbe)\s?:?[\s#>*\-\u2022]*\Z"
)
# An option that another one replaces: "B -> C".
_REPLACED_BEFORE = late_regex(r"[(\[]?\b(?:[a-z]|\d{1,3})[)\]]?\s{0,3}(?:->|=>|\u2192)\s{0,3}\Z")
# After a statement, another option that may be right as well: "it could also be C", "but C is also possible".
_OTHER = r"[(\[]?(?:[b-z]|\d{1,2})[)\]]?"
_OTHER_TOO = (
    Anchored(
        rf"\b(?:could|might|may)\s(?:also|equally)\sbe\s(?:option\s)?{_OTHER}(?!\w)"
        rf"|(?<![\w']){_OTHER}\s(?:could|might|may)\s(?:also|equally)\sbe\b"
        rf"|(?<![\w']){_OTHER}\s(?:is|seems|might\sbe|could\sbe)\s(?:also|equally)\s(?:possible|plausible|likely|valid|a\spossibility)",
        *("could", "might", "may", "possib", "plausib", "likely", "valid"),
    ),
    Anchored(rf"[.;(]\s?or\s(?:maybe\s|perhaps\s|option\s)?{_OTHER}\s?(?:[.!?\n]|\Z)", "or"),
    Anchored(rf"[.,;(]\s?but\s(?:maybe\s|perhaps\s|option\s)?{_OTHER}\s(?:might|could|may)\b", "but"),
)
# Words after which the rest of the clause is no statement: "I don't think the answer is", "if the answer is".
_HEDGED_BEFORE = late_regex(
    r"(?:n't|\b(?:not|never|doubt|if|whether|unless|suppose|assuming|neither|nor|wrong|incorrect|cannot|than|each|every))[^\S\n]+"
    r"(?:(?!(?:and|but|had|so|therefore|thus|then)\b)\w+[^\S\n]+){0,6}[(\[]?\Z",
)
_NEGATION = late_regex(
    r"n't\b|\b(?:not|never|neither|nor|wrong|incorrect|different|least|false|depends|among|between|choices|options)\b"
)
_NEGATED_BEFORE = late_regex(
    r"(?:n't|\b(?:not|neither|nor|unlike|than|if|whether|unless|cannot|rul(?:e|es|ed|ing)\sout|eliminat(?:e|es|ed|ing)"
    r"|exclud(?:e|es|ed|ing)))\b(?:(?:(?!\bbut\b)[^.!?\n;,:]){0,60}|\s?:\s{0,4})\Z"
    r"|\b(?:wrong|incorrect)\s(?:answer|option|choice|one|pick)\s{0,3}(?:is\b|was\b|:)[\s(]{0,3}\Z",
)
_NEGATED_AFTER = late_regex(
    r"[\s,]{0,3}(?:which\s)?(?:(?:is|are|was|would be|seems|looks)"
    r"(?:n't|\s(?:\w{1,12}ly\s)?not|\s(?:\w+ly\s)?(?:wrong|incorrect|out\b|ruled|eliminated))"
    r"|do(?:es)?(?:n't|\snot)|cannot|can't|can\sbe\s(?:ruled|excluded|eliminated|discarded))",
)
_JOIN = late_regex(
    r"[\s,;/&+|)\]}]*(?:\b(?:and|or|und|oder|et|ou|y|o|e)\b|\u548c|\u6216|\u6216\u8005|\u4e0e)?\s*"
    rf"(?:\b(?:maybe|perhaps|possibly|also|else|both)\b\s*)?(?:\b{_FILLING}\b\s*)?[(\[]?",
)
_JOINING_WORD = late_regex(r"[/&]|\b(?:and|or)\b")
# Between two boxes that stand side by side: "\boxed{A} or \boxed{B}".
_BOX = r"(?:\\f?box(?:ed)?|<\|begin.of.box\|>)"
_BOX_JOIN = late_regex(
    r"(?:<\|end.of.box\|>|[\s,;.:/&+|)\]}])*(?:\b(?:and|or|und|oder|et|ou|y|o|e)\b|\u548c|\u6216|\u6216\u8005|\u4e0e)?[\s,]*"
    rf"(?:\b(?:maybe|perhaps|possibly|also|else|both|even|alternatively|{_FILLING}|is)\b[\s,:]*){{0,5}}{_BOX}[\s(\[]*",
)
_BOX_BEFORE = late_regex(rf"{_BOX}{_FILL}")
_EXAMPLE_BEFORE = late_regex(r"(?:\b(?:example|such\sas|like|form|format|style)|\be\.g\.)[\s,:($]*\Z")
# Before a letter that names a picture: "image D", "pictures C and D", "image C -> D".
_PICTURE = r"\b(?:image|picture|photo|photograph|figure|panel)"
_PICTURE_NAMES = ("image", "picture", "photo", "figure", "panel")
_AFTER_PICTURE = frozenset(":#([/&>\u2192")  # or a blank: what may stand between a picture's noun and its name
_PICTURE_BEFORE = Anchored(
    rf"{_PICTURE}(?:\s|s\s)[:#(\[]?\s?(?:\w{{1,3}}'?[)\]]?(?:,\s(?:and\s|or\s)?|\s(?:and|or|to|into)\s|\s?(?:/|&|->|\u2192)\s?)[(\[]?){{0,4}}\Z",
    *_PICTURE_NAMES,
)
_LIST_GOES_ON = late_regex(r"[)\]]?(?:,|\s(?:and|or)\b)")
_CALLED_BEFORE = Anchored(
    rf"{_PICTURE}\s(?:is|was|called|named|marked|label(?:l?ed)?|must\sbe|would\sbe|should\sbe|will\sbe)\s(?:the\s)?[(\[]?\Z",
    *_PICTURE_NAMES,
)
_OPTION_BEFORE = late_regex(r"\b(?:answer|option|choice|solution|description|statement|text)s?\b[^.!?\n]{0,120}\Z")
_LINE_ENDS = late_regex(r"[ .:!)\]]{0,8}(?:\n|\Z)")
_NEW_CLAUSE = late_regex(
    r"[)\]]?\s+(?:is|isn't|shows?|does|doesn't|has|was|would|can|cannot|can't|only)\b"
    r"|[)\]]?\s+\w{3,14}[^s\W]s\s(?:it|its|the|an?|in|by|to)\b"
)
# What takes back a statement anywhere after it stands in `languages`. These words may be said of anything, so they take
# back only what stands right before them.
_RETRACTED_AT_ONCE = late_regex(
    r"[\s.!,)\u2013\u2014-]{0,6}(?:but\s|no,?\s)?(?:that|this|it)(?:'s|\sis|\swas)\s(?:wrong|incorrect|not\s(?:right|correct))",
)


def statement_begins(text: str, mention: Mention, since: int) -> int | None:
    """Return the place at which the statement of this mention as the answer begins; None if the text states nothing.

    Nothing before `since` is looked at, because a statement doesn't span many other mentions. A reply of nothing but
    mentions still takes linear time.
    """
    if _is_absent(text, mention) or is_asked(text, mention.end):
        return None
    if (replaced := _find_replaced(text, mention)) is not None:
        mention = msgspec.structs.replace(mention, start=replaced)
    found = _find_statement(text, mention, since)
    if found is None or is_lesser(text, found, mention) or is_denied(text, found.clause, mention):
        return None
    if _OF_EXAMPLE_BEFORE.search(text, max(0, mention.start - _WINDOW), mention.start):
        return None
    return None if is_conditional(text, found.begins, found.ends) else found.begins


def _find_statement(text: str, mention: Mention, since: int) -> Statement | None:
    return _find_english(text, mention, since) or find_statement(text, mention, since)


def _find_replaced(text: str, mention: Mention) -> int | None:
    """Return the place of the option that this one replaces at the end of its sentence, as in "B -> C"."""
    if not _SENTENCE_ENDS.match(text, mention.end):
        return None
    replaced = _REPLACED_BEFORE.search(text, max(0, mention.start - _LONGEST_JOIN), mention.start)
    return replaced.start() if replaced else None


def _find_english(text: str, mention: Mention, since: int) -> Statement | None:
    """Return the statement that words around an option make of it in English, or None."""
    if mention.firm and (begins := _stated_before(text, mention, since)) is not None:
        return Statement(begins, mention.end, clause_begins(text, begins))
    if _CONTRASTED_AFTER.match(text, mention.end) and (begins := _contrasted_from(text, mention)) is not None:
        return Statement(begins, mention.end, clause_begins(text, mention.start))
    stated = _STATED_AFTER.match(text, mention.end, mention.end + _AFTER)
    if (stated or _is_stated_around(text, mention)) and not is_hedged(text, mention.start):
        return Statement(mention.start, stated.end() if stated else mention.end, clause_begins(text, mention.start))
    return None


def _contrasted_from(text: str, mention: Mention) -> int | None:
    """Return where the words before an option begin that call another one wrong."""
    found = _CONTRASTED_BEFORE.search(text, max(0, mention.start - _AROUND), mention.start)
    return None if found is None else found.start()


def _stated_before(text: str, mention: Mention, since: int) -> int | None:
    if not _may_end_statement(text, mention.start):
        return None
    opens = max(since, mention.start - _WINDOW)
    stated = _STATED_BEFORE.search(text, opens, mention.start)
    if stated and stated["gap"] and _NEGATION.search(stated["gap"]):
        return None
    if stated is None and _SENTENCE_ENDS.match(text, mention.end):
        stated = _CONCLUDED_BEFORE.search(text, opens, mention.start)
    if stated is None or is_hedged(text, stated.start()):
        return None
    is_choice = _CHOOSING_BEFORE.search(text, stated.start(), mention.start) is not None
    return None if is_choice and _is_supposed(text, stated.start(), mention) else stated.start()


def _may_end_statement(text: str, place: int) -> bool:
    """Return whether the last word or mark before a place is one with which words that state an answer may end."""
    before = text[max(0, place - _LONGEST_LAST) : place]
    said = before.rstrip(_MARKS)
    return (said != "" and said.endswith(_LAST_WORDS)) or not _SIGNS.isdisjoint(before[len(said) :])


def _is_stated_around(text: str, mention: Mention) -> bool:
    """Return whether words before and after the option state it together: "making (A) the correct answer"."""
    if not last_before(text, mention.start).isspace():
        return False
    opens = max(0, mention.start - _AFTER)
    return any(
        after.match(text, mention.end, mention.end + _AROUND) and before.search(text, opens, mention.start)
        for before, after in ((_MADE_BEFORE, _MADE_AFTER), (_REASON_BEFORE, _REASON_AFTER))
    )


def is_likened(text: str, mention: Mention) -> bool:
    """Return whether the option's change is said to be the example's: "the change in (A) is the same as on top".

    It states an answer if it is said of one option alone.
    """
    if not mention.firm or is_hedged(text, mention.start):
        return False
    said = _SAME_KIND_AFTER.match(text, mention.end, mention.end + _AROUND)
    if said is None and _SAME_CHANGE_AFTER.match(text, mention.end, mention.end + _AROUND):
        said = _CHANGE_BEFORE.search(text, max(0, mention.start - _AFTER), mention.start)
    return said is not None and not is_open(text, mention)


def is_open(text: str, mention: Mention) -> bool:
    """Return whether the sentence of the option is a question, or depends on a condition."""
    if is_asked(text, mention.end):
        return True
    if not has_condition(text, mention.start, mention.end):
        return False
    stated = _find_statement(text, mention, 0)
    return is_conditional(text, mention.start if stated is None else stated.begins, mention.end)


def is_supposed(text: str, mention: Mention) -> bool:
    """Return whether the option is only supposed: "one might choose (A). However", "(A) if none fits", "is it (A)?"."""
    if is_open(text, mention) or is_taken_back(text, mention.end):
        return True
    if not _may_end_statement(text, mention.start):
        return False
    choosing = _CHOOSING_BEFORE.search(text, max(0, mention.start - _WINDOW), mention.start)
    return choosing is not None and _is_supposed(text, choosing.start(), mention)


def _is_supposed(text: str, begins: int, mention: Mention) -> bool:
    """Return whether words around a choice that begins at `begins` make it one that the text does not make."""
    opens = max(0, begins - _SUPPOSED)
    if _OFFERED_BEFORE.search(text, opens, begins) or _CONDITION_AFTER.match(text, mention.end, mention.end + _AFTER):
        return True
    is_dismissed = _DISMISSED_AFTER.match(text, mention.end, mention.end + _AFTER) is not None
    supposed = (_SUPPOSED_BEFORE, _OTHERS_WOULD_BEFORE)
    return is_dismissed and any(pattern.search(text, opens, begins) for pattern in supposed)


def heads_list(text: str, begins: int, mention: Mention) -> bool:
    """Return whether the words before an option that opens a line may be the heading of a list: "the one that is:"."""
    between = text[begins : mention.start]
    return "\n" in between and not _HEADING_STATES.search(between)


def _is_absent(text: str, mention: Mention) -> bool:
    if not last_before(text, mention.start).isspace() or not text.endswith(_ABSENT_ENDS, 0, mention.start - 1):
        return False
    return _ABSENT_BEFORE.search(text, max(0, mention.start - _SUPPOSED), mention.start) is not None


def is_hedged(text: str, place: int) -> bool:
    """Return whether words before a place make a statement there none: "I don't think", "if"."""
    return _HEDGED_BEFORE.search(text, max(0, place - 64), place) is not None


def is_negated(text: str, mention: Mention) -> bool:
    """Return whether the option is ruled out, or only asked for, where it is named.

    Examples: "not (A)", "(A) is wrong", "there is no option (A)", "(A) is correct if it is mirrored".
    """
    if (
        is_open(text, mention)
        or _is_absent(text, mention)
        or is_denied(text, clause_begins(text, mention.start), mention)
    ):
        return True
    stated = _find_statement(text, mention, 0)
    if stated is not None and is_lesser(text, stated, mention):
        return True
    before = _NEGATED_BEFORE.search(text, max(0, mention.start - 72), mention.start)
    return before is not None or _NEGATED_AFTER.match(text, mention.end, mention.end + _AFTER) is not None


def are_joined(text: str, left: Mention, right: Mention) -> bool:
    """Return whether two neighbouring mentions name two options at once: "B or C", "(A) and (B)", "A/B"."""
    if left.written == right.written or right.start - left.end > _LONGEST_BOX_JOIN or not (left.firm and right.firm):
        return False
    if _BOX_JOIN.fullmatch(text, left.end, right.start):
        return is_boxed(text, left)
    if right.start - left.end > _LONGEST_JOIN:
        return False
    if "\n" in text[left.end : right.start] and not _LINE_ENDS.match(text, right.end):
        return False  # "(C)" on a line of its own, then "(A) and (B) differ"
    is_list = _JOIN.fullmatch(text, left.end, right.start) or are_joined_by_words(text, left, right)
    if not is_list:
        return False
    is_subject = _STATED_AFTER.match(text, right.end) and _JOINING_WORD.search(text, left.end, right.start)
    return bool(is_subject) or not _NEW_CLAUSE.match(text, right.end)  # "B or C is correct"


def is_retracted(text: str, mention: Mention) -> bool:
    """Return whether the text takes back its last statement and makes no other: "(A). Wait, that's wrong"."""
    return is_taken_back(text, mention.end)


def is_taken_back(text: str, end: int) -> bool:
    """Return whether the text takes back what it states before `end`."""
    if len(text) - end < _SHORTEST_RETRACTION:
        return False
    at_once = _RETRACTED_AT_ONCE.match(text, end, end + _AFTER)
    return at_once is not None or _doubted_at(text) >= end or takes_back(text, end)


@lru_cache(maxsize=4)
def _doubted_at(text: str) -> int:
    """Return where the text says for the last time that another option may be right as well, or -1."""
    return max([match.start() for words in _OTHER_TOO for match in words.finditer(text)], default=-1)


def is_boxed(text: str, mention: Mention) -> bool:
    """Return whether the option stands in a box of its reply, and not in one that only shows the form of an answer."""
    boxed = _BOX_BEFORE.search(text, max(0, mention.start - _AFTER), mention.start)
    if boxed is None:
        return False
    return _EXAMPLE_BEFORE.search(text, max(0, boxed.start() - _LONGEST_JOIN), boxed.start()) is None


def names_picture(text: str, mention: Mention) -> bool:
    """Return whether this is the name of a picture: "image D", "images C and D", "the final image is D".

    Only for questions that call pictures by letters. "The answer for the image is D" names an option.
    """
    last = last_before(text, mention.start)
    if not (last.isspace() or last in _AFTER_PICTURE):
        return False
    opens = max(0, mention.start - _SUPPOSED)
    if _PICTURE_BEFORE.search(text, opens, mention.start):
        # In "compare images A and B, C is right" the list of pictures has ended.
        return not text.endswith(", ", 0, mention.start) or _LIST_GOES_ON.match(text, mention.end) is not None
    called = _CALLED_BEFORE.search(text, opens, mention.start)
    return called is not None and not _OPTION_BEFORE.search(text, max(0, called.start() - _WINDOW), called.start())
