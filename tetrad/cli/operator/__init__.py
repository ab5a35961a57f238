"""`tetrad admin`: what only an operator may do.

Exit codes: 0 done; 1 refused or failed, with the reason; 2 no such command or option; 3 nothing was changed because
it was not confirmed (a dry run that found changes, a rescoring or deletion without --yes); 130 Ctrl-C.
"""

import cyclopts

COMMANDS = {
    "teams": "tetrad.cli.operator.teams:app",
    "caps": "tetrad.cli.operator.teams:caps",
    "gateway-token": "tetrad.cli.operator.gateway_tokens:app",
    "invites": "tetrad.cli.operator.invites:app",
    "approve": "tetrad.cli.operator.teams:approve",
    "disapprove": "tetrad.cli.operator.teams:disapprove",
    "delete": "tetrad.cli.operator.teams:delete",
    "hide": "tetrad.cli.operator.results:hide",
    "unhide": "tetrad.cli.operator.results:unhide",
    "void": "tetrad.cli.operator.results:void",
    "requeue": "tetrad.cli.operator.results:requeue",
    "rescore": "tetrad.cli.operator.rescore:rescore",
    "baselines": "tetrad.cli.operator.baselines:baselines",
    "secrets": "tetrad.cli.operator.instance:secrets",
    "rotate-secret": "tetrad.cli.operator.instance:rotate_secret",
    "drop-secrets": "tetrad.cli.operator.instance:drop_secrets",
    "backup": "tetrad.cli.operator.instance:backup",
    "restore": "tetrad.cli.operator.instance:restore",
    "log": "tetrad.cli.operator.instance:log",
}

app = cyclopts.App(name="admin", help="Operate an instance: teams, boards, submissions, secrets, backups.")
for name, place in COMMANDS.items():
    app.command(place, name=name)
