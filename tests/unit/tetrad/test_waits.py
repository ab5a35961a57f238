"""How long a server asks to wait, in every form that providers use: one reader for gateway, runner and client."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tetrad.waits import wait_of

RETRY_INFO = {"details": [{"@type": "x"}, {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}]}


@pytest.mark.parametrize(
    ("headers", "error", "seconds"),
    [
        ({"Retry-After": "2"}, None, 2.0),
        ({"Retry-After": "2.5"}, None, 2.5),
        ({"Retry-After": "-3"}, None, 0.0),
        *(
            ({"Retry-After": text}, None, seconds)
            for text, seconds in (
                ("5s", 5.0),
                ("5 seconds", 5.0),
                ("1 Minute", 60.0),
                ("350ms", 0.35),
                ("1m30.5s", 90.5),
                ("1h", 3600.0),
                ("soon", None),
                ("5 moons", None),
                ("nan", None),
                ("²", None),
                ("", None),
            )
        ),
        ({"retry-after-ms": "350", "Retry-After": "9"}, None, 0.35),
        ({"x-ratelimit-reset-requests": "6m0s"}, None, 360.0),
        ({"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "17ms"}, None, 0.017),
        (
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "8s",
                "x-ratelimit-remaining-tokens": "900",
                "x-ratelimit-reset-tokens": "17ms",
            },
            None,
            8.0,
        ),
        ({}, RETRY_INFO, 34.5),
        ({}, {"details": "none"}, None),
        ({}, None, None),
    ],
)
def test_a_wait_is_read_in_its_unit(headers: dict[str, str], error: object, seconds: float | None) -> None:
    assert wait_of(headers, error) == (None if seconds is None else pytest.approx(seconds))


def test_a_moment_is_a_wait_until_then() -> None:
    then = datetime.now(UTC) + timedelta(minutes=10)
    for name, text in {
        "Retry-After": format_datetime(then, usegmt=True),
        "x-ratelimit-reset": str(int(then.timestamp() * 1000)),
        "anthropic-ratelimit-requests-reset": then.isoformat().replace("+00:00", "Z"),
    }.items():
        assert wait_of({name: text}) == pytest.approx(600, abs=30), text
    assert wait_of({"x-ratelimit-reset": str(then.timestamp() - 900)}) == 0
