"""The command line's parts that need no service: parameters, kept keys, the log's findings, what is printed."""

import io
import json
import socket
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import httpx
import msgspec
import pytest
from rich.console import Console

from tests.ports import free_port
from tests.unit.tetrad.client.test_verbs import REPORT, SUBMISSION
from tetrad.cli import operator, output
from tetrad.cli.completing import import_commands
from tetrad.cli.credentials import (
    AddressError,
    KeysFileError,
    NoKeyError,
    NoProfileError,
    address,
    connect,
    connect_with_key,
    keep_key,
    kept_key,
    use_profile,
    with_origin,
)
from tetrad.cli.failing import describe_file_error
from tetrad.cli.main import COMMANDS, main, make_app
from tetrad.cli.team import reports
from tetrad.cli.team import verify as verifying
from tetrad.cli.team.answering import SubmitError
from tetrad.cli.team.baseline import MissingExtraError, compare
from tetrad.cli.team.parameters import ParameterTextError, parse_parameters
from tetrad.cli.team.reports import check_report
from tetrad.cli.team.verify import VerificationFailedError, log_findings, wait_for
from tetrad.client import Client, ServiceError, UnreachableError
from tetrad.commitments import GENESIS, commitment_of, entry_of
from tetrad.contracts.items import DrawIdentity
from tetrad.contracts.log import LogEntry
from tetrad.contracts.problems import Fault, Problem
from tetrad.contracts.reports import Report, Verification
from tetrad.contracts.submissions import Submission
from tetrad.files import whole_file
from tetrad.reporting.units import percent

HERE, THERE = "http://here", "http://there"
CLAIMED = msgspec.structs.replace(REPORT, submission="sub_3")


@pytest.fixture(autouse=True)
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("TETRAD_KEY", "TETRAD_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TETRAD_CONFIG", str(tmp_path / "config" / "keys.json"))
    monkeypatch.delenv("TETRAD_PROFILE", raising=False)
    return tmp_path / "config" / "keys.json"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("steps=3", 3),
        ("steps=-3", -3),
        ("loud=true", True),
        ("loud=false", False),
        ("mode=plain", "plain"),
        ("mode=", ""),
        ("mode=a=b", "a=b"),
        ("mode=True", "True"),
        ("mode=--3", "--3"),
        ("mode=3.5", "3.5"),
        ("mode=²", "²"),
        ("mode=" + "9" * 5000, "9" * 5000),
    ],
    ids=lambda value: str(value)[:12],
)
def test_a_parameter_is_a_number_a_truth_value_or_a_text(text: str, value: object) -> None:
    ((_, parsed),) = parse_parameters([text]).items()
    assert (type(parsed), parsed) == (type(value), value)


@pytest.mark.parametrize("text", ["steps", "=3", ""])
def test_a_parameter_without_a_name_or_a_value_is_refused(text: str) -> None:
    with pytest.raises(ParameterTextError, match="is not NAME=VALUE"):
        parse_parameters(["a=1", text])


def test_one_name_with_two_values_is_refused() -> None:
    assert parse_parameters(["steps=3", "steps=3", "shape=a"]) == {"steps": 3, "shape": "a"}
    with pytest.raises(ParameterTextError, match=r"steps is given as 3 and as 2; .*leave one out"):
        parse_parameters(["steps=3", "steps=2"])


def test_the_address_is_the_option_or_the_variable_or_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    assert address(None) == "http://127.0.0.1:8000"
    monkeypatch.setenv("TETRAD_URL", f"{THERE}/")
    assert address(None) == THERE
    assert address(f"{HERE}/") == HERE


def test_keys_are_kept_by_address_in_a_file_for_the_owner_only(keys: Path) -> None:
    keep_key(HERE, "one", "team-a")
    keys.chmod(0o644)
    keep_key(THERE, "two", "team-a")
    assert [found and found.text for found in map(kept_key, (HERE, THERE, "http://else"))] == ["one", "two", None]
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600
    assert stat.S_IMODE(keys.parent.stat().st_mode) == 0o700
    assert [path.name for path in keys.parent.iterdir()] == ["keys.json"]


def test_without_a_variable_keys_are_kept_below_the_home_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TETRAD_CONFIG")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert keep_key(HERE, "one", "team-a") == tmp_path / ".config" / "tetrad" / "keys.json"


