"""Addresses of all pages, by the routes that the router lists, for tests that look at every page."""

from collections.abc import Mapping
from typing import Protocol

from api.app import assemble
from tests.page_routes import routes_of


class Filled(Protocol):
    """An instance with two scored submissions of KiVA, one of them hostile, and an item of KiVA."""

    @property
    def submission(self) -> str: ...
    @property
    def hostile(self) -> str: ...
    @property
    def item(self) -> str: ...


def addresses(site: Filled) -> Mapping[str, tuple[str, ...]]:
    """Return addresses of each page by its route, with rows and without; before the slash, who has signed in."""
    return {
        "/": ("/",),
        "/boards": ("/boards",),
        "/boards/{benchmark:str}": ("/boards/kiva?all=1", "/boards/marvel", "/boards/carv?track=single"),
        "/benchmarks": ("/benchmarks",),
        "/benchmarks/{benchmark:str}": ("/benchmarks/kiva", "/benchmarks/carv"),
        "/puzzles": ("/puzzles",),
        "/puzzles/{benchmark:str}": ("/puzzles/kiva?seed=3", "/puzzles/marvel?seed=3"),
        "/puzzles/{benchmark:str}/{item:str}": (
            f"/puzzles/kiva/{site.item}",
            f"/puzzles/kiva/{site.item}?a.which=A",
        ),
        "/play/{benchmark:str}": ("/play/visanalog?seed=3", "/play/carv?seed=3", "/play/kiva?seed=3"),
        "/submissions/{submission:str}": (f"/submissions/{site.submission}", f"/submissions/{site.hostile}?page=2"),
        "/docs": ("/docs",),
        "/docs/{name:str}": ("/docs/api", "/docs/variables", "/docs/protocol"),
        "/reference": ("/reference",),
        "/reference/operators": ("/reference/operators",),
        "/log": ("/log", f"/log?submission={site.submission}"),
        "/status": ("/status",),
        "/about": ("/about",),
        "/models/{team:str}/{model:str}": ("/models/first-team/guesser", "/models/other-team/hostile"),
        "/compare": ("/compare", f"/compare?a={site.submission}", f"/compare?a={site.submission}&b={site.hostile}"),
        "/team": ("/team", *(f"{who}/team" for who in ("first", "empty")), "first/team?state=scored"),
        "/team/running": ("first/team/running", "empty/team/running"),
        "/team/evaluate": ("first/team/evaluate", "first/team/evaluate?model=random&view=kiva|kiva|full&size=220"),
        "errors": ("/boards/kivva", "/boards/kiva?track=none"),
    }


def every_address(site: Filled) -> list[str]:
    listed = addresses(site)
    assert set(listed) - {"errors"} == routes_of(assemble(None, None)), "each page of the router has an address here"
    return [address for of_route in listed.values() for address in of_route]


def split_address(address: str) -> tuple[str, str]:
    """Return who has signed in, "" for nobody, and the path."""
    who, _, path = address.partition("/")
    return who, f"/{path}"
