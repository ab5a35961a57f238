"""`tetrad versions`: the versions here and at the service, and what installs the service's own client."""

from typing import Literal

from tetrad.cli.credentials import UrlOption, address, connect
from tetrad.cli.output import JsonOption, print_json, say
from tetrad.versions import find_version

Extra = Literal["solvers", "parquet", "inspect", "verifiers"]


def versions(*, extra: list[Extra] | None = None, url: UrlOption = None, json: JsonOption = False) -> None:
    """Show the versions of this client and of the service, and the line that installs the service's own client.

    Args:
        extra: an extra that the line installs, too; may be repeated.
    """
    with connect(url) as client:
        found = client.versions()
    if json:
        print_json(found)
        return
    say(
        f"this client        {find_version()}",
        f"{address(url)}  {found.package}",
        f"api {found.api}, protocol {found.protocol}, log {found.log}, extractor {found.extractor}, "
        f"scorer {found.scorer}",
        *(f"{name} {', '.join(map(str, numbers))}" for name, numbers in found.benchmarks.items()),
    )
    extras = f"[{','.join(extra)}]" if extra else ""
    say(f'pip install "tetrad{extras} @ {found.client.url}#sha256={found.client.sha256}"')
