"""What a provider may send in the place of a number of tokens, and what is made of it."""

import pytest

from inference_gateway.usage import MOST_TOKENS, ODD, Usage, add_counts, read_count
from tetrad.lenient_json import decode_leniently


@pytest.mark.parametrize(
    ("sent", "count"),
    [
        ("7", 7),
        ("0", 0),
        ("7.0", 7),
        ("-3", -3),
        ("null", None),
        *((text, ODD) for text in ("7.5", '"7"', "true", "[7]", '{"n": 7}', "NaN", "Infinity", "-Infinity", "1e999")),
    ],
)
def test_what_is_no_whole_number_of_tokens_is_odd_and_the_reply_is_read(sent: str, count: int | None) -> None:
    reply = decode_leniently(f'{{"text": "(A)", "usage": {{"prompt": {sent}}}}}'.encode())
    assert reply["text"] == "(A)"
    assert read_count(reply["usage"], "prompt") == count


@pytest.mark.parametrize("sent", [b"9" * 30, b"9" * 5_000, b"1e300", b"-1e300", b"4294967296.0"])
def test_an_absurd_number_is_read_and_not_believed(sent: bytes) -> None:
    reply = decode_leniently(b'{"usage": {"prompt": ' + sent + b"}}")
    used = Usage(input_tokens=read_count(reply["usage"], "prompt"), output_tokens=1)
    assert used.is_odd(MOST_TOKENS, MOST_TOKENS)


@pytest.mark.parametrize(
    ("usage", "count"),
    [
        (None, None),
        ({}, None),
        ({"details": None}, None),
        ({"details": {"cached": 2}}, 2),
        ({"details": 3}, ODD),
        ("", ODD),
    ],
)
def test_a_number_is_found_at_its_path_whatever_stands_there(usage: object, count: int | None) -> None:
    assert read_count(usage, "details", "cached") == count


def test_a_sum_with_an_odd_number_is_odd_and_of_nothing_is_not_reported() -> None:
    assert add_counts(100, None, 20) == 120
    assert add_counts(100, -50) == ODD
    assert add_counts(None, None) is None


@pytest.mark.parametrize("body", [b"", b"{", b"<html>", b"[" * 100_000])
def test_what_is_no_json_is_told_as_such(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"Expecting|nested"):
        decode_leniently(body)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (rb'{"a": "x\ud800y"}', {"a": "x\ufffdy"}),
        (rb'{"a": "\ud83d\ude00", "b": NaN}', {"a": "\U0001f600", "b": pytest.approx(float("nan"), nan_ok=True)}),
        (b'{"a": "\xff"}', {"a": "\ufffd"}),
    ],
)
def test_what_is_nearly_json_is_read(body: bytes, found: object) -> None:
    assert decode_leniently(body) == found
