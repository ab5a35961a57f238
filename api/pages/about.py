"""The page that says who runs this instance, how to reach them, and what is kept of whom, in the operator's words."""

import re
from dataclasses import dataclass
from typing import Any

from litestar import Request, Response, get
from litestar.di import NamedDependency

from api.context import AppContext
from api.pages.frame import PAGE, Frame, page_response, render

MAIL = re.compile(r"[^@\s/]+@[^@\s/]+")


@dataclass(frozen=True, kw_only=True)
class AboutView:
    """The operator's settings. `contact_address` is where the contact leads, "" if it is neither mail nor a page."""

    name: str
    contact: str
    contact_address: str
    privacy: tuple[str, ...]
    address: str


@get("/about", include_in_schema=False, opt=PAGE, sync_to_thread=True)
def about_page(context: NamedDependency[AppContext], request: Request[Any, Any, Any]) -> Response[Any]:
    settings = context.settings
    view = AboutView(
        name=settings.operator_name,
        contact=settings.operator_contact,
        contact_address=address_of(settings.operator_contact),
        privacy=tuple(line.strip() for line in settings.operator_privacy.split("|") if line.strip()),
        address=settings.address,
    )
    frame = Frame(root=settings.root, title="Who runs this · Tetrad", tab="")
    return page_response(request, render(request, "about.html", frame, view))


def address_of(contact: str) -> str:
    """Return where a contact leads."""
    if contact.startswith("https://"):
        return contact
    return f"mailto:{contact}" if MAIL.fullmatch(contact) else ""


HANDLERS = [about_page]
