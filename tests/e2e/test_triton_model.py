"""A submission that a model on a real Triton answers through the gateway, to its report."""

import json
import os
import subprocess
import sys
from pathlib import Path

from deploy.triton.models import analogist, write
from tests.instance import Instance
from tests.integration.inference_gateway.conftest import SERVICE_TOKEN, gateway_with
from tests.triton import serving

SIZE = 20


def test_a_submission_is_answered_by_triton_through_the_gateway_and_its_report_counts_the_stops(
    instance: Instance, tmp_path: Path
) -> None:
    repository = tmp_path / "models"
    write(repository, analogist(), "wheel")
    with serving(repository) as triton, instance.team("on-triton") as team:
        entry = (
            f'provider = "triton"\nkind = "chat"\ntitle = "A"\nupstream = "analogist"\naddress = "{triton.address}"\n'
        )
        models = f"[analogist]\n{entry}output_cap = 64\n[brief]\n{entry}output_cap = 2\n"
        key = team._authorization["Authorization"].removeprefix("Bearer ")
        keys = {"TETRAD_KEY": key, "OPENAI_API_KEY": SERVICE_TOKEN}
        with gateway_with(tmp_path, models) as gateway:
            for model, stop, missing in (("analogist", "complete", 0), ("brief", "length", SIZE)):
                asked = ["--benchmark", "toy", "--setting", "shade-only", "--size", str(SIZE), "--model", model]
                command = [sys.executable, "-m", "tetrad", "submit", *asked, "--base-url", f"{gateway.url}/v1"]
                done = subprocess.run(
                    [*command, "--url", instance.url, "--json"],
                    env=os.environ | keys, capture_output=True, text=True, check=False,
                )  # fmt: skip
                assert done.returncode == 0, done.stderr
                report = json.loads(done.stdout)
                assert report["questions_asked"] == SIZE
                assert report["stops"] == {stop: SIZE}
                assert {one["stop"] for one in report["questions"]} == {stop}
                assert report["unread"] + report["missing"] == missing, "two words hold no option"
