"""The command line against a running instance: what a stranger types, and what they get to read."""

import io
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import msgspec
import pytest
from PIL import Image
from rich.console import Console

from tests.answering import answer_all, open_questions, open_submission
from tests.e2e.conftest import Run, Said
from tests.instance import Instance
from tests.ports import free_port
from tetrad.cli import output
from tetrad.cli.credentials import keep_key
from tetrad.cli.main import main
from tetrad.cli.team import benchmarks
from tetrad.client import Client
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList, Card
from tetrad.contracts.leaderboards import Board
from tetrad.contracts.reports import Report

PICK_FIRST = """
import json, sys
asked = json.load(sys.stdin)
assert all(open(picture["path"], "rb").read(4) == b"\\x89PNG" for picture in asked["pictures"])
print("The answer is", asked["options"][0]["label"])
"""

PICK_FEW = """
import pathlib, sys
asked = pathlib.Path("asked")
asked.write_text(asked.read_text() + "." if asked.exists() else ".")
sys.exit("out of memory") if len(asked.read_text()) > 5 else print("(A)")
"""


PICK_SLOWLY = """
import pathlib, signal, time
signal.signal(signal.SIGINT, signal.SIG_IGN)
asked = pathlib.Path("asked")
asked.write_text(asked.read_text() + "." if asked.exists() else ".")
time.sleep(60 if len(asked.read_text()) > 5 else 0)
print("(A)")
"""


