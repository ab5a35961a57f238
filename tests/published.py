"""Tiny corpora in the published layouts, made of generated pictures, for tests that run without the papers' data."""

import csv
import json
from pathlib import Path

import numpy as np
from PIL import Image

from generator_service.benchmarks.kiva.published.importer import ADULTS_WRONG_SCALES
from generator_service.benchmarks.kiva.published.importer import SCALES as SIDES_SCALED
from generator_service.benchmarks.kiva.published.spec import ADULTS, KIVA, STEM, VALUES
from generator_service.benchmarks.marvel.published.spec import CONFIGURATIONS, PATTERNS
from generator_service.drawing import canvas
from generator_service.drawing.canvas import Picture

SIDE = 64
TURNS = {"+90": 90, "-90": 270, "180": 180}
WRONG = {"2x": "0.5XY", "1/2x": "2XY", "+90": "180", "-90": "180", "180": "+90", "x": "Y", "y": "X"}
SCALES = {"2x": (32, 24), "1/2x": (8, 6)}
WRONG_COLORS = {"red": ("green", "blue"), "green": ("blue", "red"), "blue": ("red", "green")}


def thing(seed: int) -> Picture:
    """Return a picture (64, 64, 4) unlike its turns and reflections, transparent around an opaque middle."""
    pixels = np.zeros((SIDE, SIDE, 4), np.uint8)
    pixels[8:56, 4:60] = np.random.default_rng(seed).integers(1, 255, (48, 56, 4), np.uint8)
    pixels[8:56, 4:60, 3] = 255
    return pixels


def save(path: Path, picture: Picture) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(path, compress_level=1)


def write_kiva(folder: Path, trials: int = 1) -> Path:
    """Write trials of all 14 values with their trackers, below a folder for each domain, as they were published."""
    (folder / "trial_tracker").mkdir(parents=True)
    for seed, (prefix, (domain, value)) in enumerate(VALUES.items()):
        lines = []
        for trial in range(trials):
            parts, tracked = _kiva_trial(domain, value, 100 * seed + trial)
            for part, picture in parts.items():
                save(folder / STEM[domain] / f"{prefix}_{trial}_{part}.png", picture)
            lines += [f"{name}: {text}" for name, text in tracked.items()]
        (folder / "trial_tracker" / f"output_{prefix}.txt").write_text("".join(f"{line}\n" for line in lines))
    return folder


def _kiva_trial(domain: str, value: str, seed: int) -> tuple[dict[str, Picture], dict[str, str]]:
    wrong = {"color": WRONG_COLORS.get(value, ("",))[0].title(), "number": ""}.get(domain, WRONG.get(value, ""))
    right = next(prefix.removeprefix(STEM[domain]) for prefix, known in VALUES.items() if known == (domain, value))
    given, test = thing(seed), thing(seed + 50)
    if domain == "number":
        return _counting(given, test, int(value))
    pictures = {
        "train_0_input": _stood(domain, given, value),
        "train_0_output": _changed(domain, given, value),
        "test_0_input": _stood(domain, test, value),
        "test_mc_0_input": _changed(domain, test, value),
        "test_mc_1_input": _changed(domain, test, KIVA.value_named(domain, wrong) or ""),
    }
    return pictures, {"train_0_input": "0", "train_0_output": right, "test_input": "0", "mc": wrong}


def _stood(domain: str, picture: Picture, value: str) -> Picture:
    if domain == "color":
        start = WRONG_COLORS[value][1]
        return canvas.tint(picture, "red" if start == "red" else "green" if start == "green" else "blue")
    return _scaled(picture, 16, 12) if domain == "size" else picture


def _changed(domain: str, picture: Picture, value: str) -> Picture:
    if domain == "color":
        return canvas.tint(picture, "red" if value == "red" else "green" if value == "green" else "blue")
    if domain == "size":
        return _scaled(picture, *SCALES[value])
    if domain == "rotation":
        return canvas.rotate(picture, TURNS[value])
    return canvas.reflect(picture, "x" if value == "x" else "y")


