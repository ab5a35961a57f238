"""Tests of Retry-After, in one place for the client and the runner."""

import httpx
import pytest

from tetrad.client.errors import retry_after


@pytest.mark.parametrize(
    ("said", "seconds"),
    [("7", 7.0), ("0", 0.0), ("1.5", 1.5), ("", None), ("Wed, 21 Oct 2026 07:28:00 GMT", None), ("-1", None)],
)
def test_seconds_are_read_and_dates_are_not(said: str, seconds: float | None) -> None:
    assert retry_after(httpx.Response(429, headers={"Retry-After": said}).headers) == seconds


def test_a_digit_of_another_alphabet_is_no_number() -> None:
    assert retry_after(httpx.Response(429, headers={b"Retry-After": "²".encode("latin-1")}).headers) is None
    assert retry_after(httpx.Response(429).headers) is None
