"""`tetrad admin`: what only an operator may do. Each file here holds one group of commands.

Exit codes: 0 done; 1 refused or failed, with the reason; 2 no such command or option; 3 nothing was changed because
it was not confirmed (a dry run that found changes, a rescoring or deletion without --yes); 130 Ctrl-C.
"""

import cyclopts

from tetrad.cli.operator import instance, log, rescore, results, teams

app = cyclopts.App(name="admin", help="Operate an instance: teams, boards, submissions, secrets, backups.")
app.command(teams.app)
app.command(teams.caps)
app.command(teams.approve)
app.command(teams.disapprove)
app.command(teams.delete)
app.command(results.hide)
app.command(results.unhide)
app.command(results.void)
app.command(results.requeue)
app.command(rescore.rescore)
app.command(instance.secrets)
app.command(instance.rotate_secret)
app.command(instance.drop_secrets)
app.command(instance.backup)
app.command(instance.restore)
app.command(log.log)
