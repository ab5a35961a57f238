"""The chart's form, without helm: names of variables, values by their schema. `make chart` does the rest."""

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator

from deploy.helm.make_secrets import SERVICES
from deploy.helm.schema import CHART, READ, SCHEMA, main
from tetrad.server.settings import variables

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


@pytest.mark.parametrize("path", [CHART / "values.yaml", *VALUES], ids=lambda path: path.stem)
def test_values_are_those_of_the_schema(path: Path) -> None:
    validator = Draft7Validator(json.loads(SCHEMA.read_text()))
    values = yaml.safe_load(path.read_text())
    assert [error.message for error in validator.iter_errors(values)] == []
    assert list(validator.iter_errors({**values, "databases": {}})), "another name is refused"
