"""The folder of an embedded instance: secrets made once, nothing damaged overwritten, nothing started twice."""

import os
import socket
import stat
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, count
from pathlib import Path

import msgspec
import pytest

from tests.unit.tetrad.server.embedded.conftest import looking_like_a_supervisor
from tetrad.server.embedded.data_directory import (
    LOWEST_FREE,
    DataDirectory,
    EmbeddedError,
    Secrets,
    check_free,
    free_ports,
    is_running,
    load_secrets,
    open_data_directory,
)
from tetrad.server.embedded.up import draw_ports


@pytest.fixture
def running(data: DataDirectory) -> Iterator["subprocess.Popen[bytes]"]:
    with looking_like_a_supervisor(data) as process:
        yield process


def test_a_data_directory_has_its_folders(data: DataDirectory) -> None:
    assert all(folder.is_dir() for folder in (data.run, data.logs, data.folder / "objects"))
    assert data.folder.is_absolute()


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_a_data_directory_is_closed_to_others_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        data = open_data_directory({"TETRAD_HOME": str(tmp_path / "var")})
        load_secrets(data)
    finally:
        os.umask(before)
    made = [data.folder, *data.folder.rglob("*")]
    assert {path.name: mode_of(path) for path in made if mode_of(path) not in (0o700, 0o600)} == {}


def test_a_folder_that_stood_open_is_closed_and_what_is_in_it_stays_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "notes.txt").chmod(0o644)
    open_data_directory({"TETRAD_HOME": str(tmp_path)})
    assert (mode_of(tmp_path), mode_of(tmp_path / "notes.txt")) == (0o700, 0o644)


def test_a_folder_that_others_share_is_not_taken_from_them(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    with pytest.raises(EmbeddedError, match=f"TETRAD_HOME is {tmp_path}, which is shared.*a folder of its own"):
        open_data_directory({"TETRAD_HOME": str(tmp_path)})
    assert mode_of(tmp_path) == 0o1777


def test_the_default_data_directory_is_var_on_port_8000(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    for unset in ({}, {"TETRAD_HOME": ""}):
        data = open_data_directory(unset)
        assert (data.folder, data.port) == (tmp_path / "var", 8000)
        assert mode_of(tmp_path) == 0o755


@pytest.mark.parametrize("port", ["", "0", "65536", "-1", "http", "80 80"])
def test_a_port_that_is_none_is_refused_by_its_variable(port: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddedError, match=r"TETRAD_PORT is .* use a number from 1 to 65535"):
        open_data_directory({"TETRAD_HOME": str(tmp_path), "TETRAD_PORT": port})


def test_secrets_are_made_once_all_different_and_readable_by_their_owner_only(data: DataDirectory) -> None:
    made = load_secrets(data)
    values = list(msgspec.structs.asdict(made).values())
    assert len(set(values)) == len(values)
    assert all(len(value) == 64 for value in values)
    assert load_secrets(data) == made
    path = data.folder / "secrets.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not list(data.folder.glob(".part-*"))


def test_two_data_directories_have_nothing_in_common(data: DataDirectory, tmp_path: Path) -> None:
    other = open_data_directory({"TETRAD_HOME": str(tmp_path / "other")})
    ours, theirs = (set(msgspec.structs.asdict(load_secrets(one)).values()) for one in (data, other))
    assert not ours & theirs


def test_ten_that_start_at_once_have_the_same_secrets(data: DataDirectory) -> None:
    with ThreadPoolExecutor(10) as pool:
        assert len(set(pool.map(lambda _: load_secrets(data).seed_secret, range(10)))) == 1


GOOD = dict.fromkeys(Secrets.__struct_fields__, "s" * 64)


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        msgspec.json.encode(GOOD)[:-20],
        msgspec.json.encode(GOOD | {"seed_secret": ""}),
        msgspec.json.encode(GOOD | {"redis_api": "with a space and long enough for a secret"}),
        msgspec.json.encode({name: value for name, value in GOOD.items() if name != "seed_secret"}),
    ],
    ids=["empty", "half", "list", "nothing", "cut", "no seed", "a space", "seed missing"],
)
def test_a_damaged_file_is_refused_and_never_overwritten(data: DataDirectory, damaged: bytes) -> None:
    path = data.folder / "secrets.json"
    path.write_bytes(damaged)
    with pytest.raises(
        EmbeddedError, match=r"secrets\.json can't be read .*restore it: open draws need its seed secret"
    ):
        load_secrets(data)
    assert path.read_bytes() == damaged


def test_a_file_that_is_a_folder_is_refused(data: DataDirectory) -> None:
    (data.folder / "secrets.json").mkdir()
    with pytest.raises(EmbeddedError, match="can't be read"):
        load_secrets(data)


def test_a_free_data_directory_on_a_free_port_can_start_and_finds_the_port_free(data: DataDirectory) -> None:
    check_free(data)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", data.port))
        assert listener.getsockname() == ("127.0.0.1", data.port)


def test_a_port_that_is_taken_is_named_with_its_variable(data: DataDirectory) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", data.port))
        other.listen()
        with pytest.raises(EmbeddedError, match=f"port {data.port} is in use; set TETRAD_PORT"):
            check_free(data)


def test_a_running_data_directory_is_not_started_again(data: DataDirectory, running: "subprocess.Popen[bytes]") -> None:
    data.pid_file.write_text(f"{running.pid}\n")
    with pytest.raises(EmbeddedError, match="is running already; stop it, or set TETRAD_HOME"):
        check_free(data)


@pytest.mark.parametrize(
    "pid", ["", "\n", "no number", "999999999", str(os.getpid())], ids=["empty", "line", "words", "nobody", "ours"]
)
def test_a_pid_that_was_left_behind_or_is_another_program_s_now_stops_nobody(data: DataDirectory, pid: str) -> None:
    data.pid_file.write_text(pid)
    assert not is_running(data)
    check_free(data)


def test_ports_of_inner_servers_are_none_of_those_that_the_instance_is_given(
    data: DataDirectory, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = [data.port, data.gateway_port, data.metrics_port]
    drawn = chain(given, count(LOWEST_FREE))
    monkeypatch.setattr("tetrad.server.embedded.data_directory.secrets.randbelow", lambda _: next(drawn) - LOWEST_FREE)
    ports = draw_ports(data)
    assert (ports.api, ports.gateway) == (data.port, data.gateway_port)
    inner = {ports.generator, ports.practice, ports.valkey}
    assert len(inner) == 3
    assert not inner & set(given)


def test_free_ports_are_all_different_and_free() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", port))


def test_an_instance_without_its_secrets_gets_no_new_ones(data: DataDirectory) -> None:
    data.record.write_bytes(b"a record of draws")
    with pytest.raises(EmbeddedError, match=r"secrets\.json is missing: put that file back"):
        load_secrets(data)
    assert not data.secrets.exists()
