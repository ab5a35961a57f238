"""The card of VISANALOG's published questions."""

from msgspec.structs import replace

from generator_service.benchmarks.visanalog.card import CARD
from generator_service.benchmarks.visanalog.published.spec import NAME, VERSION
from generator_service.benchmarks.visanalog.reference import REFERENCE
from generator_service.benchmarks.visanalog.spec import END_TO_END, PROGRAM, WRONG_IMAGE
from generator_service.sources.published import Corpus
from generator_service.sources.published_cards import notice_of
from tetrad.contracts.benchmarks import Card, ChanceLevel, Headline, Setting, Track
from tetrad.contracts.metrics import Accuracy, AnswerDistribution, Metric

_SETTINGS = (END_TO_END, PROGRAM, WRONG_IMAGE)
_METRICS: tuple[Metric, ...] = (
    Accuracy(name="accuracy", help="Is the hidden picture answered about rightly? By steps.", by=("steps",)),
    *(
        Accuracy(name=f"accuracy-with-{step}", help=f"The same by whether the program has a {step}.", by=(step,))
        for step in ("zoom", "swap", "rotation", "flip", "hue")
    ),
    AnswerDistribution(name="answer-distribution", help="Share of the choice taken most often."),
)


def card_of(corpus: Corpus) -> Card:
    """Return the card of mounted questions, all or some."""
    settings = tuple(setting for setting in CARD.settings if setting.name in _SETTINGS)
    return Card(
        name=NAME,
        version=VERSION,
        title="VISANALOG as published",
        summary="The paper's own questions: image A was edited into B; what would the same edit make of C?",
        tracks=(Track(name=NAME, help="The mounted questions.", settings=tuple(setting.name for setting in settings)),),
        settings=tuple(
            Setting(name=setting.name, help=setting.help, questions=setting.questions) for setting in settings
        ),
        parameters=tuple(parameter for parameter in CARD.parameters if parameter.name == "search_space"),
        exclusions=tuple(
            replace(exclusion, where={**exclusion.where, "setting": (WRONG_IMAGE,)})
            for exclusion in CARD.exclusions
            if exclusion.field == "search_space"
        ),
        metrics=_METRICS,
        headline=Headline(metric="accuracy", least_items=200),
        chance=(ChanceLevel(where={}, uniform=1 / 4, stated=1 / 4, source="four choices"),),
        reference=tuple(
            replace(row, pictures="the paper's 617 questions, of which some are mounted here")
            for row in REFERENCE
            if row.where["setting"][0] in _SETTINGS
        ),
        credit=replace(
            CARD.credit,
            licence="questions, choices and photographs (SA-1B) are their authors'; the words around them are our own",
        ),
        largest_draw=len(corpus.items),
        corpus=notice_of(corpus, labels_public=True),
    )
