"""Write docs/variables.md from the settings of the services: python -m deploy.variables [--check]."""

import inspect
import sys
from pathlib import Path

import msgspec

from api.settings import ApiSettings, EvaluationSettings
from deploy.drift import write_or_compare
from generator_service.datasets.settings import PREFIX as BULK_PREFIX
from generator_service.datasets.settings import BulkSettings
from generator_service.settings import GeneratorSettings
from inference_gateway.settings import GatewaySettings
from scoring_service.settings import ScoringSettings
from tetrad.server.settings import Settings, variable_name
from tetrad.server.trace_variables import VARIABLES

PAGE = Path(__file__).parents[1] / "docs" / "variables.md"
SETTINGS: dict[str, tuple[type[Settings], str]] = {
    "api": (ApiSettings, "TETRAD_API"),
    "generator": (GeneratorSettings, "TETRAD_GENERATOR"),
    "scoring": (ScoringSettings, "TETRAD_SCORING"),
    "gateway": (GatewaySettings, "TETRAD_GATEWAY"),
    "bulk": (BulkSettings, BULK_PREFIX),
}
INTRODUCTION = """# Every variable

What each service reads from its environment. `make drift` compares this page with the services, and
`python -m deploy.variables` writes it again. Variables of `make up` are in [run.md](run.md). In `deploy/.env`
a variable of this page can be set by its own name where `deploy/compose.yaml` has it as `${NAME:-default}`.
"""


def write_page() -> str:
    worker = _write_service("evaluations", (EvaluationSettings, "TETRAD_API"), known=ApiSettings)
    services = [_write_service(name, found) for name, found in SETTINGS.items()]
    return "\n".join([INTRODUCTION, *services, worker, _write_traces()])


def _write_traces() -> str:
    """Return the part of what every service reads, under the names of OpenTelemetry."""
    found = VARIABLES.items()
    rows = [f"| `{name}` | {f'`{default}`' if default else 'empty'} | {about} |\n" for name, (default, about) in found]
    about = "The same for every service, under OpenTelemetry's own names ([watch.md](watch.md#traces))."
    return f"## Traces\n\n{about}\n\n| variable | default | what |\n| --- | --- | --- |\n{''.join(rows)}"


def _write_service(service: str, found: tuple[type[Settings], str], known: type[Settings] = Settings) -> str:
    """Return the part of a service; without the variables of `known`."""
    kind, prefix = found
    rows = [
        f"| `{variable_name(prefix, field.name)}` | {_describe_default(field)} | {_describe_type(field.type)} |\n"
        for field in msgspec.structs.fields(kind)
        if field.name not in known.__struct_fields__
    ]
    table = f"| variable | default | allowed |\n| --- | --- | --- |\n{''.join(rows)}"
    return f"## {service}\n\n{inspect.getdoc(kind)}\n\n{table}"


def _describe_default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "**must be set**"
    default = str(field.default).lower() if isinstance(field.default, bool) else str(field.default)
    return f"`{default}`" if default else "empty"


def _describe_type(annotation: object) -> str:
    """Return the bounds of a type in words."""
    kind = msgspec.inspect.type_info(annotation)
    match kind:
        case msgspec.inspect.LiteralType():
            return ", ".join(f"`{value}`" for value in kind.values)
        case msgspec.inspect.BoolType():
            return "`true`, `false`"
        case msgspec.inspect.IntType() | msgspec.inspect.FloatType():
            return ", ".join(_bounds(kind)) or "a number"
        case msgspec.inspect.StrType(min_length=int(length)):
            return f"at least {length} characters"
        case _:
            return ""


def _bounds(kind: msgspec.inspect.IntType | msgspec.inspect.FloatType) -> list[str]:
    words = {"ge": "from {:,}", "gt": "above {:,}", "le": "to {:,}", "lt": "below {:,}"}
    bounds = {name: getattr(kind, name) for name in words}
    return [words[name].format(_plain(bound)) for name, bound in bounds.items() if bound is not None]


def _plain(bound: float) -> float:
    """Return a whole number as an int: typing keeps the first of types that are equal, so it may be 1000000.0."""
    return int(bound) if bound == int(bound) else bound


def main(arguments: list[str]) -> int:
    """Write the page; with --check, return 1 if it differs from the one that is there."""
    return write_or_compare(PAGE, write_page(), arguments, "python -m deploy.variables")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
