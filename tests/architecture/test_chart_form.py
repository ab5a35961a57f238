"""The chart's form, without helm: names of variables, values by their schema. `make chart` does the rest."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from deploy.helm.make_secrets import SERVICES
from deploy.helm.schema import CHART, READ, SCHEMA, main
from tetrad.server.settings import variables

IMAGES = CHART.parents[1] / "images.toml"
YAML = re.compile(r"```yaml\n(.*?)```", re.DOTALL)
VALUES = sorted((CHART.parent / "values").glob("*.yaml"))
KNOWN = {name for kind, prefix in READ.values() for name in variables(kind, prefix)}


def test_the_schema_of_values_is_that_of_the_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--check"]) == 0
    monkeypatch.setattr("deploy.helm.schema.SCHEMA", tmp_path / "values.schema.json")
    (tmp_path / "values.schema.json").write_text(SCHEMA.read_text().replace("TETRAD_API_NOTICE", "TETRAD_API_NOTE"))
    assert main(["--check"]) == 1
    assert "run python -m deploy.helm.schema" in capsys.readouterr().err


def test_every_variable_of_the_templates_and_of_the_secrets_is_one_that_a_service_reads() -> None:
    templates = "".join(path.read_text() for path in (CHART / "templates").iterdir())
    named = set(re.findall(r"\bTETRAD_(?:API|GENERATOR|BULK|SCORING|GATEWAY)_[A-Z_]+\b", templates))
    kept = {key for keys in SERVICES.values() for key in keys if key.startswith("TETRAD_")}
    assert len(named) > 30
    assert (named | kept) - KNOWN == set()


def test_images_of_others_are_those_of_the_list() -> None:
    texts = "".join(path.read_text() for path in CHART.parent.rglob("*.yaml"))
    pinned = set(re.findall(r"([a-z/]+:[\w.-]+)@(sha256:[0-9a-f]{64})", texts))
    listed = {(image["name"], image.get("digest")) for image in tomllib.loads(IMAGES.read_text())["images"]}
    known = {(name.removeprefix("docker.io/").removeprefix("library/"), digest) for name, digest in listed}
    assert len(pinned) == 2
    assert pinned <= known


def test_users_of_valkey_s_chart_have_the_rights_of_compose_s() -> None:
    """Bulk workers are bound to a number of their own from Valkey 9.1 on alone."""
    script = (CHART.parents[1] / "valkey" / "start.sh").read_text()
    rights = dict(re.findall(r"^user (\w+) on >\S+ (.+)$", script, re.MULTILINE))
    rights["bulk"] = rights["bulk"].replace(" ${number:+resetdbs} ${number}", "")
    users = yaml.safe_load((CHART.parent / "valkey.yaml").read_text())["auth"]["aclUsers"]
    assert {name: user["permissions"] for name, user in users.items()} == rights


def test_the_adapter_s_rules_and_the_chart_s_scaling_name_the_same_numbers() -> None:
    page = (CHART.parents[2] / "docs" / "cluster.md").read_text()
    (rules,) = [yaml.safe_load(block)["rules"] for block in YAML.findall(page) if block.startswith("rules:")]
    shown = {rule["seriesQuery"].partition("{")[0] for kind in rules.values() for rule in kind}
    scaling = (CHART / "templates" / "scaling.yaml").read_text()
    assert shown == set(re.findall(r"\btetrad_\w+", scaling))


@pytest.mark.parametrize("path", [CHART / "values.yaml", *VALUES], ids=lambda path: path.stem)
def test_values_are_those_of_the_schema(path: Path) -> None:
    validator = Draft7Validator(json.loads(SCHEMA.read_text()))
    values = yaml.safe_load(path.read_text())
    assert [error.message for error in validator.iter_errors(values)] == []
    assert list(validator.iter_errors({**values, "databases": {}})), "another name is refused"
