"""Find the values that a caption's phrases state.

This file has four parts: subjects and furniture; numbers; colours; the spatial relation. The last part is the longest:
it finds, for each relation, the noun that it is about and the noun that it is measured from.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrad.extraction.captions.phrases import Phrase, phrases
from tetrad.extraction.captions.tokens import stated_tokens, tokens
from tetrad.extraction.captions.words import BESIDE, DOUBTFUL, LEGS, OPPOSITE, OTHER, PALE, SECOND, UNNAMED

__all__ = ["Stated", "stated_in"]

Stated = dict[str, set[str]]
"""The values stated of each property: none is left open, more than one contradict each other."""

_NAMING = frozenset({"subject", "furniture", "part", "surrounding", "frame", "unknown"})
_NOUNS = frozenset({"subject", "furniture", "part", "surrounding", "frame", "unknown", "pronoun", "self"})
_MAIN = frozenset({"subject", "furniture", "frame", "unknown", "pronoun"})
_THINGS = frozenset({"subject", "furniture"})
_SIDES = frozenset({"left", "right"})
_CLAUSE = frozenset({"end", "mark", "comma", "both", "label"})
_RELATIONS = frozenset({"side", "bare", "relation"})
# Tokens that may be next to a relation without a noun: "with a clock underneath", "position: on".
_AFTER_ALONE = frozenset({"end", "mark", "comma", "closes", "both", "side", "link"})
_PHRASES_AHEAD = 10
_ON = {"above": "on"}
_TOPS = frozenset({"top", "surface", "tabletop"})
_NOTHING = Phrase(kind="end")
_THEY = frozenset({"they", "them", "they're"})


def stated_in(text: str) -> Stated:
    """Return the values that plain text in lower case states of each property, as present and not denied."""
    return _interpret(phrases(stated_tokens(tokens(text))))


def _interpret(found: Sequence[Phrase]) -> Stated:
    main = _without_attributes(found)
    subjects = [phrase for phrase in main if phrase.kind == "subject"]
    furniture = {phrase.value for phrase in main if phrase.kind == "furniture"} - {UNNAMED}
    parts = {phrase.value for phrase in main if phrase.kind == "part"} - {UNNAMED}
    named = {phrase.value for phrase in subjects} - {UNNAMED}
    return {
        "subject": named,
        "subject_number": _numbers(main, [phrase for phrase in subjects if phrase.value or not named]),
        "object": furniture or parts,
        "object_color": _without_undercoat(_colors(main)),
        "spatial_relation": _places(main),
    }


def _without_attributes(found: Sequence[Phrase]) -> list[Phrase]:
    """Leave out a subject's contents and containers: a plant in a pot, a bottle of wine, a bowl with a spoon."""
    kept: list[Phrase] = []
    for place, phrase in enumerate(found):
        before = found[place - 1] if place else None
        owner = found[place - 2] if place > 1 else None
        if (
            phrase.kind == "subject"
            and before is not None
            and owner is not None
            and before.kind == "join"
            and owner.kind == "subject"
            and (before.text != "with" or phrase.value == OTHER)
        ):
            continue
        kept.append(phrase)
    return kept


def _numbers(main: Sequence[Phrase], subjects: Sequence[Phrase]) -> set[str]:
    """Return the numbers stated of the subjects: by numerals, or else by the forms of the nouns.

    "A bottle and another bottle" are two.
    """
    if any(phrase.words & SECOND for phrase in subjects):
        return {"two"}
    told = {phrase.number for phrase in subjects if phrase.number} | _labelled_numbers(main)
    if DOUBTFUL in told:
        return set()
    return told or {phrase.form for phrase in subjects if phrase.form}


def _labelled_numbers(main: Sequence[Phrase]) -> set[str]:
    """Return the numbers after "number:", or behind their noun: "the scissors (one pair)", "mug x2"."""
    found = set[str]()
    labelled, last = False, ""
    for place, phrase in enumerate(main):
        if phrase.kind in {"label", "end"}:
            labelled = phrase.value == "number"
        elif phrase.kind == "loose" and phrase.number:
            if labelled or (last == "subject" and _is_behind(main, place)):
                found.add(phrase.number)
            labelled = False
        elif phrase.kind in {"subject", "furniture"}:
            last = phrase.kind
    return found


def _is_behind(main: Sequence[Phrase], place: int) -> bool:
    """Return whether a number stands behind its noun: in parentheses, after a colon, or as one of a list."""
    before, after = main[place - 1], main[place + 1] if place + 1 < len(main) else None
    listed = before.kind in {"comma", "mark"} and (after is None or after.kind in {"comma", "mark", "end"})
    return listed or before.text in {"(", ":"} or main[place].text.startswith("x")


