"""`tetrad models`: list and register models."""

import cyclopts

from tetrad.cli.credentials import UrlOption, connect, connect_with_key
from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.client.pages import every_page
from tetrad.contracts.accounts import ModelRequest

app = cyclopts.App(name="models", help="List your team's models and those behind the instance's gateway; register one.")


@app.default
def list_models(*, url: UrlOption = None, json: JsonOption = False) -> None:
    """List your team's models, and those behind the instance's gateway."""
    with connect(url) as client:
        found = [
            model
            for page in every_page(lambda cursor: client.models(cursor=cursor, limit=500))
            for model in page.models
        ]
    if json:
        print_json(found)
        return
    if not found:
        say("No models yet: `tetrad models add NAME` registers one, and so does `tetrad submit --model NAME ...`.")
        return
    rows = [
        [model.name, "yours" if model.kind == "team" else "the gateway's", (model.created_at or "")[:10]]
        for model in found
    ]
    table("Models", ["name", "whose", "registered"], rows)


@app.command
def add(
    name: str, *, title: str | None = None, link: str | None = None, url: UrlOption = None, json: JsonOption = False
) -> None:
    """Register a model of your team under a name that never changes.

    `tetrad submit`, `eval` and `ci` register a new name, too. A title and a link need an API key with the scope admin.

    Args:
        name: lowercase letters, digits, dots, underscores, hyphens.
        title: what boards show beside the name.
        link: an address about the model.
    """
    with connect_with_key(url) as client:
        made = client.register_model(ModelRequest(name=name, title=title, url=link))
    print_json(made) if json else say(f"{made.name} is registered.")
