"""The versions of a service, and the client of its version."""

from tetrad.contracts.wire import Digest, Wire


class ClientWheel(Wire, frozen=True, kw_only=True):
    """The wheel of the package `tetrad`: `pip install "tetrad @ URL#sha256=SHA256"`.

    Extras stand behind the name: `"tetrad[solvers] @ URL#sha256=SHA256"`. What it depends on comes from pip's index.
    """

    url: str
    """Address of the wheel on this instance."""
    sha256: Digest
    """SHA-256 of the wheel, which pip checks."""


class ServiceVersions(Wire, frozen=True, kw_only=True):
    """The versions of all that a result depends on."""

    package: str
    """Version of the package `tetrad` that runs here, with its commit where it is known."""
    api: int
    """Version of this API: the number in /v1."""
    protocol: int
    """Version of the protocol of sealed draws: how seeds, commitments and items follow from each other."""
    log: int
    """Version of the format of the public log's entries."""
    extractor: int
    """Version of the code that extracts answers from replies."""
    scorer: int
    """Version of the code that scores extracted answers."""
    benchmarks: dict[str, list[int]]
    """By benchmark, the versions that are served, the newest last."""
    client: ClientWheel
    """The client of this service's own version."""
