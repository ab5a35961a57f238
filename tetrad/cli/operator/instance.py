"""`tetrad admin secrets`, `rotate-secret`, `drop-secrets`, `backup`, `restore`: the instance as a whole.

The last four work on the files of an embedded instance ($TETRAD_HOME); docs/operations.md says what to do elsewhere.
"""

import os
from pathlib import Path

from tetrad.cli.operator.connecting import operate
from tetrad.cli.output import print_json, progress_bar, say, table
from tetrad.server.embedded.audit_log import note
from tetrad.server.embedded.backups import back_up
from tetrad.server.embedded.data_directory import (
    EmbeddedError,
    Home,
    find_home,
    is_running,
    load_secrets,
    rotate_seed_secret,
)
from tetrad.server.embedded.restoring import finish
from tetrad.server.embedded.restoring import restore as put_back


def secrets(*, url: str | None = None, json: bool = False) -> None:
    """Say which seed secrets are loaded and how many draws need each; draws nobody can answer are let go.

    Args:
        url: address of the service.
        json: print JSON.
    """
    with operate(url) as client:
        found = client.review_secrets()
    if json:
        print_json(found)
        return
    rows = [
        [one.id, "current" if one.current else "older", "yes" if one.loaded else "MISSING", str(one.needed_by)]
        for one in found.secrets
    ]
    table(f"Seed secrets ({found.closed} draws let go now)", ["id", "", "loaded", "draws that need it"], rows)


def rotate_secret(*, reason: str = "") -> None:
    """Put a new seed secret before the old ones, in the home's secrets.json; it counts from the next start on.

    Args:
        reason: for the log of acts.
    """
    home = find_home(os.environ)
    kept = rotate_seed_secret(home).seed_secret.count(",")
    note(home, "rotate secret", reason=reason, older=kept)
    start = "Restart the instance" if is_running(home) else "Start the instance"
    say(f"A new seed secret is in {home.secrets}; {kept} older ones are kept for open draws.")
    say(f"{start}: new draws use it from then on. `tetrad admin secrets` says when the older ones are needed no more.")


def drop_secrets(*, url: str | None = None, reason: str = "") -> None:
    """Drop the older seed secrets that no draw needs any more from the home's secrets.json.

    Args:
        url: address of the running instance, which says what is needed.
        reason: for the log of acts.
    """
    home = find_home(os.environ)
    with operate(url) as client:
        states = client.review_secrets().secrets
    current, *older = load_secrets(home).seed_secret.split(",")
    loaded = [one for one in states if one.loaded]
    if len(loaded) != 1 + len(older):
        raise EmbeddedError("the instance holds other secrets than its home: restart it first")
    keep = [secret for secret, state in zip([current, *older], loaded, strict=True) if state.needed_by]
    rotate_seed_secret(home, keep=keep)
    dropped = len([one for one in older if one not in keep])
    note(home, "drop secrets", reason=reason, dropped=dropped)
    say(f"{dropped} seed secrets are dropped, {len(older) - dropped} older ones are still needed.")


def backup(path: Path, *, with_secrets: bool = False, json: bool = False) -> None:
    """Back the home up to a new folder, while it runs: databases of one moment, objects, and a manifest.

    Args:
        path: the folder to make.
        with_secrets: include secrets.json; whoever reads it can compute every key of an open draw.
        json: print the manifest as JSON.
    """
    home = find_home(os.environ)
    with progress_bar() as bar:
        task = bar.add_task("objects", total=None)
        manifest = back_up(
            home,
            path,
            with_secrets=with_secrets,
            report=lambda done, total: bar.update(task, completed=done, total=total),
        )
    if json:
        print_json(manifest)
    else:
        say(f"{path}: {len(manifest.files)} files, {manifest.log_entries} commitments, secrets {manifest.secrets}.")
    note(home, "backup", secrets=manifest.secrets, files=len(manifest.files))


def restore(path: Path, *, json: bool = False) -> None:
    """Fill an empty home ($TETRAD_HOME) from a backup; every file is checked first.

    Args:
        path: the backup.
        json: print the manifest as JSON.
    """
    home = find_home(os.environ)
    with progress_bar() as bar:
        task = bar.add_task("files", total=None)
        manifest = put_back(home, path, lambda done, total: bar.update(task, completed=done, total=total))
    finish(home)
    if json:
        print_json(manifest)
    else:
        say(f"{home.folder} is as it was at {manifest.made_at}: {manifest.log_entries} commitments.")
        _remind(home)
    note(home, "restore", made_at=manifest.made_at, log_entries=manifest.log_entries)


def _remind(home: Home) -> None:
    if not home.secrets.exists():
        say(f"The backup holds no secrets: put {home.secrets} there before you start, or open draws can't be answered.")
