"""The chart is rendered by helm itself, and Kubernetes's own schemas of seven versions take what it renders."""

from pathlib import Path

import pytest

from tests.deployed.chart import CHART, VALUES, ChartError, Object, load_validator, read_objects, render, run_helm

VERSIONS = [f"1.{minor}" for minor in range(31, 38)]
OF_OTHERS = {"HTTPRoute", "PodMonitor"}
"""Kinds of other projects, whose schemas Kubernetes does not have: their form is checked here alone."""
NEEDED = ("images.tag", "database.host", "redis.host", "objects.endpoint", "network.database", "network.objects")


def named(path: Path) -> str:
    return path.stem


@pytest.fixture(scope="module")
def validate() -> object:
    return load_validator()


def refused(validator: object, objects: list[Object], version: str) -> list[str]:
    found = []
    for each in objects:
        if each["kind"] not in OF_OTHERS:
            try:
                validator.validate(each, version, strict=True)  # type: ignore[attr-defined]
            except validator.ValidationError as error:  # type: ignore[attr-defined]
                found.append(f"{version}: {each['kind']} {each['metadata']['name']}: {error}")
    return found


def test_there_are_six_files_of_values() -> None:
    assert [path.stem for path in VALUES] == ["aws", "ceph", "cloudnativepg", "everything", "google", "one-node"]


@pytest.mark.parametrize("values", [None, *VALUES], ids=lambda path: path.stem if path else "none")
def test_helm_finds_no_fault(values: Path | None) -> None:
    given = [] if values is None else ["--values", str(values)]
    assert "0 chart(s) failed" in run_helm("lint", "--strict", str(CHART), *given)


@pytest.mark.parametrize("values", VALUES, ids=named)
def test_seven_versions_of_kubernetes_take_every_object(values: Path, validate: object) -> None:
    objects = render(values)
    assert len(objects) > 30
    assert [fault for version in VERSIONS for fault in refused(validate, objects, version)] == []


def test_the_schemas_refuse_a_planted_fault(validate: object) -> None:
    objects = render(VALUES[-1])
    deployment = next(each for each in objects if each["kind"] == "Deployment")
    deployment["spec"]["template"]["spec"]["containers"][0]["livenesProbe"] = {}
    assert len(refused(validate, objects, "1.37")) == 1


@pytest.mark.parametrize("name", ["one-node", "cloudnativepg"])
def test_the_servers_of_a_cluster_are_objects_that_kubernetes_takes(name: str, validate: object) -> None:
    objects = read_objects((CHART.parent / f"{name}.yaml").read_text())
    own = [each for each in objects if each["apiVersion"] != "postgresql.cnpg.io/v1"]
    assert [fault for version in VERSIONS for fault in refused(validate, own, version)] == []


@pytest.mark.parametrize("name", NEEDED)
def test_what_must_be_set_is_named_where_it_is_not(name: str) -> None:
    with pytest.raises(ChartError, match=name):
        render(next(path for path in VALUES if path.stem == "everything"), f"{name}=null")


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("api.environment.TETRAD_API_NOTCE=x", "TETRAD_API_NOTCE"),
        ("generator.environment.TETRAD_GENERATOR_SEED_SECRET=x", "TETRAD_GENERATOR_SEED_SECRET"),
        ("api.replica=3", "replica"),
        ("sources.claim=x", "a bucket or a claim"),
        ("api.trustedProxies=", "api.trustedProxies"),
        ("objects.checksums=never", "checksums"),
    ],
)
def test_a_wrong_value_is_refused_by_name(setting: str, problem: str) -> None:
    with pytest.raises(ChartError, match=problem):
        render(next(path for path in VALUES if path.stem == "everything"), setting)
