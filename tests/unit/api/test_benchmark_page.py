"""The page of a benchmark: its ceilings beside the published figures of the same groups."""

import pytest

from api.pages.benchmarks import facet_rows, published_words
from generator_service.benchmarks.carv.card import CARD as CARV
from generator_service.benchmarks.kiva.card import CARD as KIVA
from generator_service.benchmarks.marvel.card import CARD as MARVEL
from generator_service.benchmarks.vasr.card import CARD as VASR
from generator_service.benchmarks.visanalog.card import CARD as VISANALOG
from tetrad.contracts.benchmarks import Card


def test_each_domain_has_the_ceiling_of_its_own_track_and_the_best_published_model() -> None:
    rows = {row.label: (row.ceiling, row.published, row.name) for row in facet_rows(KIVA)}
    assert rows == {
        "color": ("33.3", "96.1", "GPT-4V, several pictures"),
        "size": ("50.0", "77.3", "GPT-4V, several pictures"),
        "number": ("33.3", "33.5", "GPT-4V, one picture"),
        "rotation": ("33.3", "37.1", "MANTIS, several pictures"),
        "reflection": ("50.0", "34.7", "GPT-4V, one picture"),
    }


@pytest.mark.parametrize("card", [CARV, MARVEL, VASR, VISANALOG], ids=lambda card: card.name)
def test_every_card_has_rows_with_a_figure_or_none(card: Card) -> None:
    for row in facet_rows(card):
        assert {row.ceiling, row.published} != {"\u2013"}


def test_the_lede_says_what_people_and_the_best_model_reached() -> None:
    about_all = [row for row in MARVEL.reference if row.metric == MARVEL.headline.metric and len(row.where) == 1]
    rows = [row for row in about_all if "full" in row.where.get("setting", ())]
    assert (
        published_words(rows)
        == "Published, on other pictures: people (Human) 68.9%, the best model (Claude 3 Opus) 28.8%."
    )
    assert published_words([]) == ""
