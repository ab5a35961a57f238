"""List the words of captions: patterns over plain text in lower case, with the meaning of each.

A value that no property offers, such as OTHER, is still a statement: it contradicts.
"""

from collections.abc import Mapping
from types import MappingProxyType

OTHER = "other"
BESIDE = "beside"  # next to, without saying on which side: it leaves left and right open and contradicts on and under
UNNAMED = ""  # "the furniture", "the things": a place in the scene that names no value
DOUBTFUL = "anynumber"  # stands in a text for "one or two", "at least two": how many is said, and not clear
PALE = "pale"  # the colour of light wood, where there is wood: "a beige wooden chair"

_PAPER = r"(?:toilet |bathroom |loo |tissue |kitchen )?(?:paper|tissue)"
_TISSUE = r"(?:toilet|loo|bathroom|tissue|paper)[- ](?:(?:paper|tissue)[- ])?"
_OTHER_THINGS = (
    "spoon|fork|vase|lamp|box|ball|hat|cat|dog|apple|banana|plate|spatula|teapot|kettle|glass|jar|phone|laptop|shoe"
    "|boot|key|pen|pencil|bag|basket|toy|knife"
)
SUBJECTS: Mapping[str, tuple[str, str]] = {
    "book": (
        r"(?:text|note|story)?book|novel|hardcover|paperback",
        r"(?:text|note|story)?books|novels|hardcovers|paperbacks",
    ),
    "bottle": (r"bottle|flask", r"bottles|flasks"),
    "bowl": (r"bowl|basin|dish", r"bowls|basins|dishes"),
    "candle": (r"candle(?:[- ]?(?:stick|holder))?|taper", r"candle(?:[- ]?(?:stick|holder))?s|tapers"),
    "clock": (r"(?:alarm[- ])?clock|timepiece", r"(?:alarm[- ])?clocks|timepieces"),
    "mug": (
        r"mug|(?:tea|coffee)?[- ]?cup(?: and (?:a )?saucer)?|beaker",
        r"mugs|(?:tea|coffee)?[- ]?cups(?: and saucers)?|beakers",
    ),
    "plant": (
        r"(?:pot(?:ted)?|house)?[- ]?plant(?:[- ]pot)?|flower[- ]?pot|succulent",
        r"(?:pot(?:ted)?|house)?[- ]?plants|plant[- ]pots|flower[- ]?pots|succulents",
    ),
    "toilet paper": (
        rf"roll of {_PAPER}|{_TISSUE}roll",
        rf"rolls of {_PAPER}|{_TISSUE}rolls",
    ),
    OTHER: (_OTHER_THINGS, "|".join(f"{word}e?s" for word in _OTHER_THINGS.split("|")) + "|knives"),
    UNNAMED: (r"item|thing", r"items|things"),
}
"""Singulars and plurals."""
SCISSORS = r"scissors?|shears"
MASS = r"(?:toilet|bathroom|loo|tissue)[- ](?:papers?|tissues?)"  # it tells no number, its rolls do
SHEETS = frozenset({"paper", "tissue"})  # of a roll, they are toilet paper
ROLLS = MappingProxyType({"roll": "one", "rolls": "two"})

FURNITURE: Mapping[str, str] = {
    "table": r"table(?:[- ]?top)?s?|desk(?:top)?s?",
    "chair": r"(?:arm|dining |kitchen )?chairs?",
    OTHER: r"(?:stool|sofa|couch|bench|shelf|bed|cabinet|dresser|bookcase|counter)(?:e?s)?",
    UNNAMED: r"furniture|piece of furniture",
}
PARTS: Mapping[str, str] = {
    "chair": r"seats?|backrest",
    UNNAMED: r"top|surface|leg|legs|base|foot|feet|edge|cent(?:er|re)|middle",
}
"""Parts of furniture, and whose they are where that is clear."""
LEGS = frozenset({"leg", "legs", "feet"})
SURROUNDINGS = r"floor(?:ing)?|ground|carpet|rug|walls?|room|background|backdrop|tiles?|space|sides?"
FRAMES = (
    r"(?:pictures?|images?|photo(?:graph)?s?|panels?|captions?|answers?|scenes?|quer(?:y|ies)|results?|illustrations?"
    r"|descriptions?|transformations?)(?: \d\b)?"
)

COLORS: Mapping[str, str] = {
    "wood": (
        r"wood(?:en|[- ]?colou?red|[- ]?toned|y)?|reddish[- ]brown|brown(?:ish)?|oak|pine|walnut|timber|mahogany|birch"
        r"|maple|teak"
    ),
    "red": r"red(?:dish)?|crimson|scarlet|maroon|burgundy",
    "blue": r"blue|bluish|navy|azure|cobalt",
    PALE: r"beige|gold(?:en)?|tan|honey",
    OTHER: (
        r"green|yellow|white|black|gr[ae]y|purple|pink|orange|violet|silver|metal(?:lic)?|plastic|steel|turquoise|teal"
    ),
}
FINISHES = frozenset({"finish", "color", "colour", "paint", "tone", "shade", "hue", "colored", "coloured", "painted"})

