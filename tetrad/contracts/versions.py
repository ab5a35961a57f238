"""The versions of a service, and the client of its version."""

from tetrad.contracts.wire import Digest, Wire


class ClientWheel(Wire, frozen=True, kw_only=True):
    """The wheel of the package `tetrad`: `pip install "tetrad @ URL#sha256=SHA256"`.

    Extras stand behind the name: `"tetrad[solvers] @ URL#sha256=SHA256"`. What it depends on comes from pip's index.
    """

    url: str
    sha256: Digest


class ServiceVersions(Wire, frozen=True, kw_only=True):
    """`benchmarks` has the versions that are served, the newest last."""

    package: str
    api: int
    protocol: int
    log: int
    extractor: int
    scorer: int
    benchmarks: dict[str, list[int]]
    client: ClientWheel
