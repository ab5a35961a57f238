"""Write a page as one HTML file: style and script inside, allowed by their hashes, and pictures as data.

The file asks nothing from anywhere, so it can be kept, sent, or attached to a build. `tetrad report` and `tetrad ci`
write such files.
"""

import base64
import hashlib
from collections.abc import Mapping

from markupsafe import Markup

from tetrad.reporting.pages import ENLARGE, STYLE
from tetrad.reporting.pages.environment import page_environment


def whole_file(template: str, view: object) -> str:
    """Return the page of a view; the template extends `whole_file.html`."""
    style, script = STYLE.read_text("utf-8"), ENLARGE.read_text("utf-8")
    # Both texts are this package's own, and neither holds an end tag.
    inside = {"style": Markup(style), "script": Markup(script)}  # noqa: S704
    return page_environment().get_template(template).render(view=view, policy=write_policy(style, script), **inside)


def write_policy(style: str, script: str) -> str:
    """Return a policy that lets in this style and this script by their hashes, pictures as data, and nothing else."""
    return "; ".join(
        ["default-src 'none'", f"style-src {_hash(style)}", f"script-src {_hash(script)}", "img-src data:"]
    )


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def data_addresses(pictures: Mapping[str, bytes]) -> dict[str, str]:
    """Return a data address for each picture, a PNG by its address."""
    return {address: f"data:image/png;base64,{base64.b64encode(png).decode()}" for address, png in pictures.items()}