def _colors(main: Sequence[Phrase]) -> set[str]:
    """Return the colours of the furniture: before its noun, said of it, or after "color:"; never the subject's."""
    nouns = [phrase for phrase in main if phrase.kind == "furniture" or (phrase.kind == "part" and _is_whole(phrase))]
    own = {color for phrase in nouns for color in phrase.colors} | _said_colors(main)
    return own or {color for phrase in main if phrase.kind == "part" for color in phrase.colors}


def _is_whole(part: Phrase) -> bool:
    """Return whether a part's colour is the colour of the furniture: a red seat's is, that of red legs is not."""
    return part.text not in LEGS


def _said_colors(main: Sequence[Phrase]) -> set[str]:
    """Return colours that are said of furniture without a noun: "the table is red", "it is red", "color: red"."""
    found = set[str]()
    last, thing, labelled = "", "", False  # the noun named last, the noun that "it" stands for, whether it is "color:"
    for place, phrase in enumerate(main):
        if phrase.kind == "unknown" and place and main[place - 1].text == "in":
            continue  # "which in this version is red"
        if phrase.kind == "loose" and phrase.colors:
            found.update(phrase.colors if last == "furniture" or labelled else ())
            labelled = False
        elif phrase.kind == "label":
            labelled = phrase.value == "color"
        elif phrase.kind == "pronoun":
            last = thing
        elif phrase.kind in _NAMING:
            last = "furniture" if phrase.kind == "part" else phrase.kind
            thing = last if last in {"subject", "furniture"} else thing
            labelled = labelled and last == "furniture"
        elif phrase.kind == "end":
            last = ""
    return found


def _without_undercoat(found: set[str]) -> set[str]:
    """Return the colours without what is under the paint: a "red wooden chair" is red. "Beige wood" is wood."""
    if found & {"red", "blue"}:
        return found - {"wood", PALE}
    if PALE in found:
        return found - {PALE} if "wood" in found else (found - {PALE}) | {OTHER}
    return found


@dataclass(frozen=True)
class _Place:
    """`measured`: it is measured from a named piece of furniture or subject, not from the picture as a whole."""

    relation: str
    measured: bool


def _places(main: Sequence[Phrase]) -> set[str]:
    """Return the stated places of the subject, measured from the furniture."""
    found = _Relations(main).find_places()
    measured = {place.relation for place in found if place.measured}
    alone = {place.relation for place in found if not place.measured}
    if measured & _SIDES:
        # Diagonally below is left or right.
        return measured - {"under", BESIDE, OTHER}
    if measured & {"on", "under"}:
        sides = alone & _SIDES
        return sides if sides and measured & {"on", "under"} == {"under"} else measured & {"on", "under"}
    if alone & {*_SIDES, "on", "under"}:
        return alone & _SIDES or alone & {"on", "under"}
    return (measured | alone) - {BESIDE, OTHER} or (measured | alone)


