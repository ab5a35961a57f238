"""A submission that a model on a real Triton answers through the gateway, to its report."""

import json
from pathlib import Path

import pytest

from deploy.triton.models import analogist, write
from tests.instance import Instance
from tests.integration.inference_gateway.conftest import SERVICE_TOKEN, gateway_with
from tests.triton import serving
from tetrad.cli.main import main

SIZE = 20


def test_a_submission_is_answered_by_triton_through_the_gateway_and_its_report_counts_the_stops(
    instance: Instance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repository = tmp_path / "models"
    write(repository, analogist(), "wheel")
    with serving(repository) as triton, instance.team("on-triton") as team:
        entry = (
            f'provider = "triton"\nkind = "chat"\ntitle = "A"\nupstream = "analogist"\naddress = "{triton.address}"\n'
        )
        models = f"[analogist]\n{entry}output_cap = 64\n[brief]\n{entry}output_cap = 2\n"
        monkeypatch.setenv("TETRAD_KEY", team._authorization["Authorization"].removeprefix("Bearer "))
        monkeypatch.setenv("OPENAI_API_KEY", SERVICE_TOKEN)
        with gateway_with(tmp_path, models) as gateway:
            for model, stop, missing in (("analogist", "complete", 0), ("brief", "length", SIZE)):
                asked = ["--benchmark", "toy", "--setting", "shade-only", "--size", str(SIZE), "--model", model]
                with pytest.raises(SystemExit) as ended:
                    main(["submit", *asked, "--openai", f"{gateway.url}/v1", "--url", instance.url, "--json"])
                assert not ended.value.code
                report = json.loads(capsys.readouterr().out)
                assert report["questions_asked"] == SIZE
                assert report["stops"] == {stop: SIZE}
                assert {one["stop"] for one in report["questions"]} == {stop}
                assert report["unread"] + report["missing"] == missing, "two words hold no option"
