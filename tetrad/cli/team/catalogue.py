"""`tetrad benchmarks`: what there is."""

from tetrad.cli.credentials import connect
from tetrad.cli.output import print_json, table


def benchmarks(*, url: str | None = None, json: bool = False) -> None:
    """List the benchmarks with their tracks, settings and parameters.

    Args:
        url: address of the service; $TETRAD_URL, else http://127.0.0.1:8000.
        json: print JSON.
    """
    with connect(url) as client:
        found = client.benchmarks()
    if json:
        print_json(found)
        return
    rows = [
        [
            f"{info.card.name} {info.card.version}",
            track.name,
            ", ".join(track.settings),
            "\n".join(f"{one.name}={one.default}" for one in info.card.parameters),
            info.card.title,
        ]
        for info in found.benchmarks
        for track in info.card.tracks
    ]
    table("Benchmarks", ["benchmark", "track", "settings", "parameters (default)", "title"], rows)
