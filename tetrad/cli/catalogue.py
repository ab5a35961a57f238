"""`tetrad benchmarks`: what there is; and where a command goes that names a benchmark only."""

from tetrad.cli.credentials import connect
from tetrad.cli.output import print_json, table
from tetrad.client import Client


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


def place_of(client: Client, benchmark: str, track: str | None, setting: str | None) -> tuple[str, str]:
    """Return the track and setting that are named; for one that is not, the first on the benchmark's card."""
    if track is not None and setting is not None:
        return track, setting
    tracks = client.benchmark(benchmark).card.tracks
    meant = next((one for one in tracks if one.name == track), tracks[0])
    return track or meant.name, setting or meant.settings[0]
