"""`tetrad whoami` and `use`: the team that commands speak for, and other kept teams."""

from tetrad.cli.credentials import UrlOption, address, connect_with_key, known_key, profiles, use_profile
from tetrad.cli.output import JsonOption, print_json, say


def whoami(*, url: UrlOption = None, json: JsonOption = False) -> None:
    """Show the team that commands speak for, where its API key is from, and what it may still do."""
    where = address(url)
    with connect_with_key(url) as client:
        team = client.team()
    key, kept = known_key(where), profiles(where)
    origin = "" if key is None else key.origin
    if json:
        print_json({"url": where, "key_from": origin, "profiles": sorted(kept.keys) if kept else [], "team": team})
        return
    state = team.state if team.state_reason is None else f"{team.state}: {team.state_reason}"
    say(f"{team.name} ({state}) at {where}", f"key from {origin}")
    if team.caps is not None and team.usage is not None:
        say(
            f"open submissions   {team.usage.open_submissions} of {team.caps.open_submissions}",
            f"items in 24 hours  {team.usage.items_a_day} of {team.caps.items_a_day}",
            f"models             {team.usage.models} of {team.caps.models}",
        )
    for approval in team.approvals:
        say(f"approved for {approval.corpus}: {approval.submissions_cap} submissions")
    if kept is not None and len(kept.keys) > 1:
        others = ", ".join(name for name in sorted(kept.keys) if name != kept.used)
        say(f"other profiles: {others}   (tetrad use NAME)")


def use(profile: str, *, url: UrlOption = None) -> None:
    """Let commands speak for another team whose API key is kept, from now on. TETRAD_PROFILE does it for one command.

    Args:
        profile: the team's name, as `tetrad whoami` lists it.
    """
    where = address(url)
    use_profile(where, profile)
    say(f"Commands speak for {profile} at {where} now.")
