"""Another user of the machine reads nothing of an instance's and can open no lock, whatever the umask was."""

import stat

from tests.answering import answer_all, open_submission, wait_scored
from tests.instance import Instance

OURS = {"up.log"}  # the tests' own


def test_all_that_an_instance_keeps_is_for_its_owner_only(instance: Instance) -> None:
    with instance.team("owners") as client:
        submission = open_submission(client, "private", size=4).id
        answer_all(client, submission)
        wait_scored(client, submission)
    folder = instance.data_directory.folder
    made = [folder, *(path for path in folder.rglob("*") if path.name not in OURS)]
    names = {path.name for path in made}
    assert {
        "tetrad.sqlite",
        "generator.sqlite",
        "tetrad.sqlite-turn",
        "api.log",
        "supervisord.pid",
        "secrets.json",
    } <= names
    open_to_others = [path for path in made if path.exists() and stat.S_IMODE(path.stat().st_mode) & 0o077]
    assert open_to_others == []
    assert any(path.is_relative_to(folder / "valkey") and path.is_file() for path in made)
    assert any(path.is_relative_to(folder / "objects") and path.is_file() for path in made)
