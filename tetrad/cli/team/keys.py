"""`tetrad keys`: register a team; make, list and revoke its API keys."""

import cyclopts

from tetrad.cli.credentials import UrlOption, address, connect_with_key, keep_key, keys_file, profiles
from tetrad.cli.output import JsonOption, print_json, say, table
from tetrad.client import Client
from tetrad.client.pages import every_page
from tetrad.contracts.accounts import KeyList, KeyRequest, Scope

app = cyclopts.App(name="keys", help="Register a team; make, list and revoke its API keys.")


@app.command
def new(
    *,
    team: str | None = None,
    contact: str | None = None,
    invite: str | None = None,
    name: str = "cli",
    scope: list[Scope] | None = None,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Register TEAM and keep its first API key as a profile. Without --team, make a further API key for your team.

    From then on commands speak for the new team; `tetrad use NAME` goes back to another.

    Args:
        team: the new team's name: lowercase letters, digits, dots, underscores, hyphens.
        contact: the new team's e-mail address, where the instance asks for one.
        invite: a code of the operator's, where the instance asks for one.
        name: the name of a further API key.
        scope: what a further API key may do: read, submit, admin; may be repeated.
    """
    where = address(url)
    if team is None:
        with connect_with_key(url) as client:
            made = client.new_key(KeyRequest(name=name, scopes=scope or ["read", "submit"]))
        print_json(made) if json else say(made.key, "It is shown only now, and not kept: set TETRAD_KEY to use it.")
        return
    with Client(where) as client:
        registered = client.register_team(team, contact=contact, invite=invite)
    try:
        before = profiles(where)
        kept = f"Kept in {keep_key(where, registered.key, registered.team.name)} for {where}."
    finally:  # a key that can't be kept is shown anyway, because it can't be shown again
        if json:
            print_json(registered)
        else:
            say(f"Team {registered.team.name} is registered. Its key, shown only now:", registered.key)
    if json:
        return
    say(kept)
    if before is not None and before.used != registered.team.name:  # the same name is of an instance that is gone
        say(f"Commands speak for {registered.team.name} now; `tetrad use {before.used}` goes back to {before.used}.")


@app.command(name="list")
def list_keys(*, url: UrlOption = None, json: JsonOption = False) -> None:
    """List the team's API keys: their first characters, never the keys."""
    with connect_with_key(url) as client:
        pages = every_page(lambda cursor: client.keys(cursor=cursor))
        found = KeyList(keys=[key for page in pages for key in page.keys])
    if json:
        print_json(found)
        return
    rows = [
        [key.id, key.name, f"{key.prefix}...", " ".join(key.scopes), key.created_at, key.revoked_at or ""]
        for key in found.keys
    ]
    table(f"Keys ({keys_file()})", ["id", "name", "key", "scopes", "created", "revoked"], rows)


@app.command
def revoke(key_id: str, *, url: UrlOption = None, json: JsonOption = False) -> None:
    """Revoke an API key for good.

    Args:
        key_id: its id, as `list` shows it.
    """
    with connect_with_key(url) as client:
        client.revoke_key(key_id)
    print_json({"id": key_id, "revoked": True}) if json else say(f"{key_id} is revoked.")
