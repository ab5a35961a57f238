"""What cards say in plain words: every mistake that an option stands for has its sentence, or none of them has."""

from generator_service.finding import find_benchmarks


def test_a_card_has_a_sentence_for_all_mistakes_of_its_options_or_for_none() -> None:
    for benchmark in find_benchmarks():
        named = {name for names in benchmark.outcomes.values() for name in names}
        assert set(benchmark.card.mistakes) <= named, benchmark.name
        assert not benchmark.card.mistakes or set(benchmark.card.mistakes) == named, benchmark.name


def test_plain_words_are_of_values_that_items_can_be_filtered_by_or_that_metrics_name() -> None:
    for benchmark in find_benchmarks():
        values = {value for listed in benchmark.card.filters.values() for value in listed}
        named = (getattr(metric, "where", {}) for metric in benchmark.card.metrics)
        values |= {value for where in named for listed in where.values() for value in listed}
        assert set(benchmark.card.value_words) <= values, benchmark.name
