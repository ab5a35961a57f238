"""Tests of the form that is chosen from the accepted ones, and of refusals."""

import pytest
from litestar.testing import RequestFactory

from api.http.negotiation import chosen_format
from tetrad.server.problems import ProblemError

OFFERS = {"json": ("application/json",), "csv": ("text/csv",), "junit": ("application/xml", "text/xml")}


def chosen(accept: str | None, named: str | None = None) -> str:
    headers = {} if accept is None else {"Accept": accept}
    return chosen_format(RequestFactory().get("/", headers=headers), OFFERS, named)


@pytest.mark.parametrize(
    ("accept", "form"),
    [
        (None, "json"),
        ("*/*", "json"),
        ("text/csv", "csv"),
        ("TEXT/CSV ; charset=utf-8", "csv"),
        ("text/*", "csv"),
        ("text/xml", "junit"),
        ("application/*;q=0.2, text/csv;q=0.1", "json"),
        ("application/json;q=0, */*", "csv"),
        ("application/json;q=0.1, text/csv;q=0.11", "csv"),
        ("application/json;q=nonsense", "json"),
        ("application/json;q=7, text/csv;q=0.5", "json"),
        ("image/png, text/csv;q=0.001", "csv"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "json"),
    ],
)
def test_what_is_liked_best_is_chosen_and_the_first_of_equals(accept: str | None, form: str) -> None:
    assert chosen(accept) == form


def test_a_named_format_goes_before_what_is_accepted() -> None:
    assert chosen("image/png", "csv") == "csv"


@pytest.mark.parametrize("name", ["xml", "JSON", ""])
def test_a_named_format_that_is_not_there_is_refused_with_all_there_are(name: str) -> None:
    with pytest.raises(ProblemError) as caught:
        chosen("*/*", name)
    assert caught.value.status == 406
    [fault] = caught.value.faults
    assert (fault.field, fault.value, fault.remedy) == ("format", name, "use one of json, csv, junit")


@pytest.mark.parametrize("accept", ["image/png", "application/json;q=0", "nonsense", ",", "*/*;q=0.000"])
def test_what_accepts_nothing_there_is_is_refused_with_all_there_is(accept: str) -> None:
    with pytest.raises(ProblemError) as caught:
        chosen(accept)
    assert caught.value.status == 406
    assert caught.value.faults[0].field == "Accept"
    assert "text/csv" in caught.value.faults[0].remedy
    assert "?format=json or csv or junit" in caught.value.faults[0].remedy
