"""Entries of the registry for models on a Triton: what does not fit is named with a remedy; no server is asked."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from inference_gateway.app import offers
from inference_gateway.opened_models import Opened
from inference_gateway.providers.triton import TritonServers
from inference_gateway.registry import RegistryError, load_registry

TALK = {"kind": '"chat"'}
EMBED = {"kind": '"embedding"', "options": "{ picture = {} }"}


def entry(**fields: str) -> str:
    given = {"provider": '"triton"', "title": '"T"', "address": '"grpc://127.0.0.1:8001"', **fields}
    return "[a]\n" + "".join(f"{name} = {value}\n" for name, value in given.items())


def opened(folder: Path, **fields: str) -> Opened:
    path = folder / "models.toml"
    path.write_text(entry(**fields))
    return load_registry(path, offers(TritonServers())).opened["a"]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({**TALK, "address": '"http://127.0.0.1:8001"'}, "address: .* is not an address; give one like grpc://127"),
        ({**TALK, "address": '"grpc://127.0.0.1"'}, "address: .* needs a port and no path"),
        ({**TALK, "address": '"grpc://127.0.0.1:8001/v2"'}, "address: .* needs a port and no path"),
        (
            {**TALK, "address": '"grpc://triton.example:8001"'},
            "address: .* is not encrypted; use grpcs, or set private",
        ),
        ({**TALK, "proxy": '"http://127.0.0.1:3128"'}, "proxy: has no effect with triton"),
        ({**TALK, "options": "{ task = 'sing' }"}, "options: .*'sing'"),
        ({**TALK, "options": "{ tensors = { txt = 'a' } }"}, "options: tensors: txt is not a role; roles are .*text"),
        ({**TALK, "options": "{ template = { user = 'no words' } }"}, r"template.user: needs \{text\} once"),
        ({**TALK, "options": "{ preset = 'tensorrt-llm' }"}, "options: output_cap: is missing"),
        ({**TALK, "options": "{ task = 'classify', classes = 0 }"}, "options: .*classes"),
        ({**TALK, "options": "{ stops = { eos = 'over' } }"}, "options: .*over"),
        ({**EMBED, "options": "{}"}, "options: picture, text: both are missing"),
        ({**EMBED, "options": "{ picture = { fit = 'squash' } }"}, "options: .*squash"),
        ({**EMBED, "modalities": '["text"]'}, "modalities: text is not a parameter that the model's options support"),
    ],
)
def test_what_does_not_fit_is_named_with_a_remedy(tmp_path: Path, fields: dict[str, str], problem: str) -> None:
    with pytest.raises(RegistryError, match=problem):
        opened(tmp_path, **fields)


@pytest.mark.parametrize(
    ("options", "modalities", "parameters"),
    [
        ("{}", {"text", "image"}, {"max_tokens", "max_completion_tokens"}),
        ("{ tensors = { images = '', seed = 'seed' } }", {"text"}, {"max_tokens", "max_completion_tokens", "seed"}),
        (
            "{ preset = 'vllm' }",
            {"text", "image"},
            {"max_tokens", "max_completion_tokens", "temperature", "top_p", "seed", "stop"},
        ),
        ("{ task = 'classify' }", {"text", "image"}, set()),
    ],
)
def test_a_model_takes_what_its_tensors_take(tmp_path: Path, options: str, modalities: Any, parameters: Any) -> None:
    model = opened(tmp_path, **TALK, options=options)
    assert (model.modalities, model.parameters) == (modalities, parameters)


def test_towers_take_what_they_are(tmp_path: Path) -> None:
    assert opened(tmp_path, **EMBED).modalities == {"image"}
    both = {"kind": '"embedding"', "options": "{ picture = {}, text = { model = 'words' } }"}
    assert opened(tmp_path, **both).modalities == {"image", "text"}


def test_our_own_server_costs_nothing_trains_on_nothing_and_keeps_its_permits(tmp_path: Path) -> None:
    model = opened(tmp_path, **TALK, address='"grpcs://triton.example:8001"', limits="{ concurrency = 40 }")
    assert model.price is None
    assert model.purposes == ("practice", "sealed", "judge")
    assert model.listing().training == "never"
    assert (model.upstream.start_permits, model.upstream.most_permits) == (10, 40), "it is slowed down by UNAVAILABLE"
    told = opened(tmp_path, **TALK, address='"grpcs://triton.example:8001"', limits="{ start = 32 }")
    assert (told.upstream.start_permits, told.upstream.most_permits) == (32, 100)


def test_the_entries_of_the_documentation_can_be_opened(tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text()
    section = page.partition("## Triton\n")[2].partition("\n## ")[0]
    (text,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    path = tmp_path / "models.toml"
    path.write_text(text)
    models = load_registry(path, offers(TritonServers())).all()
    assert [model.id for model in models] == ["lite2", "clip", "labels", "qwen-on-triton"]


def test_the_library_is_imported_only_where_a_model_needs_it(tmp_path: Path) -> None:
    path = tmp_path / "models.toml"
    program = (
        "import sys; from pathlib import Path; from inference_gateway.app import offers\n"
        "from inference_gateway.providers.triton import TritonServers\n"
        "from inference_gateway.registry import load_registry\n"
        "load_registry(Path(sys.argv[1]), offers(TritonServers())); print('tritonclient' in sys.modules)"
    )
    found = []
    for text in (
        '[a]\nprovider = "in-process"\nkind = "chat"\ntitle = "t"\noptions = { solver = "random" }\n',
        entry(**TALK),
    ):
        path.write_text(text)
        asked = [sys.executable, "-c", program, str(path)]
        found.append(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip())
    assert found == ["False", "True"]
