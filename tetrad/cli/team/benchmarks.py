"""`tetrad benchmarks`: the benchmarks of an instance in a table, and one of them with all that can be chosen."""

from tetrad.cli.credentials import connect
from tetrad.cli.output import JsonOption, note, print_json, say, table
from tetrad.contracts.benchmarks import BenchmarkInfo, BenchmarkList, Card, Parameter, SourceInfo

MOST_VALUES = 8
"""Values of a parameter that are listed; of more, the first and the last are."""


def benchmarks(name: str | None = None, *, url: str | None = None, json: JsonOption = False) -> None:
    """List the benchmarks, or show the tracks, settings, parameters and sources of one.

    Args:
        name: for example kiva; all of them by default.
        url: address of the service; $TETRAD_URL, else http://127.0.0.1:8000.
    """
    with connect(url) as client:
        found = client.benchmarks() if name is None else client.benchmark(name)
    if json:
        print_json(found)
    elif isinstance(found, BenchmarkInfo):
        _show(found)
    else:
        _list(found)


def _list(found: BenchmarkList) -> None:
    rows = [
        [f"{info.card.name} {info.card.version}", ", ".join(track.name for track in info.card.tracks), _about(info)]
        for info in found.benchmarks
    ]
    table("Benchmarks", ["benchmark", "tracks", "title"], rows)
    for info in found.benchmarks:
        note(*_lacking(info))
    say("Settings, parameters and sources of one: tetrad benchmarks NAME")


def _about(info: BenchmarkInfo) -> str:
    corpus = info.card.corpus
    return info.card.title if corpus is None else f"{info.card.title} ({corpus.items} fixed items)"


def _lacking(info: BenchmarkInfo) -> list[str]:
    return [f"{info.card.name}, track {track}: not served: {lacking}" for track, lacking in info.lacking.items()]


def _show(info: BenchmarkInfo) -> None:
    card = info.card
    say(f"{card.name} {card.version}: {card.title}")
    note(card.summary)
    tracks = [[track.name, track.help, ", ".join(track.settings)] for track in card.tracks]
    table("Tracks (the first is the default)", ["track", "what it draws", "settings"], tracks)
    settings = [[setting.name, setting.help, ", ".join(setting.questions)] for setting in card.settings]
    table("Settings (a track's first is its default)", ["setting", "what is asked and shown", "questions"], settings)
    if card.parameters:
        parameters = [
            [parameter.name, _defaults(card, parameter), _values(parameter), parameter.help]
            for parameter in card.parameters
        ]
        table("Parameters", ["parameter", "default", "values", "what it changes"], parameters)
    if info.sources:
        sources = [[source.title, _access(source), ", ".join(source.tracks), source.licence] for source in info.sources]
        table("Sources", ["source", "who may draw from it", "tracks", "licence"], sources)
    note(*_lacking(info))
    note(f"Boards rank by {card.headline.metric}, from {card.headline.least_items} counted items.")


def _defaults(card: Card, parameter: Parameter) -> str:
    others = [
        f"{track.name}: {parameter.defaults[track.name]}" for track in card.tracks if track.name in parameter.defaults
    ]
    return ", ".join([str(parameter.default), *others])


def _values(parameter: Parameter) -> str:
    if not parameter.values:
        step = "" if parameter.step == 1 else f" by {parameter.step}"
        return f"{parameter.minimum} to {parameter.maximum}{step}"
    values = list(map(str, parameter.values))
    return ", ".join(values if len(values) <= MOST_VALUES else [*values[: MOST_VALUES - 1], "...", values[-1]])


def _access(source: SourceInfo) -> str:
    access = {"public": "everybody", "teams": "every team"}.get(source.access, "approved teams")
    return f"{access} (default)" if source.default else access
