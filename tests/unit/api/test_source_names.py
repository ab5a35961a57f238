"""The sources that a query names, and the digest that stands for them."""

import pytest
from msgspec.structs import replace

from api.boards.source_names import sources_digest, split_sources
from api.errors import InvalidInputError
from tests.integration.api.trio import card
from tetrad.contracts.benchmarks import BenchmarkInfo, SourceInfo
from tetrad.internal.source_digests import combine_digests

ONE = SourceInfo(
    kind="photographs",
    name="one",
    digest="1" * 64,
    default=True,
    access="public",
    labels_public=False,
    tracks=("plain", "other"),
)
TWO = replace(ONE, name="two", digest="2" * 64, default=False)
FEW = replace(ONE, kind="objects", name="few", digest="3" * 64, tracks=("other",))
INFO = BenchmarkInfo(card=card(1), bank="1" * 64, sources=(FEW, ONE, TWO), banks={"plain": "1" * 64, "other": "9" * 64})


def test_sources_are_repeated_or_joined_by_commas() -> None:
    query = [("source", "a:b,c:d"), ("track", "plain"), ("source", "e:f")]
    assert split_sources(query) == (["a:b", "c:d", "e:f"], [("track", "plain")])
    with pytest.raises(InvalidInputError, match="more sources than a draw has"):
        split_sources([("source", ",".join("a:b" for _ in range(9)))])


def test_names_stand_for_a_digest_with_the_defaults_of_other_kinds() -> None:
    assert sources_digest(INFO, "plain", []) == "1" * 64
    assert sources_digest(INFO, "other", []) == "9" * 64
    assert sources_digest(INFO, "plain", ["photographs:two"]) == "2" * 64
    both = combine_digests({"objects": "3" * 64, "photographs": "2" * 64})
    assert sources_digest(INFO, "other", ["photographs:two"]) == both
    assert sources_digest(INFO, "plain", ["f" * 64]) == "f" * 64, "a board of sources that are gone"


@pytest.mark.parametrize(
    ("track", "named", "said"),
    [
        ("plain", ["objects:few"], "draws from no such source on track plain"),
        ("plain", ["photographs:three"], "draws from no such source on track plain"),
        ("plain", ["photographs:one", "photographs:two"], "second source of the kind photographs"),
    ],
)
def test_what_is_no_source_of_the_track_is_refused(track: str, named: list[str], said: str) -> None:
    with pytest.raises(InvalidInputError) as refused:
        sources_digest(INFO, track, named)
    assert said in str(refused.value)