def test_the_variable_s_key_goes_first_and_no_key_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NoKeyError, match="no key for http://here; make one with `tetrad keys new --team NAME`"):
        connect_with_key(HERE)
    with connect(HERE) as client:
        assert client._authorization == {}
    keep_key(HERE, "kept", "team-a")
    monkeypatch.setenv("TETRAD_KEY", "given")
    with connect_with_key(HERE) as client:
        assert client._authorization == {"Authorization": "Bearer given"}


def test_a_second_team_s_key_leaves_the_first_one_s_and_either_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_key(HERE, "key-a", "team-a")
    keep_key(HERE, "key-b", "team-b")

    def used() -> str:
        found = kept_key(HERE)
        assert found is not None
        return found.text

    assert used() == "key-b"
    use_profile(HERE, "team-a")
    assert used() == "key-a"
    monkeypatch.setenv("TETRAD_PROFILE", "team-b")
    assert used() == "key-b"
    monkeypatch.setenv("TETRAD_PROFILE", "team-c")
    with pytest.raises(NoProfileError, match=r"'team-c'.*there are team-a, team-b"):
        used()
    with pytest.raises(NoProfileError, match="no profile 'team-c'"):
        use_profile(HERE, "team-c")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "--url 'nonsense' is no address of a service; give one like http://127.0.0.1:8000"),
        ("ftp://here", "is no address of a service"),
        ("http://here:port", "is no address of a service"),
        ("http://here/v1", "--url http://here/v1 ends in /v1; leave that out: http://here"),
        ("http://here/v1/", "leave that out: http://here"),
    ],
)
def test_an_address_of_no_service_is_refused(url: str, said: str) -> None:
    with pytest.raises(AddressError) as caught:
        address(url)
    assert said in str(caught.value)
    with pytest.raises(AddressError, match=r"^--with "):
        address(url, option="--with")


def test_the_variable_is_named_where_its_address_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETRAD_URL", "nonsense")
    with pytest.raises(AddressError, match="TETRAD_URL 'nonsense'"):
        address(None)


def refusing(*faults: Fault) -> ServiceError:
    detail = "; ".join(f"{fault.field}: {fault.problem}; {fault.remedy}" for fault in faults)
    problem = Problem(
        type="", title="Unprocessable Entity", status=422, detail=detail, faults=list(faults), faults_total=len(faults)
    )
    return ServiceError(problem)


def test_each_fault_is_told_once() -> None:
    one = Fault(field="size", value="0", problem="is less than 1", remedy="send 1 or more")
    other = Fault(field="track", problem="is missing", remedy="send it")
    assert str(refusing(one)) == "422 Unprocessable Entity: size '0': is less than 1; send 1 or more"
    assert str(refusing(one, other)).splitlines() == [
        "422 Unprocessable Entity",
        "  size '0': is less than 1; send 1 or more",
        "  track: is missing; send it",
    ]
    beside = Problem(type="", title="Conflict", status=409, detail="nothing is kept", faults=[one], faults_total=7)
    assert str(ServiceError(beside)).splitlines() == [
        "409 Conflict: nothing is kept",
        "  size '0': is less than 1; send 1 or more",
        "  and 6 more",
    ]


def test_a_wrong_key_is_told_with_where_it_is_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETRAD_KEY", "wrong")
    connect_with_key(HERE).close()
    error = ServiceError(Problem(type="", title="Unauthorized", status=401, detail="nobody has this key"))
    assert with_origin(error).endswith("what was sent is from TETRAD_KEY")
    monkeypatch.delenv("TETRAD_KEY")
    keep_key(HERE, "wrong", "team-a")
    connect_with_key(HERE).close()
    assert "is from profile team-a in " in with_origin(error)
    assert with_origin(refusing()) == str(refusing())


def test_https_where_http_is_spoken_says_so(tmp_path: Path) -> None:
    with served_plainly() as port, pytest.raises(UnreachableError) as caught:
        Client(f"https://127.0.0.1:{port}").benchmarks()
    assert f"speaks no https; try http://127.0.0.1:{port}" in str(caught.value)