def _scaled(picture: Picture, width: int, height: int) -> Picture:
    return canvas.place(SIDE, canvas.resize(picture[8:56, 4:60], width, height), (SIDE // 2, SIDE // 2))


def _counting(given: Picture, test: Picture, change: int) -> tuple[dict[str, Picture], dict[str, str]]:
    start, off = 4, 3 if change > 0 else 5
    pictures = {
        "train_0_input": canvas.grid(given, start, SIDE),
        "train_0_output": canvas.grid(given, start + change, SIDE),
        "test_0_input": canvas.grid(test, start, SIDE),
        "test_mc_0_input": canvas.grid(test, start + change, SIDE),
        "test_mc_1_input": canvas.grid(test, off, SIDE),
    }
    names = ("train_0_input", "train_0_output", "test_input", "mc")
    return pictures, dict(zip(names, map(str, (start, start + change, start, off)), strict=True))


ADULT_WRONG = {
    "2x": "1/2x",
    "1/2x": "2x",
    "wider": "taller",
    "taller": "wider",
    "narrower": "shorter",
    "shorter": "narrower",
    "x": "both",
    "y": "x",
    "both": "y",
    "+45": "+135",
    "-45": "180",
    "+90": "180",
    "-90": "180",
    "+135": "+45",
    "-135": "180",
    "180": "-45",
}
ADULT_STARTS = {"/2": (8, 6), "/3": (9, 6), "x2": (4, 3), "x3": (3, 2)}


def smooth_thing(seed: int) -> Picture:
    """Return a picture (64, 64, 4) of soft patches within the circle that every turn stays in."""
    patches = np.random.default_rng(seed).integers(0, 256, (5, 4, 4), np.uint8)
    patches[..., 3] = 255
    return canvas.place(SIDE, canvas.resize(patches, 36, 44), (SIDE // 2, SIDE // 2))


def write_kiva_adults(folder: Path, trials: int = 1) -> Path:
    """Write trials of all 29 values with their trackers, as they were published: turned things stand on white."""
    (folder / "trial_tracker").mkdir(parents=True)
    for seed, (prefix, (domain, value)) in enumerate(ADULTS.values.items()):
        lines = []
        for trial in range(trials):
            pictures, texts = _adult_trial(domain, value, 100 * seed + trial)
            for part, picture in zip(ADULTS.parts, pictures, strict=True):
                save(folder / STEM[domain] / f"{prefix}_{trial}_{part}.png", picture)
            lines += [f"{name}: {text}" for name, text in zip(ADULTS.fields, texts, strict=True)]
        (folder / "trial_tracker" / f"output_{prefix}.txt").write_text("".join(f"{line}\n" for line in lines))
    return folder


def _adult_trial(domain: str, value: str, seed: int) -> tuple[list[Picture], tuple[str, ...]]:
    """Return the five pictures and the four texts of a trial."""
    given, test = smooth_thing(seed), smooth_thing(seed + 5000)
    wrong = ADULT_WRONG.get(value, "")
    text = {known[1]: prefix.removeprefix(STEM[domain]) for prefix, known in ADULTS.values.items()}
    if domain == "number":
        return _adult_counts(given, test, value)
    if domain == "rotation":
        start, begun = 45 * (1 + seed % 7), 90 * (1 + seed % 3)
        turns = [(given, start), (given, start + int(value)), (test, begun)]
        turns += [(test, begun + int(value)), (test, begun + int(wrong))]
        # Twice as large as the others: from afar, the blur of an edge that was turned twice must not show.
        large = [(canvas.resize(one, 2 * SIDE, 2 * SIDE), turn % 360) for one, turn in turns]
        shown = [canvas.flatten(canvas.rotate(one, turn), "white") for one, turn in large]
        return shown, (f"+{start}", f"{start + int(value):+}", f"+{begun}", text[wrong])
    if domain == "color":
        [right] = [tint for tint in canvas.TINTS if tint == value]
        given_color, test_color, other = [tint for tint in canvas.TINTS if tint != value][:3]
        colors = [(given, given_color), (given, right), (test, test_color), (test, right), (test, other)]
        shown = [canvas.tint(one, color) for one, color in colors]
        return shown, (text[given_color], text[value], text[test_color], text[other])
    if domain == "size":
        scales = [(1, 1), SIDES_SCALED[value], (1, 1), SIDES_SCALED[value]]
        scales.append(ADULTS_WRONG_SCALES.get(wrong, SIDES_SCALED[wrong]))
        shown = [_stretched(one, *by) for one, by in zip((given, given, test, test, test), scales, strict=True)]
        return shown, ("0", text[value], "0", text[wrong])
    own: canvas.Mirror = "both" if value == "both" else "x" if value == "x" else "y"
    against = {"x": test[::-1, ::-1], "y": test[::-1], "both": test[:, ::-1]}[value]
    shown = [canvas.reflect(given, own), given, test, canvas.reflect(test, own), np.ascontiguousarray(against)]
    return shown, ("0", text[value], "0", text[wrong])


def _stretched(picture: Picture, across: float, down: float) -> Picture:
    thing = picture[10:54, 14:50]
    return canvas.place(SIDE, canvas.resize(thing, round(20 * across), round(24 * down)), (SIDE // 2, SIDE // 2))


def _adult_counts(given: Picture, test: Picture, value: str) -> tuple[list[Picture], tuple[str, ...]]:
    start, begun = ADULT_STARTS.get(value, (4, 3))
    times = {"x": int(value[1:]), "/": 1 / int(value[1:])}.get(value[0])
    after, right = (round(count * times) if times else count + int(value) for count in (start, begun))
    wrong = begun + (1 if value[0] in "x-" else -1)
    stood = [(given, start), (given, after), (test, begun), (test, right), (test, wrong)]
    told = f"{after}.0" if value[0] == "/" else str(after)
    return [canvas.grid(one, count, SIDE) for one, count in stood], (str(start), told, str(begun), str(wrong))


def marvel_entries(count: int) -> list[dict[str, object]]:
    """Return entries of the published JSON that go round all patterns, configurations and answers."""
    configurations = list(CONFIGURATIONS.items())
    entries: list[dict[str, object]] = []
    for place in range(count):
        configuration, (_, panels) = configurations[place % len(configurations)]
        context = panels[place % len(panels)]
        entries.append(
            {
                "id": 3 * place + 1,
                "pattern": list(PATTERNS)[place % len(PATTERNS)],
                "task_configuration": configuration,
                "avr_question": "Which one?",
                "explanation": "None is given.",
                "answer": place % 4 + 1,
                "f_perception_question": f"Are there two or three dots in choice {place % 4 + 1}?",
                "f_perception_answer": "two",
                "f_perception_distractor": "three",
                "c_perception_question_tuple": ["?", "?", "?"],
                "c_perception_answer_tuple": [context, 4, context + 4],
            }
        )
    return entries


def write_marvel(folder: Path, count: int = 12) -> Path:
    """Write puzzles with their pictures, as they were published."""
    for entry in marvel_entries(count):
        save(folder / "Marvel" / f"{entry['id']}.png", thing(1000 + int(str(entry["id"])))[..., 0])
    (folder / "marvel_label.json").write_text(json.dumps(marvel_entries(count)))
    return folder


VASR_COLUMNS = ("A_img", "B_img", "C_img", "D_img", "distractors", "workers_most_common_answer", "keep")


def vasr_rows(count: int) -> list[dict[str, str]]:
    """Return rows of the published CSV; in every fifth most people chose another candidate than the mined one."""
    rows = []
    for place in range(count):
        given = [f"verb{letter}_{place}.jpg" for letter in "abcd"]
        distractors = [f"other{number}_{place}.jpg" for number in range(3)]
        chosen = distractors[1] if place % 5 == 4 else given[3]
        rows.append(dict(zip(VASR_COLUMNS, (*given, str(distractors), chosen, "True"), strict=True)))
    return rows


def write_vasr(folder: Path, count: int = 10) -> Path:
    """Write gold items with their photographs, as they were published: JPEG files in a folder beside the CSV."""
    (folder / "images").mkdir(parents=True)
    rows = vasr_rows(count)
    write_vasr_rows(folder, rows)
    names = [f"{name}_{place}.jpg" for place in range(count) for name in (*(f"verb{one}" for one in "abcd"), *OTHERS)]
    for seed, name in enumerate(names):
        Image.fromarray(thing(5000 + seed)[..., :3]).save(folder / "images" / name)
    return folder


OTHERS = ("other0", "other1", "other2")


def write_vasr_rows(folder: Path, rows: list[dict[str, str]]) -> None:
    with (folder / "gold_test.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def visanalog_entries(count: int) -> list[dict[str, object]]:
    """Return entries with the published fields, of one to four steps."""
    steps = ["zoom in", "swap (0,1)", "rotate_90", "flip_horizontal", "hue_180"]
    return [
        {
            "id": f"q{place}",
            "image_A": f"images/{place}_A.png",
            "image_B": f"images/{place}_B.png",
            "image_C": f"images/{place}_C.jpg",
            "question": f"What lies in quarter {place}?",
            "choices": [f"a {name} {place}" for name in ("dog", "cat", "cup", "car")],
            "answer": "ABCD"[place % 4],
            "program": steps[place % 2 : place % 2 + 1 + place % 4],
        }
        for place in range(count)
    ]


def write_visanalog(folder: Path, count: int = 12) -> Path:
    """Write questions with their pictures: JSON lines beside a folder of PNG and JPEG files."""
    entries = visanalog_entries(count)
    for place in range(count):
        for offset, letter in enumerate("AB"):
            save(folder / "data" / "images" / f"{place}_{letter}.png", thing(3000 + 3 * place + offset)[..., :3])
        Image.fromarray(thing(3002 + 3 * place)[..., :3]).save(folder / "data" / "images" / f"{place}_C.jpg")
    (folder / "data" / "test.jsonl").write_text("".join(json.dumps(one) + "\n" for one in entries))
    return folder


def write_visanalog_parquet(folder: Path, count: int = 12) -> Path:
    """Write the same questions as `datasets` uploads them: two shards with the pictures inside."""
    import pyarrow as pa  # noqa: PLC0415 -- slow, and needed here alone
    from pyarrow import parquet  # noqa: PLC0415 -- same

    beside = write_visanalog(folder / "beside", count) / "data"
    picture = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    names = ("image_A", "image_B", "image_C")
    texts = [(name, pa.string()) for name in ("id", "question", "answer", "program")]
    schema = pa.schema([*((name, picture) for name in names), *texts, ("choices", pa.list_(pa.string()))])
    rows = [
        one
        | {name: {"bytes": (beside / str(one[name])).read_bytes(), "path": None} for name in names}
        | {"program": json.dumps(one["program"])}
        for one in visanalog_entries(count)
    ]
    target = folder / "released" / "data"
    target.mkdir(parents=True)
    for shard in range(2):
        part = rows[shard * count // 2 : (shard + 1) * count // 2]
        parquet.write_table(pa.Table.from_pylist(part, schema), target / f"test-0000{shard}-of-00002.parquet")
    return folder / "released"