@pytest.fixture(scope="module")
def scored(instance: Instance, team: Client) -> str:
    """A submission of the random model, made by the command line once for all tests that read it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TETRAD_KEY", team._authorization["Authorization"].removeprefix("Bearer "))
        with pytest.raises(SystemExit) as ended:
            main(["submit", "--benchmark", "toy", "--model", "random", "--size", "40", "--url", instance.url])
    assert not ended.value.code
    return next(one.id for one in team.submissions().submissions if one.model == "random")


def assert_refused(said: Said, *parts: str) -> None:
    """Assert that a command failed with one clear error, and no trace."""
    assert said.status == 1
    assert "Traceback" not in said.err
    assert said.err.splitlines()[0].startswith("tetrad: ")
    assert [part for part in parts if part not in said.err] == []


def test_a_new_team_s_key_is_shown_and_kept_for_its_owner_only(
    anonymous: Run, instance: Instance, tmp_path: Path
) -> None:
    kept = tmp_path / "config" / "keys.json"
    keep_key(instance.url, "tetrad_of_an_instance_that_is_gone", "newcomers")
    said = anonymous("keys", "new", "--team", "newcomers")
    assert said.status == 0
    key = json.loads(kept.read_text())[instance.url]["keys"]["newcomers"]
    assert key in said.out.split()
    assert str(kept) in said.out
    assert "goes back to" not in said.out
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert anonymous("keys", "list").status == 0, "the kept key is used"


def test_a_further_key_has_the_scopes_asked_for_is_listed_and_can_be_revoked(anonymous: Run, tmp_path: Path) -> None:
    first = anonymous("keys", "new", "--team", "scoped", "--json").json()
    further = anonymous("keys", "new", "--name", "ci", "--scope", "read", "--json").json()
    assert further["about"]["scopes"] == ["read"]
    listed = anonymous("keys", "list")
    assert further["about"]["id"] in listed.out
    assert further["key"] not in listed.out
    assert first["key"] not in listed.out
    assert anonymous("keys", "revoke", further["about"]["id"]).out.strip() == f"{further['about']['id']} is revoked."
    states = {key["name"]: key["revoked_at"] for key in anonymous("keys", "list", "--json").json()["keys"]}
    assert states["ci"] is not None
    again = anonymous("keys", "revoke", further["about"]["id"], "--json").json()
    assert again == {"id": further["about"]["id"], "revoked": True}
    assert_refused(anonymous("keys", "revoke", "key_nobody/../x"), "404")


def test_a_further_key_is_printed_whole_on_a_line_of_its_own(anonymous: Run) -> None:
    anonymous("keys", "new", "--team", "liners")
    said = anonymous("keys", "new")
    assert said.out.splitlines()[1] == "It is shown only now, and not kept: set TETRAD_KEY to use it."
    assert len(said.out.splitlines()[0].split()) == 1


@pytest.mark.parametrize(
    "command",
    [
        ["keys", "list"],
        ["keys", "new"],
        ["keys", "revoke", "key_1"],
        ["submit", "--benchmark", "toy", "--model", "random"],
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_without_a_key_a_command_says_how_to_get_one(anonymous: Run, command: list[str]) -> None:
    assert_refused(anonymous(*command), "no key for http", "tetrad keys new --team NAME")


def test_a_name_that_is_taken_or_no_name_is_refused_with_the_remedy(anonymous: Run, team: Client) -> None:
    assert_refused(anonymous("keys", "new", "--team", "cli"), "409", "name")
    assert_refused(anonymous("keys", "new", "--team", "No Name"), "name")


def test_benchmarks_are_listed_as_a_table_and_as_json(anonymous: Run) -> None:
    said = anonymous("benchmarks")
    assert {"toy", "kiva"} <= set(said.out.split())
    assert "…" not in said.out, "nothing is cut where no screen is"
    assert len(said.out.splitlines()) < 40
    names = {info["card"]["name"] for info in anonymous("benchmarks", "--json").json()["benchmarks"]}
    assert {"toy", "kiva"} <= names


def names_on(card: Card) -> set[str]:
    return {
        *(track.name for track in card.tracks),
        *(setting.name for setting in card.settings),
        *(parameter.name for parameter in card.parameters),
    }


def test_one_benchmark_is_shown_with_all_that_can_be_chosen(anonymous: Run) -> None:
    said = anonymous("benchmarks", "toy")
    card = msgspec.json.decode(anonymous("benchmarks", "toy", "--json").out, type=BenchmarkInfo).card
    assert names_on(card) <= set(re.split(r"[\s,]+", said.out))
    assert_refused(anonymous("benchmarks", "none-such"), "none-such", "404")


@pytest.mark.parametrize("width", [80, 120])
def test_benchmarks_fit_the_screen_with_every_word_whole(
    anonymous: Run, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    found = msgspec.json.decode(anonymous("benchmarks", "--json").out, type=BenchmarkList)
    screen = io.StringIO()
    monkeypatch.setattr(output, "console", Console(file=screen, force_terminal=True, width=width, color_system=None))
    benchmarks._list(found)
    assert len(screen.getvalue().splitlines()) < 60
    for info in found.benchmarks:
        benchmarks._show(info)
    assert max(map(len, screen.getvalue().splitlines())) <= width
    words = set(re.split(r"[\s,:()]+", screen.getvalue()))
    assert set().union(*(names_on(info.card) for info in found.benchmarks)) <= words


LINES = "data/train-00000.jsonl"


def test_items_come_as_pictures_and_json_lines(anonymous: Run, tmp_path: Path) -> None:
    said = anonymous("items", "toy", "--seed", "3", "--count", "23", "--out", "puzzles")
    assert said.status == 0
    assert said.err == "", "no progress bar where no terminal is"
    assert "23 items" in said.out
    lines = [json.loads(line) for line in (tmp_path / "puzzles" / LINES).read_text().splitlines()]
    assert list(dict.fromkeys(line["index"] for line in lines)) == list(range(23))
    assert all(line["answer"] and line["scene"] for line in lines)
    for shown in lines[-1]["pictures"]:
        with Image.open(tmp_path / "puzzles" / "data" / shown["image"]) as picture:
            assert picture.size == (16, 16)


def test_the_same_seed_gives_the_same_folder_and_writing_again_replaces_it(anonymous: Run, tmp_path: Path) -> None:
    for _ in range(2):
        anonymous("items", "toy", "--seed", "4", "--count", "2", "--out", "again", "--replace")
    anonymous("items", "toy", "--seed", "4", "--count", "2", "--out", "other")
    assert (tmp_path / "again" / LINES).read_bytes() == (tmp_path / "other" / LINES).read_bytes()
    assert len({json.loads(line)["item"] for line in (tmp_path / "again" / LINES).read_text().splitlines()}) == 2


def test_items_without_a_seed_name_their_folder_by_the_drawn_one(anonymous: Run, tmp_path: Path) -> None:
    said = anonymous("items", "toy", "--count", "2", "--json")
    saved = [json.loads(line) for line in said.out.splitlines()]
    assert sorted({one["index"] for one in saved}) == [0, 1]
    written = tmp_path / f"items-toy-{saved[0]['seed'][:16]}" / LINES
    assert written.read_text() == said.out, "one line a record, on the screen and in the file"


def test_filters_and_parameters_choose_items(anonymous: Run, tmp_path: Path) -> None:
    said = anonymous(
        *("items", "toy", "--seed", "1", "--count", "5", "--where", "shade=dark", "--out", "dark"),
        *("--parameter", "tint=5", "--parameter", "loud=true", "--setting", "shade-only"),
    )
    assert said.status == 0, said.err
    lines = [json.loads(line) for line in (tmp_path / "dark" / LINES).read_text().splitlines()]
    assert len(lines) == 5
    assert all("dark" in line["scene"] for line in lines)
    assert json.loads(lines[0]["parameters"]) == {"tint": 5, "mode": "plain", "loud": True}


def test_an_export_goes_on_where_it_broke_off_and_draws_nothing_twice(
    instance: Instance, anonymous: Run, tmp_path: Path
) -> None:
    options = ("items", "toy", "--split", "train=5", "--split", "validation=6", "--count", "9,4", "--shard-items", "4")
    assert anonymous(*options, "--out", "whole").status == 0
    manifest = json.loads((tmp_path / "whole" / "manifest.json").read_text())
    names = [f"data/{name}.jsonl" for name in ("train-00000", "train-00001", "train-00002", "validation-00000")]
    assert [shard["file"] for shard in manifest["shards"]] == names
    shutil.copytree(tmp_path / "whole", tmp_path / "half")
    for name in names[1:]:
        (tmp_path / "half" / name).unlink()
    half = {**manifest, "shards": manifest["shards"][:1], "is_complete": False}
    (tmp_path / "half" / "manifest.json").write_text(json.dumps(half))
    first = (tmp_path / "half" / names[0]).stat().st_mtime_ns
    assert anonymous(*options, "--out", "half").status == 0
    assert json.loads((tmp_path / "half" / "manifest.json").read_text()) == manifest
    assert (tmp_path / "half" / names[0]).stat().st_mtime_ns == first, "a shard that is there is not drawn again"
    beyond = anonymous("items", "toy", "--seed", "5", "--offset", "8", "--count", "1", "--out", "beyond")
    assert beyond.status == 0
    ninth = (tmp_path / "whole" / names[2]).read_text().replace("train-00002/", "train-00000/")
    assert (tmp_path / "beyond" / names[0]).read_text() == ninth
    other = ("items", "toy", "--seed", "7", "--count", "1", "--out", "half")
    assert_refused(anonymous(*other), "holds another export; name another folder")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--where", "shade=purple"], ["shade", "purple", "dark"]),
        (["--where", "colour=dark"], ["colour"]),
        (["--parameter", "tint=7"], ["tint"]),
        (["--parameter", "tint"], ["--parameter 'tint' is not NAME=VALUE"]),
        (["--where", "shade"], ["--where 'shade' is not NAME=VALUE"]),
        (["--setting", "half"], ["setting"]),
        (["--seed", "minus"], ["seed"]),
    ],
    ids=lambda options: options[-1],
)
def test_a_choice_that_is_not_there_is_refused_by_name(anonymous: Run, options: list[str], parts: list[str]) -> None:
    assert_refused(anonymous("items", "toy", *options), *parts)


def test_an_unknown_benchmark_and_an_impossible_count_are_refused(anonymous: Run) -> None:
    assert_refused(anonymous("items", "nothing"), "benchmark")
    said = anonymous("items", "toy", "--count", "0")
    assert said.status == 1
    assert "count" in said.err.lower()


def test_a_folder_that_can_t_be_written_is_one_clear_line(anonymous: Run, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    assert_refused(anonymous("items", "toy", "--count", "1", "--out", "taken"), "taken")


def test_submit_answers_with_a_solver_and_prints_the_report(run: Run) -> None:
    said = run("submit", "--benchmark", "toy", "--model", "constant", "--size", "30", "--nonce", "mine")
    assert said.status == 0, said.err
    assert "toy" in said.out
    assert "commitment" in said.err
    opened, page = said.err.splitlines()  # and no bar where no terminal is
    assert page.endswith(f"/submissions/{opened.partition(':')[0]}")


def test_a_submission_too_small_for_a_rank_says_what_is_missing(run: Run) -> None:
    said = run("submit", "--benchmark", "toy", "--model", "constant", "--size", "5", "--parameter", "mode=fancy")
    assert said.status == 0, said.err
    assert "No rank yet: the board ranks from 20 counted items; constant has 5 (5 of 5 items of this" in said.err


def test_submit_answers_with_any_command(run: Run, team: Client, tmp_path: Path) -> None:
    (tmp_path / "my model.py").write_text(PICK_FIRST)
    said = run(
        *("submit", "--benchmark", "toy", "--setting", "shade-only", "--size", "20", "--model", "picker", "--private"),
        *("--command", f"{sys.executable} 'my model.py'", "--parameter", "mode=fancy", "--json", "--concurrency", "2"),
    )
    assert said.status == 0, said.err
    report = msgspec.json.decode(said.out, type=Report)
    assert report.identity.parameters["mode"] == "fancy"
    assert {result.answer for result in report.questions} == {"A"}
    assert team.submission(report.submission).visibility == "private"


def test_a_command_that_fails_is_quoted_and_the_run_can_be_taken_up_again(run: Run, tmp_path: Path) -> None:
    submit = ["submit", "--benchmark", "toy", "--setting", "shade-only", "--size", "20", "--model", "stumbler"]
    (tmp_path / "bad.py").write_text("import sys; sys.exit('out of memory')")
    said = run(*submit, "--command", f"{sys.executable} bad.py")
    assert said.status == 1
    assert "out of memory" in said.err
    assert "a practice question got no answer, so nothing was opened" in said.err
    (tmp_path / "bad.py").write_text(PICK_FEW)
    said = run(*submit, "--command", f"{sys.executable} bad.py", "--concurrency", "1")
    assert said.status == 1
    assert "out of memory" in said.err
    resume = said.err.rpartition("--resume ")[2].split()[0]
    assert f"{resume} is open: " in said.err
    assert f"tetrad submit --resume {resume} --command '{sys.executable} bad.py' --concurrency 1" in said.err
    assert f"tetrad finish {resume}" in said.err
    (tmp_path / "bad.py").write_text(PICK_FIRST)
    assert_refused(run("submit", "--resume", resume), "stumbler", "--command or --base-url")
    assert_refused(run(*submit, "--command", "cat", "--resume", resume, "--private"), "--private: it is public")
    mended = run("submit", "--command", f"{sys.executable} bad.py", "--resume", resume)
    assert mended.status == 0, mended.err
    assert run(*submit, "--command", "cat", "--resume", resume).out == mended.out, "a scored one is only shown"


def test_ctrl_c_says_how_far_it_is_and_how_to_go_on(run: Run, tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(PICK_SLOWLY)
    command = [sys.executable, "-c", "from tetrad.cli.main import main; main()", "submit", "--benchmark", "toy"]
    command += ["--setting", "shade-only", "--size", "20", "--model", "leaver", "--concurrency", "1"]
    with subprocess.Popen(
        [*command, "--command", f"{sys.executable} slow.py"],
        start_new_session=True,  # Ctrl-C reaches the command as well, as on a terminal
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        end = time.monotonic() + 60
        while not (tmp_path / "asked").exists() or len((tmp_path / "asked").read_text()) <= 5:
            assert process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.1)
        os.killpg(process.pid, signal.SIGINT)
        try:
            _, said = process.communicate(timeout=60)
        finally:
            os.killpg(process.pid, signal.SIGKILL)  # the model is still at its reply
    assert process.returncode == 130
    assert "Traceback" not in said
    resume = said.rpartition("--resume ")[2].split()[0]
    assert f"{resume} is open: 4 of 20 items done" in said, "the practice question is none of them"
    assert f"tetrad finish {resume}" in said
    (tmp_path / "slow.py").write_text(PICK_FIRST)
    assert run("submit", "--command", f"{sys.executable} slow.py", "--resume", resume).status == 0


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--model", "x", "--command", "cat", "--base-url", "http://x/v1"], ["give one"]),
        (["--model", "no-such-model"], ["no-such-model", "--command or --base-url"]),
        (["--model", "pixel-solver"], ["nothing was opened: solver 'pixel-solver' does not answer toy"]),
        (["--model", "constant", "--strategy", "telepathy"], ["telepathy", "step-by-step"]),
        (["--model", "constant", "--wording", "nowhere.toml"], ["nowhere.toml"]),
        (["--model", "x", "--command", "cat", "--strategy", "reflect"], ["leave out --strategy"]),
        (["--model", "x", "--command", "no-such-program here"], ["no such program"]),
        (["--model", "x", "--command", "cat 'half"], ["--command", "quotation"]),
        (["--model", "random", "--size", "100000"], ["size"]),
        (["--model", "random", "--track", "none"], ["track"]),
        (["--model", "My Model"], ["--model 'My Model'", "use --model my-model"]),
        (
            ["--model", "x", "--command", "cat", "--max-tokens", "9"],
            ["--max-tokens is", "the server of --base-url"],
        ),
        (["--model", "random", "--resume", "sub_none"], ["404"]),
        (["--model", "random", "--bundle", "nowhere/open.tar"], ["--bundle nowhere/open.tar", "make that folder"]),
    ],
    ids=lambda options: options[-1],
)
def test_options_that_don_t_fit_are_refused_by_name(run: Run, options: list[str], parts: list[str]) -> None:
    assert_refused(run("submit", "--benchmark", "toy", *options), *parts)


def test_the_leaderboard_shows_who_stands_where(run: Run, scored: str) -> None:
    said = run("leaderboard", "toy")
    assert said.status == 0
    assert {"random", "cli"} <= set(said.out.split())
    assert "…" not in said.out
    board = msgspec.json.decode(run("leaderboard", "toy", "--json").out, type=Board)
    assert "random" in {row.model for row in board.rows}


def test_a_board_of_published_numbers_shows_them(anonymous: Run) -> None:
    said = anonymous("leaderboard", "kiva")
    assert "published" in said.out
    assert_refused(anonymous("leaderboard", "nothing"), "404")


def test_verify_confirms_a_scored_submission_here_and_with_a_named_instance(
    run: Run, instance: Instance, scored: str
) -> None:
    for how in ([], ["--with", instance.url], ["--against", instance.url + "/"]):
        said = run("verify", scored, *how)
        assert said.status == 0, said.out + said.err
        assert said.out.splitlines()[-1] == f"{scored}: confirmed by {instance.url}"
        assert "wrong" not in said.out
    found = run("verify", scored, "--json").json()
    assert found["confirmed"] is True
    assert {"log is hash-chained", "commitment in the log"} <= {finding["check"] for finding in found["findings"]}


def test_verify_names_what_is_wrong_with_a_tampered_report_file(run: Run, team: Client, scored: str) -> None:
    report = team.report(scored)
    better = msgspec.structs.replace(report, headline=msgspec.structs.replace(report.headline, value=0.99))
    Path("report.json").write_bytes(msgspec.json.encode(better))
    said = run("verify", scored, "--report", "report.json")
    assert said.status == 1
    assert said.out.splitlines()[0].startswith("wrong")
    assert "headline" in said.out
    assert "not confirmed" in said.out.splitlines()[-1]


def test_verify_says_what_it_can_t_read_or_find(run: Run, team: Client) -> None:
    assert_refused(run("verify", "sub_x", "--report", "nowhere.json"), "--report nowhere.json")
    assert_refused(run("verify", "report.json"), "'report.json' is not a submission's id", "--report")
    Path("half.json").write_text("{")
    assert_refused(run("verify", "sub_x", "--report", "half.json"), "--report half.json", "--format json")
    assert_refused(run("verify", "sub_none"), "404")
    open_one = open_submission(team, "unfinished", size=2)
    assert_refused(run("verify", open_one.id), "409", "is open")


def test_an_instance_that_is_down_or_another_program_is_named_by_its_address(run: Run, scored: str) -> None:
    assert_refused(run("benchmarks", "--url", "http://127.0.0.1:9"), "http://127.0.0.1:9", "is the service up?")
    assert_refused(run("verify", scored, "--with", "http://127.0.0.1:9"), "http://127.0.0.1:9")
    assert_refused(run("benchmarks", "--url", "http://127.0.0.1:notaport"), "notaport")
    assert_refused(run("benchmarks", "--url", "127.0.0.1:8000"), "127.0.0.1:8000")


def test_answers_of_a_finished_submission_are_shown_by_resume(run: Run, team: Client) -> None:
    submission = open_submission(team, "late", setting="shade-only", size=20)
    answer_all(team, submission.id)
    said = run("submit", "--resume", submission.id)
    assert said.status == 0, said.err
    other = ["--benchmark", "kiva", "--model", "random", "--size", "99"]
    parts = ("--benchmark kiva: it has toy", "--model random: it has late", "--size 99: it has 20")
    assert_refused(run("submit", *other, "--resume", submission.id), *parts)


def test_an_open_submission_is_gone_on_with_by_its_id_alone(run: Run, team: Client) -> None:
    submission = open_submission(team, "constant", setting="shade-only", size=20)
    said = run("submit", "--resume", submission.id)
    assert said.status == 0, said.err
    assert team.submission(submission.id).state == "scored"


def test_a_dead_model_server_costs_nothing(run: Run, team: Client) -> None:
    before = team.team().usage
    dead = ("--base-url", f"http://127.0.0.1:{free_port()}/v1", "--upstream", "Org/Model-7B")
    assert_refused(run("submit", "--benchmark", "toy", "--model", "dead", *dead), "nothing was opened", "no reply")
    assert team.team().usage == before
    assert_refused(run("submit", "--benchmark", "kiva-published", "--model", "dead", *dead), "nothing was opened")


def test_submissions_are_listed_shown_and_finished(run: Run, team: Client) -> None:
    opened = open_submission(team, "halfway", setting="shade-only", size=7)
    listed = run("submissions", "--count", "3")
    assert listed.out.startswith(f"{opened.id}  open  0/7 items")
    assert max(map(len, listed.out.splitlines())) <= 80
    shown = run("status", opened.id)
    assert f"{opened.id} is open" in shown.out
    assert f"tetrad finish {opened.id}" in shown.out
    assert run("status", opened.id, "--json").json()["state"] == "open"
    assert_refused(run("finish", opened.id), "409", "no question of this submission was fetched")
    assert list(open_questions(team, opened.id))
    finished = run("finish", opened.id)
    assert "0 of 7 items were done, and what is missing counts as wrong" in finished.out
    assert_refused(run("finish", "sub_none"), "404")
    assert run("events", opened.id, "--follow").out.splitlines()[-1].partition("  ")[2].startswith("scored")
    assert f"tetrad report {opened.id}" in run("status", opened.id).out


def test_who_commands_speak_for_is_shown_and_can_be_changed(anonymous: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    anonymous("keys", "new", "--team", "speakers-a")
    second = anonymous("keys", "new", "--team", "speakers-b")
    assert "Commands speak for speakers-b now; `tetrad use speakers-a` goes back" in second.out
    assert "other profiles: speakers-a" in anonymous("whoami").out
    assert anonymous("use", "speakers-a").status == 0
    assert anonymous("whoami", "--json").json()["team"]["name"] == "speakers-a"
    monkeypatch.setenv("TETRAD_PROFILE", "speakers-b")
    assert anonymous("whoami").out.startswith("speakers-b (active) at ")
    monkeypatch.setenv("TETRAD_KEY", "tetrad_wrong")
    assert_refused(anonymous("whoami"), "401", "what was sent is from TETRAD_KEY")


def test_the_team_s_models_are_listed(run: Run, scored: str) -> None:
    assert "random" in run("models").out
    assert "random" in {one["name"] for one in run("models", "--json").json()}


def test_a_bundle_names_its_submission_and_is_never_written_over_or_empty(
    run: Run, team: Client, tmp_path: Path
) -> None:
    submit = ("submit", "--benchmark", "toy", "--setting", "shade-only", "--size", "2", "--model", "offline")
    first = run(*submit, "--bundle", "open.tar", "--json").json()["submission"]["id"]
    with tarfile.open("open.tar") as archive:
        assert archive.getnames()[:2] == ["questions.ndjson", "submission.json"]
        assert json.load(archive.extractfile("submission.json") or io.BytesIO())["id"] == first
    before = Path("open.tar").read_bytes()
    usage = team.team().usage
    assert_refused(run(*submit, "--bundle", "open.tar"), "open.tar is there already")
    assert team.team().usage == usage
    assert Path("open.tar").read_bytes() == before
    assert "holds 2 open questions" in run("questions", first, "--out", "open.tar").out
    before = Path("open.tar").read_bytes()  # made anew: isal may pack the same pixels into other bytes
    other = open_submission(team, "offline", setting="shade-only", size=2)
    assert_refused(run("questions", other.id, "--out", "open.tar"), f"a bundle of {first}; name another file")
    answer_all(team, first)
    assert_refused(run("questions", first, "--out", "open.tar"), f"no question of {first} is open: it is")
    assert_refused(run("questions", first, "--out", "more.tar"), "Nothing was written")
    assert Path("open.tar").read_bytes() == before
    assert not Path("more.tar").exists()


def test_a_score_below_the_threshold_is_a_status_and_a_failed_test_case(run: Run, scored: str) -> None:
    assert run("report", scored, "--fail-under", "0").status == 0
    said = run("report", scored, "--format", "junit", "--fail-under", "1")
    assert said.status == 4
    assert "below --fail-under 100.0%" in said.err
    assert said.out.count("<failure") == 1
    assert "<failure" not in run("report", scored, "--format", "junit").out


def test_a_run_of_which_no_reply_can_be_read_is_warned_of(run: Run) -> None:
    said = run(
        *("submit", "--benchmark", "toy", "--setting", "shade-only", "--size", "20", "--model", "mumbler", "--private"),
        *("--command", "echo I can not tell", "--fail-under", "0.1"),
    )
    assert said.status == 4
    assert "Warning: no reply could be read." in said.err
