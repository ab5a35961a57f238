"""`tetrad admin`: what only an operator may do.

Exit codes: 0 done; 1 refused or failed, with the reason; 2 no such command or option; 3 nothing was changed because
it was not confirmed (a dry run that found changes, a rescoring or deletion without --yes); 130 Ctrl-C.
"""

from collections.abc import Sequence

import cyclopts

from tetrad.cli.groups import Command, add_commands

COMMANDS = {
    "status": Command(
        "tetrad.cli.operator.status:status",
        "Show how an instance is: parts, work that waits, errors, disk, spending, sources.",
    ),
    "teams": Command("tetrad.cli.operator.teams:app", "List, show, approve and suspend teams."),
    "caps": Command("tetrad.cli.operator.teams:caps", "Set a team's caps. A cap that is not named stays."),
    "usage": Command("tetrad.cli.operator.teams:usage", "Print what each team used in a period, as CSV."),
    "gateway-token": Command(
        "tetrad.cli.operator.gateway_tokens:app",
        "Make, list and revoke the tokens that open the gateway.",
    ),
    "invites": Command(
        "tetrad.cli.operator.invites:app",
        "Make, list and revoke the codes with which teams are registered.",
    ),
    "approve": Command(
        "tetrad.cli.operator.teams:approve",
        "Allow a team to open up to CAP submissions on a corpus, or to draw from a source. A second call replaces CAP.",
    ),
    "disapprove": Command("tetrad.cli.operator.teams:disapprove", "Withdraw the approval for a corpus or a source."),
    "delete": Command("tetrad.cli.operator.teams:delete", "Delete a team. Boards keep a pseudonym."),
    "hide": Command(
        "tetrad.cli.operator.results:hide",
        "Hide a model's row on a board. The board shows that and the reason. No other rank changes.",
    ),
    "unhide": Command("tetrad.cli.operator.results:unhide", "Show a hidden row again."),
    "void": Command("tetrad.cli.operator.results:void", "Void a submission for good: it counts nowhere."),
    "requeue": Command(
        "tetrad.cli.operator.results:requeue",
        "Queue a failed submission again. It costs the team nothing.",
    ),
    "rescore": Command(
        "tetrad.cli.operator.rescore:rescore",
        "Score again with the current scorer and show what would change. Apply it only with --yes.",
    ),
    "baselines": Command(
        "tetrad.cli.operator.baselines:baselines",
        "Start the baselines. Boards list them without a rank.",
    ),
    "secrets": Command(
        "tetrad.cli.operator.instance:secrets",
        "Show which seed secrets are loaded and how many draws need each. Draws that nobody can answer are closed.",
    ),
    "rotate-secret": Command(
        "tetrad.cli.operator.instance:rotate_secret",
        "Put a new seed secret before the old ones in the data directory's secrets.json. The next start uses it.",
    ),
    "drop-secrets": Command(
        "tetrad.cli.operator.instance:drop_secrets",
        "Drop the older seed secrets that no draw needs any more from the data directory's secrets.json.",
    ),
    "backup": Command(
        "tetrad.cli.operator.instance:backup",
        "Back the data directory up to a new folder, while the instance runs.",
    ),
    "restore": Command(
        "tetrad.cli.operator.instance:restore",
        "Fill an empty data directory ($TETRAD_HOME) from a backup. Every file is checked first.",
    ),
    "log": Command("tetrad.cli.operator.instance:log", "Show the audit log: what operators did, newest first."),
}


def admin_app(given: Sequence[str]) -> cyclopts.App:
    """Return the group for a command line."""
    app = cyclopts.App(name="admin", help="Operate an instance: teams, boards, submissions, secrets, backups.")
    add_commands(app, COMMANDS, given)
    return app