@contextmanager
def served_plainly() -> Iterator[int]:
    """Answer every connection with a line of HTTP, whatever comes."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        done = Event()

        def answer() -> None:
            listener.settimeout(0.1)
            while not done.is_set():
                with suppress(TimeoutError):
                    connection, _ = listener.accept()
                    with connection:
                        connection.recv(512)
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

        thread = Thread(target=answer)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            done.set()
            thread.join()


def test_completion_knows_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for shell in ("bash", "zsh", "fish"):
        with pytest.raises(SystemExit) as ended:
            main(["completion", shell])
        assert not ended.value.code
        script = capsys.readouterr().out
        assert all(name in script for name in (*COMMANDS, "--upstream", "gateway-token"))


def test_the_summaries_of_commands_begin_their_own_help() -> None:
    app = make_app(["completion"])
    for group, commands in (app, COMMANDS), (app["admin"], operator.COMMANDS):
        for name, command in commands.items():
            own = " ".join(group[name].help.split("\n\n")[0].split()).replace("`", "")
            assert command.summary == own, name


def test_every_argument_of_every_command_says_what_it_is() -> None:
    app = make_app(["completion"])
    import_commands(app)
    groups, silent = [app], []
    while groups:
        group = groups.pop()
        groups += [group[name] for name in group if not name.startswith("-")]
        arguments = group.assemble_argument_collection(parse_docstring=True) if group.default_command else []
        silent += [f"{group.name[0]} {each.name}" for each in arguments if each.show and not each.parameter.help]
    assert not silent


def report_with(unread: int, missing: int, value: float | None) -> Report:
    headline = msgspec.structs.replace(CLAIMED.headline, value=value)
    return msgspec.structs.replace(CLAIMED, questions_asked=20, unread=unread, missing=missing, headline=headline)


def test_a_run_whose_replies_can_t_be_read_is_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    check_report(report_with(20, 0, 0.0), None)
    assert "no reply could be read" in capsys.readouterr().err
    check_report(report_with(8, 4, 0.0), None)
    assert "only 8 of 16 replies could be read" in capsys.readouterr().err
    for fine in (report_with(3, 0, 0.5), report_with(0, 20, 0.0)):
        check_report(fine, None)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("value", "below"), [(0.49, True), (0.5, False), (None, True)])
def test_a_score_below_the_threshold_has_a_status_of_its_own(value: float | None, below: bool) -> None:  # noqa: FBT001
    if not below:
        check_report(report_with(0, 0, value), 0.5)
        return
    with pytest.raises(SystemExit) as ended:
        check_report(report_with(0, 0, value), 0.5)
    assert ended.value.code == 4


@pytest.mark.parametrize("damaged", ["", "{", '["key"]', '{"http://here": 1}'])
def test_a_damaged_file_of_keys_is_named_and_not_overwritten(keys: Path, damaged: str) -> None:
    keys.parent.mkdir()
    keys.write_text(damaged)
    for use in (lambda: kept_key(HERE), lambda: keep_key(HERE, "new", "team-a")):
        with pytest.raises(KeysFileError, match=r"keys\.json can't be read .*correct it, or move it away"):
            use()
    assert keys.read_text() == damaged


def test_a_file_of_keys_that_can_t_be_written_is_named(keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys.parent.write_text("a file where the folder should be")
    with pytest.raises(KeysFileError):
        keep_key(HERE, "new", "team-a")
    monkeypatch.setenv("TETRAD_CONFIG", "/proc/tetrad/keys.json")  # nobody can make a folder there
    with pytest.raises(KeysFileError, match="set TETRAD_CONFIG to another file"):
        keep_key(HERE, "new", "team-a")


def log() -> list[LogEntry]:
    entries: list[LogEntry] = []
    for number in range(1, 6):
        commitment = commitment_of(CLAIMED.identity, CLAIMED.seed, CLAIMED.size) if number == 3 else "0" * 64
        previous = entries[-1].entry if entries else GENESIS
        entries.append(entry_of(number, f"sub_{number}", commitment, "now", previous))
    return entries


def wrong(entries: list[LogEntry]) -> dict[str, str]:
    return {finding.check: finding.where for finding in log_findings(CLAIMED, entries) if not finding.ok}


def test_a_whole_log_that_holds_the_commitment_has_nothing_wrong() -> None:
    assert wrong(log()) == {}


def test_a_removed_line_is_found_at_the_one_after_it() -> None:
    entries = log()
    assert wrong([*entries[:1], *entries[2:]]) == {"log is hash-chained": "entry 3"}


def test_the_submission_s_own_line_removed_is_found_twice() -> None:
    entries = log()
    findings = log_findings(CLAIMED, [*entries[:2], *entries[3:]])
    assert [finding.ok for finding in findings] == [False, False]
    assert findings[1].found == "not in the log"
    assert findings[1].claimed == commitment_of(CLAIMED.identity, CLAIMED.seed, CLAIMED.size)


@pytest.mark.parametrize("field", ["number", "submission", "commitment", "at", "previous", "entry"])
def test_an_edited_line_is_found(field: str) -> None:
    entries = log()
    entries[3] = msgspec.structs.replace(entries[3], **{field: 7 if field == "number" else "f" * 64})
    assert wrong(entries) == {"log is hash-chained": "entry 7" if field == "number" else "entry 4"}


def test_a_whole_log_with_another_commitment_does_not_hold_this_draw() -> None:
    other = DrawIdentity(benchmark="kiva", version=1, bank="d" * 64, track="toy", setting="full", parameters={})
    findings = log_findings(msgspec.structs.replace(CLAIMED, identity=other), log())
    assert [(finding.check, finding.ok) for finding in findings] == [
        ("log is hash-chained", True),
        ("commitment in the log", False),
    ]


def answering(*bodies: object) -> Client:
    """Return a client of a service that answers these bodies in turn, the last one for ever."""
    left = list(bodies)

    def handler(_: httpx.Request) -> httpx.Response:
        body = left.pop(0) if len(left) > 1 else left[0]
        return httpx.Response(200, content=msgspec.json.encode(body))

    return Client("", http=httpx.Client(base_url=HERE, transport=httpx.MockTransport(handler)))


def verification(state: str, failure: str | None = None) -> Verification:
    return Verification(id="ver_1", state=state, failure=failure, confirmed=state == "done" or None, created_at="")


@pytest.mark.parametrize(
    ("patience", "last", "said"), [(9, "failed", "is failed: no bank"), (0, "queued", "no result yet")]
)
def test_a_verification_that_fails_or_takes_too_long_says_so(
    monkeypatch: pytest.MonkeyPatch, patience: int, last: str, said: str
) -> None:
    monkeypatch.setattr(verifying, "POLL_SECONDS", 0)
    monkeypatch.setattr(verifying, "PATIENCE_SECONDS", patience)
    with pytest.raises(VerificationFailedError, match=said):
        wait_for(answering(verification(last, "no bank" if last == "failed" else None)), verification("queued"))


def submission(state: str, **more: str) -> Submission:
    return msgspec.structs.replace(SUBMISSION, state=state, **more)


@pytest.mark.parametrize(
    ("ended", "patience", "said"),
    [
        (submission("failed", failure="five times"), 9, "sub_1 is failed: five times"),
        (submission("void", void_reason="lapsed"), 9, "sub_1 is void: lapsed"),
        (submission("queued"), 0.05, "is queued after 0.05 s; look again with: --resume sub_1"),
    ],
    ids=["failed", "void", "late"],
)
def test_a_submission_that_does_not_get_scored_ends_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, ended: Submission, patience: float, said: str
) -> None:
    monkeypatch.setattr(reports, "POLL_SECONDS", 0.01)
    monkeypatch.setattr(reports, "PATIENCE_SECONDS", patience)
    with pytest.raises(SubmitError, match=said):
        reports.wait_scored(answering(submission("queued"), ended), "sub_1")


def test_nothing_that_came_from_elsewhere_is_markup(capsys: pytest.CaptureFixture[str]) -> None:
    output.table("[b]T[/b]", ["model"], [["[red]x[/red] :smile:"], ["[/]"]])
    output.say("[bold]x[/bold] " + "long " * 60)
    said = capsys.readouterr().out
    assert all(text in said for text in ("[b]T[/b]", "[red]x[/red] :smile:", "[/]", "[bold]x[/bold]"))
    assert len(said.splitlines()[-1]) > 300, "a line is one line"


def test_an_error_with_brackets_is_shown_as_it_is(capsys: pytest.CaptureFixture[str], keys: Path) -> None:
    keys.parent.mkdir()
    keys.write_text("[/]")
    with pytest.raises(SystemExit) as ended:
        main(["keys", "list", "--url", "http://[/bold]"])
    assert ended.value.code == 1
    assert capsys.readouterr().err.startswith("tetrad: ")
    keys.unlink()
    with pytest.raises(SystemExit):
        main(["keys", "list", "--url", "http://here/[/bold]"])
    assert "http://here/[/bold]" in capsys.readouterr().err


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw() -> None:
        with output.progress_bar() as bar:
            bar.advance(bar.add_task("items", total=1))

    draw()
    assert capsys.readouterr() == ("", "")
    screen = io.StringIO()
    monkeypatch.setattr(output, "errors", Console(file=screen, force_terminal=True))
    draw()
    assert "items" in screen.getvalue()


def test_a_share_is_written_as_a_percentage() -> None:
    assert [percent(value) for value in (None, 0, 0.1234, 1)] == ["-", "0.0%", "12.3%", "100.0%"]


def test_json_is_one_document_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json(verification("done"))
    assert json.loads(capsys.readouterr().out)["confirmed"] is True


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_ctrl_c_exits_130_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(httpx.Client, "request", interrupt)  # as the signal would, in the middle of a call
    with pytest.raises(SystemExit) as ended:
        main(["benchmarks"])
    assert ended.value.code == 130


def test_a_command_line_that_is_none_exits_2_and_names_the_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["verify", "sub_1", "--without", "x"])
    assert ended.value.code == 2
    assert "--without" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "status", "said"),
    [
        (["status", ""], 2, "Give the id of a submission"),
        (["report", "sub_1", "--format", "pdf"], 2, 'Choose from: "markdown", "html", "json", "csv", "junit"'),
        (["submit", "--benchmark", "b", "--model", "m", "--bundle", "nowhere/b.tar"], 1, "make that folder"),
        (["baseline", "reply", "--embeddings", f"{HERE}/v1", "--model", "m"], 1, "standard input holds no question"),
        (["admin", "gateway-token", "budget", "north", "--dollars", "1", "--none"], 1, "give one"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_mistake_is_named_with_its_remedy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, line: list[str], status: int, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"{}")))
    with pytest.raises(SystemExit) as ended:
        main(line)
    assert ended.value.code == status
    assert said in " ".join(capsys.readouterr().err.replace("│", " ").split())


def test_a_place_that_can_not_be_written_is_named_by_its_folder_and_not_by_an_unfinished_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught, whole_file(tmp_path / "nowhere" / "report.md"):
        pass
    assert describe_file_error(caught.value).startswith(f"{tmp_path / 'nowhere'}: No such file or directory; ")


def test_help_offers_no_empty_lists(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["submit", "--help"])
    said = capsys.readouterr().out
    assert "--parameter" in said
    assert "--empty" not in said
    assert "[]" not in said


def test_verify_is_asked_with_another_instance(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    said = capsys.readouterr().out
    assert "--with" in said
    assert "--against" in said


DECEIVING = "\x1b[2J\u202e\x9b31m\r"
ESCAPED = r"\u001b[2J\u202e\u009b31m\u000d"


def test_what_would_deceive_on_a_terminal_is_shown_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "console", Console(width=200))
    output.say(f"said {DECEIVING}")
    output.table(f"title {DECEIVING}", ["cell"], [[f"cell {DECEIVING}\nsecond"]])
    shown = capsys.readouterr().out
    assert f"said {ESCAPED}" in shown
    assert f"title {ESCAPED}" in shown
    assert rf"cell {ESCAPED}\u000asecond" in shown
    assert not set(DECEIVING) & set("\x1b\x9b\u202e\r") & set(shown)


def test_json_means_the_same_and_holds_nothing_that_deceives(capsys: pytest.CaptureFixture[str]) -> None:
    output.print_json({"text": DECEIVING})
    output.print_line({"text": DECEIVING})
    shown = capsys.readouterr().out
    whole, _, line = shown.rstrip("\n").rpartition("\n")
    assert json.loads(whole) == json.loads(line) == {"text": DECEIVING}
    assert not set("\x1b\x9b\u202e\r") & set(shown)


def test_an_error_s_message_is_shown_escaped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tetrad.client.synchronous.CONNECT_RETRIES", 0)  # each waits longer
    with pytest.raises(SystemExit):
        main(["items", f"no {DECEIVING}", "--url", f"http://127.0.0.1:{free_port()}"])
    shown = capsys.readouterr()
    assert not set("\x1b\x9b\u202e") & set(shown.out + shown.err)


def test_baselines_without_numpy_name_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tetrad.cli.team.embedded_items", None)
    with pytest.raises(MissingExtraError, match=r"tetrad\[solvers\]"):
        compare(tmp_path, embeddings="http://127.0.0.1:9/v1", model="any")
