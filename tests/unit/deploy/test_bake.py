"""deploy/docker-bake.json builds each image that compose.yaml builds, from stages and arguments that recipes have."""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
BAKE = json.loads((ROOT / "deploy" / "docker-bake.json").read_text())


def inherit(name: str) -> dict[str, Any]:
    """Return a target with what it inherits; an argument that is null is none."""
    own = BAKE["target"][name]
    merged: dict[str, Any] = {}
    for parent in own.get("inherits", []):
        merged |= inherit(parent)
    arguments = {**merged.get("args", {}), **own.get("args", {})}
    return {**merged, **own, "args": {key: value for key, value in arguments.items() if value is not None}}


def expand(name: str) -> Iterator[dict[str, Any]]:
    """Yield a target once for each point of its matrix, with every variable filled in."""
    target = inherit(name)
    matrix: Mapping[str, list[str]] = target.pop("matrix", {})
    defaults = {variable: about["default"] for variable, about in BAKE["variable"].items()}
    for values in product(*matrix.values()):
        text = json.dumps(target)
        for variable, value in {**defaults, **dict(zip(matrix, values, strict=True))}.items():
            text = text.replace(f"${{{variable}}}", value)
        yield json.loads(text)


BUILT = [image for name in BAKE["target"] if "tags" in BAKE["target"][name] for image in expand(name)]


@pytest.mark.parametrize("image", BUILT, ids=lambda image: image["tags"][0])
def test_each_target_names_a_recipe_that_has_its_stage_and_its_arguments(image: dict[str, Any]) -> None:
    recipe = (ROOT / image["context"] / image["dockerfile"]).read_text()
    assert set(image["args"]) <= set(re.findall(r"^ARG (\w+)", recipe, re.MULTILINE))
    if "target" in image:
        assert image["target"] in re.findall(r"^FROM \S+ AS (\w+)", recipe, re.MULTILINE)
    assert {"type=sbom", "type=provenance,mode=max"} == set(image["attest"])


def test_every_build_of_compose_is_one_of_these() -> None:
    compose = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]
    builds = [service["build"] for service in compose.values() if "build" in service]
    wanted = {(build["dockerfile"], build.get("args", {}).get("SERVICE"), build.get("target")) for build in builds}
    made = {(image["dockerfile"], image["args"].get("SERVICE"), image.get("target")) for image in BUILT}
    assert {(recipe, service, target or "service" if service else None) for recipe, service, target in wanted} <= made


def test_the_default_group_and_all_parents_are_there_and_no_two_images_share_a_name() -> None:
    named = {
        *BAKE["group"]["default"]["targets"],
        *(parent for target in BAKE["target"].values() for parent in target.get("inherits", [])),
    }
    assert named <= set(BAKE["target"])
    tags = [tag for image in BUILT for tag in image["tags"]]
    assert len(tags) == len(set(tags)) == 8
