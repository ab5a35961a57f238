"""Word the questions ourselves. No sentence is the paper's, which models may have read."""

from generator_service.benchmarks.carv.spec import APPLY, DIFFERENCE, INTERSECTION, UNION

INTRODUCTION = (
    "Every picture shows one or two things of one kind, and one table or chair. Five properties can change from "
    "picture to picture: what the things are, how many there are (one or two), the piece of furniture (table or "
    "chair), its color (wood, red or blue), and where the things are (on, under, to the left or to the right of the "
    "furniture; under means straight below it)."
)
STATES = "The pictures are described in words."
ONE_PAIR = "Pictures 1 and 2 are a pair: T1 is the set of changes from picture 1 to picture 2."
TWO_PAIRS = (
    "Pictures 1 and 2 are the first pair: T1 is the set of changes from picture 1 to picture 2. "
    "Pictures 3 and 4 are the second pair: T2 is the set of changes from picture 3 to picture 4."
)
CHANGE = (
    "A change is one property going from one value to another. Two changes are the same if property, old value and new "
    "value are the same."
)
OPERATION = {
    APPLY: "The target is T1.",
    UNION: "The target is the union of T1 and T2: every change that is in at least one of them.",
    INTERSECTION: "The target is the intersection of T1 and T2: only the changes that are in both of them.",
    DIFFERENCE: "The target is T1 without T2: only the changes that are in T1 and not in T2.",
}
ASKED = "Make the changes of the target to picture {query}, leave everything else as it is, and say what it shows then."
ASKED_AS_PUBLISHED = "Make the changes of the target to picture {query}, and say what it shows then."
ORACLE = "These are the changes:"
GIVEN = "{name}: {changes}."

CAPTION_INSTRUCTION = (
    'Answer with JSON: {"caption": "..."}. The caption is one short sentence that says what the things are, how many, '
    "and where they are, and what the furniture is and its color."
)
PUBLISHED_INSTRUCTION = 'Answer with JSON: {"caption": "..."}, a short caption of the changed picture.'
FREE_INSTRUCTION = (
    "Work in four steps, in your own words. First describe the pictures of each pair and how they differ. Then say "
    "which changes each pair makes. Then work out the target. Then make it to picture {query}. End with JSON on a line "
    'of its own: {{"caption": "..."}}, one short sentence that says what the things are, how many, and where they '
    "are, and what the furniture is and its color."
)
DIAGNOSIS_INSTRUCTION = (
    'Answer with one JSON object: {{"captions": {captions}, {changes}, "target": ["..."], "caption": "..."}}. '
    '"captions" has for each pair one sentence on each of its two pictures, with all five properties. {names} '
    'and "target" list changes, one property each, in the form "[property] changes from a to b"; name the property '
    "by a general word (number, subject, furniture, color, position), never by the thing that has it. "
    '"caption" is one sentence with all five properties of the changed picture {query}.'
)

FIRST_OF_PAIR = "First picture of pair {pair}"
SECOND_OF_PAIR = "Second picture of pair {pair}"
QUERY = "The picture to be changed"
STATE_LINE = "Picture {number}: {caption}."
CONCEPTS = {
    "subject": "subject",
    "subject_number": "number",
    "object": "furniture",
    "object_color": "color",
    "spatial_relation": "position",
}
CHANGE_LINE = "[{concept}] changes from {old} to {new}"
EXPLANATION = {
    APPLY: "T1 is {first}",
    UNION: "T1 is {first}, T2 is {second}, and their union {target}",
    INTERSECTION: "T1 is {first}, T2 is {second}, and in both is {target}",
    DIFFERENCE: "T1 is {first}, T2 is {second}, and in T1 alone is {target}",
}