class _Relations:
    """One pass over the phrases, which remembers the nouns named last."""

    def __init__(self, main: Sequence[Phrase]) -> None:
        self._main = main
        self._figure = ""  # the kind of noun that the clause is about
        self._last = ""  # the kind of thing last named: what a pronoun at a clause's begin stands for
        self._fresh = True  # nothing named yet in this clause
        self._ground = -1  # the place of a noun that a relation is measured from
        self._labelled = False
        self._named = set[str]()

    def find_places(self) -> list[_Place]:
        found: list[_Place | None] = []
        for at, phrase in enumerate(self._main):
            if phrase.kind in _RELATIONS:
                found.append(self._relation(at, phrase))
            elif phrase.kind in _MAIN or phrase.kind == "part":
                self._name(at, phrase)
            elif phrase.kind == "label":
                self._labelled = phrase.value == "place"
                self._fresh = True
            elif phrase.kind in _CLAUSE:
                self._fresh = True
                if phrase.kind == "end":
                    self._figure = self._figure if self._figure in _THINGS else ""
        return [place for place in found if place is not None]

    def _name(self, at: int, phrase: Phrase) -> None:
        self._labelled = False
        kind = self._kind(phrase)
        if kind in _THINGS:
            self._last = kind
            self._named.add(kind)
        before = self._main[at - 1] if at else phrase
        belongs = before.kind == "join" and before.text != "with"
        if at != self._ground and phrase.kind != "part" and not (belongs and self._figure):
            self._figure, self._fresh = kind, False

    def _kind(self, phrase: Phrase) -> str:
        if phrase.kind != "pronoun":
            return phrase.kind
        return "subject" if phrase.text in _THEY else self._last

    def _relation(self, at: int, phrase: Phrase) -> _Place | None:
        if phrase.value == "idle" or self._next(at + 1).kind == "self":
            return None
        owner = self._owner(at, phrase)
        return self._alone(at, phrase) if owner is None else self._of(at, phrase, owner)

    def _owner(self, at: int, phrase: Phrase) -> Phrase | None:
        """Return the noun that the relation is measured from: the noun after it, or the one whose side it is."""
        if phrase.words & {"its", "their"}:
            return Phrase(kind="pronoun", text=next(iter(phrase.words)))
        if at and self._main[at - 1].possessive and phrase.kind in {"side", "bare"}:
            return self._main[at - 1]
        if self._next(at + 1).kind == "both" and self._next(at + 2).kind in _RELATIONS:
            at, phrase = at + 2, self._next(at + 2)  # "on or under a table"
        if phrase.kind == "side" and not phrase.words:
            return None
        following = self._next(at + 1)
        return following if following.kind in _NOUNS else None

    def _of(self, at: int, phrase: Phrase, owner: Phrase) -> _Place | None:
        says_side_later = owner.possessive and self._next(at + 2).kind in {"side", "bare"}  # "on the table's left"
        if says_side_later or (phrase.kind == "side" and self._is_on_top(at, phrase, owner)):
            self._ground = self._ground if says_side_later else at + 1
            return None
        ground = self._pronoun(at, owner) if owner.kind == "pronoun" else owner.kind
        if phrase.value == "carries":
            return _Place("on", measured=True) if (ground, self._figure) == ("subject", "furniture") else None
        self._ground = at + 1
        name = _ON.get(phrase.value, phrase.value)
        if ground in {"furniture", "part"}:
            between_legs = name == OTHER and owner.text in LEGS
            return _Place("under" if between_legs else name, measured=True)
        opposite = OPPOSITE.get(name, name)
        if ground == "subject" and (name in OPPOSITE or self._figure == "furniture"):
            return _Place(opposite, measured=True)
        if ground == "frame" and phrase.kind == "side":  # a side of the picture
            return _Place(opposite if self._figure == "furniture" else name, measured=False)
        return None

    def _is_on_top(self, at: int, phrase: Phrase, owner: Phrase) -> bool:
        """Return whether a side is one of the top, where the subject stands: "on the left side of the top"."""
        if owner.text in _TOPS or (owner.possessive and self._next(at + 2).text in _TOPS):
            return True
        return owner.text.endswith("top") and phrase.text.startswith("on ")

    def _pronoun(self, at: int, owner: Phrase) -> str:
        """Return the kind of noun that a pronoun stands for: one that the clause is not about, else the last named."""
        after = at + 2 if self._next(at + 1) is owner else at + 1
        opens = self._fresh and self._following(after) is not None
        alone = self._figure == "furniture" and "subject" not in self._named
        if owner.text == "which" or opens or alone or self._figure not in _THINGS:
            return self._last or "furniture"
        return "furniture" if self._figure == "subject" else "subject"

    def _alone(self, at: int, phrase: Phrase) -> _Place | None:
        """Interpret a relation that names nothing to measure from: "position: left", "with a clock underneath"."""
        name = _ON.get(phrase.value, phrase.value)
        before, after = self._next(at - 1) if at else _NOTHING, self._next(at + 1)
        if phrase.value == "carries":
            return None
        listed = bool(self._last) and before.kind in {"comma", "mark"} and after.kind in {"end", "mark", "closes"}
        if self._labelled or listed:
            return _Place(name, measured=self._labelled)
        if not _may_stand_alone(phrase, before, after):
            return None
        figure = self._figure_of(at, is_relation=phrase.kind == "relation")
        if figure == "furniture":
            return _Place(OPPOSITE.get(name, name), measured=False)
        return _Place(name, measured=False) if figure in {"subject", ""} else None

    def _figure_of(self, at: int, *, is_relation: bool) -> str:
        """Return the kind of noun that a relation without an owner is about; in a new clause, the one after it."""
        following = self._following(at + 1) if self._fresh else None
        if following is None or (is_relation and self._figure):
            return self._figure
        return self._kind(following)

    def _following(self, at: int) -> Phrase | None:
        """Return the noun named next in the clause, if there is one."""
        for place, phrase in enumerate(self._main[at : at + _PHRASES_AHEAD], start=at):
            if phrase.kind in _MAIN:
                return phrase
            on_floor = self._next(place + 1).kind == "surrounding"
            stops = phrase.kind in {"end", "mark"} and phrase.text != ":"
            if stops or (phrase.kind in _RELATIONS and not on_floor):
                break
        return None

    def _next(self, at: int) -> Phrase:
        return self._main[at] if at < len(self._main) else _NOTHING


def _may_stand_alone(phrase: Phrase, before: Phrase, after: Phrase) -> bool:
    if before.kind == "loose" and before.text == "one":
        return False  # "one on the left and one on the right"
    if phrase.kind == "bare":
        return before.kind in {"mark", "comma", "end", "opens"} and after.kind in _AFTER_ALONE
    if phrase.text == "on":
        return after.kind in {"end", "mark", "comma"}
    return phrase.value not in {"above", OTHER} and after.kind in _AFTER_ALONE | {"join", "loose"}
