"""`tetrad admin secrets`, `log`, `rotate-secret`, `drop-secrets`, `backup`, `restore`: the instance as a whole.

The last four work on the files of an embedded instance ($TETRAD_HOME); docs/upkeep.md says what to do elsewhere.
"""

import os
from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number

from tetrad.cli.credentials import UrlOption
from tetrad.cli.operator.connecting import ReasonOption, operate
from tetrad.cli.output import JsonOption, print_json, progress_bar, say, table
from tetrad.server.embedded.audit_log import note
from tetrad.server.embedded.backups import back_up, finish
from tetrad.server.embedded.backups import restore as put_back
from tetrad.server.embedded.data_directory import (
    DataDirectory,
    EmbeddedError,
    find_data_directory,
    is_running,
    load_secrets,
    rotate_seed_secret,
)
from tetrad.server.embedded.last_backup import note_backup

MOST_LINES = 500


def secrets(*, url: UrlOption = None, json: JsonOption = False) -> None:
    """Show which seed secrets are loaded and how many draws need each. Draws that nobody can answer are closed."""
    with operate(url) as client:
        found = client.review_secrets()
    if json:
        print_json(found)
        return
    rows = [
        [
            secret.id,
            "current" if secret.current else "older",
            "yes" if secret.loaded else "MISSING",
            str(secret.needed_by),
        ]
        for secret in found.secrets
    ]
    table(f"Seed secrets ({found.closed} draws closed now)", ["id", "", "loaded", "draws that need it"], rows)


def log(
    *,
    subject: str | None = None,
    count: Annotated[int, Parameter(validator=Number(gte=1, lte=MOST_LINES))] = 50,
    url: UrlOption = None,
    json: JsonOption = False,
) -> None:
    """Show the audit log: what operators did, newest first.

    Args:
        subject: only what was done to this id.
        count: how many.
    """
    with operate(url) as client:
        found = client.audit_log(limit=count, subject=subject)
    if json:
        print_json(found.acts)
        return
    rows = [
        [act.at, act.operator, act.act, act.subject, act.reason, msgspec.json.encode(act.details).decode()]
        for act in found.acts
    ]
    table("Audit log", ["at", "operator", "act", "subject", "reason", "details"], rows)


def rotate_secret(*, reason: ReasonOption = "") -> None:
    """Put a new seed secret before the old ones in the data directory's secrets.json. The next start uses it."""
    data = find_data_directory(os.environ)
    kept = rotate_seed_secret(data).seed_secret.count(",")
    note(data, "rotate secret", reason=reason, older=kept)
    start = "Restart the instance" if is_running(data) else "Start the instance"
    say(f"A new seed secret is in {data.secrets}; {kept} older ones are kept for open draws.")
    say(f"{start}: new draws use it from then on. `tetrad admin secrets` says which older ones draws still need.")


def drop_secrets(*, url: str | None = None, reason: ReasonOption = "") -> None:
    """Drop the older seed secrets that no draw needs any more from the data directory's secrets.json.

    Args:
        url: address of the running instance, which says what is needed.
    """
    data = find_data_directory(os.environ)
    with operate(url) as client:
        states = client.review_secrets().secrets
    current, *older = load_secrets(data).seed_secret.split(",")
    loaded = [state for state in states if state.loaded]
    if len(loaded) != 1 + len(older):
        raise EmbeddedError("the instance has other secrets than its data directory; restart it, then drop them")
    keep = [secret for secret, state in zip([current, *older], loaded, strict=True) if state.needed_by]
    rotate_seed_secret(data, keep=keep)
    dropped = len([secret for secret in older if secret not in keep])
    note(data, "drop secrets", reason=reason, dropped=dropped)
    say(f"{dropped} seed secrets are dropped, {len(older) - dropped} older ones are still needed.")


def backup(path: Path, *, with_secrets: bool = False, json: bool = False) -> None:
    """Back the data directory up to a new folder, while the instance runs.

    The backup holds the databases as of one moment, the objects, and a manifest with every digest.

    Args:
        path: the folder to make.
        with_secrets: include secrets.json; whoever reads it can compute every key of an open draw.
        json: print the manifest as JSON.
    """
    data = find_data_directory(os.environ)
    with progress_bar() as bar:
        task = bar.add_task("objects", total=None)
        try:
            manifest = back_up(
                data,
                path,
                with_secrets=with_secrets,
                report=lambda done, total: bar.update(task, completed=done, total=total),
            )
        except (EmbeddedError, OSError) as error:
            _note_result(data, str(error) or type(error).__name__)
            raise
    _note_result(data)
    if json:
        print_json(manifest)
    else:
        say(f"{path}: {len(manifest.files)} files, {manifest.log_entries} commitments, secrets {manifest.secrets}.")
    note(data, "backup", secrets=manifest.secrets, files=len(manifest.files))


def _note_result(data: DataDirectory, failure: str = "") -> None:
    """Write down how a backup went, for the alert (docs/watch.md). A data directory that was never started has none."""
    if data.run.exists():
        note_backup(data.last_backup, failure)


def restore(path: Path, *, json: bool = False) -> None:
    """Fill an empty data directory ($TETRAD_HOME) from a backup. Every file is checked first.

    Args:
        path: the backup.
        json: print the manifest as JSON.
    """
    data = find_data_directory(os.environ)
    with progress_bar() as bar:
        task = bar.add_task("files", total=None)
        manifest = put_back(data, path, lambda done, total: bar.update(task, completed=done, total=total))
    finish(data)
    if json:
        print_json(manifest)
    else:
        say(f"{data.folder} is restored to its state of {manifest.made_at}: {manifest.log_entries} commitments.")
        _remind(data)
    note(data, "restore", made_at=manifest.made_at, log_entries=manifest.log_entries)


def _remind(data: DataDirectory) -> None:
    if not data.secrets.exists():
        say(f"The backup holds no secrets: put {data.secrets} there before you start, or open draws can't be answered.")
