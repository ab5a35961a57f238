"""Different fields, different bytes; the same fields, the same bytes for ever."""

from collections.abc import Mapping
from enum import IntEnum

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tetrad.canonical import Field, canonical_bytes, digest, hexdigest, rows_hexdigest

SCALARS = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
FIELDS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)


def exactly(field: object) -> object:
    """Return the field with its types, which == forgets: 1 == True."""
    if isinstance(field, Mapping):
        return ("m", tuple(sorted((name, exactly(value)) for name, value in field.items())))
    if isinstance(field, list | tuple):
        return ("l", tuple(map(exactly, field)))
    return (type(field).__name__, repr(field))


@given(st.lists(FIELDS, max_size=3), st.lists(FIELDS, max_size=3))
def test_bytes_are_equal_exactly_when_the_fields_are(one: list[Field], other: list[Field]) -> None:
    assert (canonical_bytes(*one) == canonical_bytes(*other)) == (repr(exactly(one)) == repr(exactly(other)))


def test_a_text_is_its_tag_its_length_and_its_bytes() -> None:
    assert (
        canonical_bytes("é", 7) == b"s" + (2).to_bytes(8, "big") + "é".encode() + b"i" + (1).to_bytes(8, "big") + b"7"
    )


def test_neighbours_do_not_run_into_each_other() -> None:
    pairs: list[tuple[Field, ...]] = [("ab", "c"), ("a", "bc"), ("abc",), (["ab", "c"],), (["a"], "bc"), ("abc", "")]
    assert len({canonical_bytes(*pair) for pair in pairs}) == len(pairs)


def test_values_that_look_alike_differ_by_kind() -> None:
    alike: list[Field] = [1, "1", True, b"1", [1], None, "None", "True", {}, [], "", b""]
    assert len({canonical_bytes(one) for one in alike}) == len(alike)


def test_a_mapping_has_no_order() -> None:
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest({"a": 1, "b": 2}) != digest({"a": 2, "b": 1})


def test_a_named_number_is_its_number() -> None:
    class Level(IntEnum):
        LOW = 1

    assert canonical_bytes(Level.LOW) == canonical_bytes(1)


@pytest.mark.parametrize("field", [1.5, {1, 2}, object()])
def test_what_has_no_canonical_form_is_refused_with_what_has(field: object) -> None:
    with pytest.raises(TypeError, match=r"has no canonical form.*pass str, int, bool, bytes or None"):
        canonical_bytes(field)  # type: ignore[arg-type]


TEXTS = st.tuples(st.sampled_from(["a", "b"]) | st.text(), st.none() | st.text()) | st.just(())


@given(st.lists(st.tuples(st.integers(), TEXTS)))
def test_the_digest_of_rows_is_that_of_each_row_as_a_field(rows: list[tuple[int, tuple[str | None, ...]]]) -> None:
    assert rows_hexdigest("rows", rows) == hexdigest("rows", *((number, *texts) for number, texts in rows))


def test_a_digest_never_changes() -> None:
    expected = "359f72aca65ceba03c6428afc4a81a33b02db6025c5844f8fa6c1a4dc5cf05f7"
    assert hexdigest("tetrad", 1, True, None, b"x", ["a", {"b": -2}]) == expected
    assert digest("a").hex() == hexdigest("a")