NUMBERS: Mapping[str, str] = MappingProxyType(
    dict.fromkeys(("one", "1", "a", "an", "single", "lone", "sole", "1x", "x1"), "one")
    | {DOUBTFUL: DOUBTFUL}
    | dict.fromkeys(("two", "2", "both", "twin", "2x", "x2"), "two")
    | dict.fromkeys(
        ("no", "zero", "0", "three", "3", "four", "4", "five", "5", "six", "6", "several", "many", "dozen"), OTHER
    )
)
SECOND = frozenset({"another", "second"})
OPEN = frozenset({"each", "every", "either", "any", "which", "same"})
DETERMINERS = r"the|this|that|these|those|some|another|second|each|every|either|any|same|its|their"
UNITS: Mapping[str, str] = {
    "pair": r"pairs?(?: of)?",
    "two": r"(?:couple|duo)s?(?: of)?",
    "some": r"(?:set|stack|pile|group|row)s?(?: of)?",
    "roll": r"rolls?(?: of)?",
}

SIDE = (
    r"(?P<lead>(?:to|on|at|towards?|off to|from) )?(?P<whose>the |its |their )?"
    r"(?:(?:far|immediate|lower|bottom|near|direct) )?(?P<side>left|right)\b"
    # "right under" is no side, "to its right under" is
    r"(?(lead)|(?! (?:under|below|beneath|underneath|on\b|next|beside|in\b|behind|above|near|up|at\b|atop|over|by\b)))"
    r"(?P<hand>(?:[- ]?hand)?(?: (?:side|edge))?)\b(?P<of> (?:of|from)\b)?"
)
RELATIONS: Mapping[str, str] = {
    "idle": (
        r"(?:based|depend(?:s|ing)|focus(?:ed|ing)?|rel(?:y|ies|ying)) (?:up)?on|on second thought|on the other hand"
        r"|side[- ]by[- ]side|on (?:its|their) sides?|on (?:each|both|either|all) sides?"
    ),
    "beside": (
        r"(?:at|by|to|on) (?:the|one) side of|(?:right )?next to|beside|alongside|adjacent to|close to|near(?:by)?|by"
    ),
    "under": r"(?:directly |right |just |straight )?(?:underneath|under|beneath|below)(?: of)?",
    "on": r"(?:directly |right )?(?:on (?:the )?top(?: of)?|on to|onto|atop|upon|on)",
    "above": r"(?:directly |right )?(?:above|over)",
    "other": r"behind|in front of|inside(?: of)?|within|between|among",
    "carries": r"support(?:s|ing|ed)?|hold(?:s|ing)?|carr(?:y|ies|ying)|bear(?:s|ing)|topped (?:with|by)|hosts?",
}
OPPOSITE: Mapping[str, str] = MappingProxyType({"left": "right", "right": "left", "on": "under", "under": "on"})
LABELS: Mapping[str, str] = {
    "color": r"colou?rs?|materials?|finish|hue",
    "number": r"number|quantity|count|amount",
    "place": r"(?:spatial )?relation(?:ship)?|position|location|placement",
}

PRONOUNS = r"it(?:'s)?|them|they(?:'re)?|which|whom"
EACH_OTHER = r"each other|one another|another one|the other(?: one)?|each one|itself|themselves"
DENIALS = (
    r"not(?! only\b)|no longer|never|neither|nor|instead of|rather than|unlike|without|in place of|as opposed to"
    r"|replac(?:es|ing)|\w+n't"
)
PAST = r"(?:(?:was|were|had) )?(?:previously|originally|initially|formerly|used to|once)|what (?:was|were)"
LEAVING = (
    r"(?:chang(?:e|es|ed|ing)|switch(?:es|ed|ing)?|turn(?:s|ed|ing)?|mov(?:e|es|ed|ing)|went|go(?:es|ing)?) from|from"
)
TURNING = r"(?:chang(?:es|ed|ing)|turn(?:s|ed|ing)|transform(?:s|ed|ing)|convert(?:s|ed|ing))"
FILLERS = r"what(?:'s| is)?(?: now)?"
MADE = frozenset({"made", "built", "crafted", "constructed", "carved", "left", "right"})
REASONS = r"because|since|as t1|given that"
ABSENCES = r"nowhere|gone|absent|missing|removed"
LINKS = (
    r"is|are|was|were|be|been|being|has|have|had|having|stands?|standing|sits?|sitting|lies?|lying|lays?|laying|rests?"
    r"|resting|placed|positioned|located|situated|seen|set|visible|shown|shows?|showing|depicts?|depicting|features?"
    r"|featuring|contains?|containing|displays?|there|here|as|for|now|at|to|would|should|will|can|could|may|might|must"
    r"|becomes?|who|whose|where|while|when|if|then|so|thus|therefore|hence|also|too|only|just|instead|made"
    r"|out|still|remains?|stays?|appears?|depicted|pictured|but|though|i|we|you|nothing|none"
)
JOINS = r"of|in|with"
