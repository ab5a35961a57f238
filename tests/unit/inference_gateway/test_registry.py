"""The registry file and the settings: what does not fit is named, entry and field."""

from pathlib import Path

import pytest

from inference_gateway.app import PROVIDERS, create_app
from inference_gateway.registry import RegistryError, load_registry
from inference_gateway.settings import SHIPPED_MODELS, GatewaySettings
from tetrad.server.settings import SettingsError

ENTRY = 'provider = "in-process"\nkind = "chat"\ntitle = "t"\noptions = { solver = "constant" }\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "models.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[a", "models.toml"),
        ("a = 3", r"\[a\]: Expected `object`"),
        (f"['a b']\n{ENTRY}", r"\[a b\]: an id is"),
        ("[a]\n" + ENTRY.replace("chat", "talk"), r"line 3: \[a\] kind: Invalid"),
        (
            "[a]\n" + ENTRY + "limits = { concurrency = 8, start = 9 }\n",
            r"limits\.start: 9 is more than .* which is 8",
        ),
        ("[a]\n" + ENTRY + "price = 3\n", r"line 6: \[a\] price: Expected"),
        ("[a]\n" + ENTRY.replace("in-process", "tritium"), r"line 2: \[a\] provider: 'tritium' is unknown"),
        ("[a]\n" + ENTRY.replace("solver", "solvr"), r"\[a\] options: .*solvr.*options are solver, seed"),
        ("[a]\n" + ENTRY.replace("constant", "wise"), r"\[a\] options: solver: solver 'wise' is unknown"),
        ("[a]\n" + ENTRY.replace("chat", "embedding").replace("solver", "embedder"), "embedder: 'constant' is unknown"),
    ],
)
def test_a_mistake_names_file_entry_field_and_remedy(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(RegistryError, match=problem):
        load_registry(written(tmp_path, text), PROVIDERS)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RegistryError, match=r"absent\.toml"):
        load_registry(tmp_path / "absent.toml", PROVIDERS)


def test_an_operator_s_registry_replaces_the_shipped_one(tmp_path: Path) -> None:
    file = written(tmp_path, f'["team/model:1"]\n{ENTRY}')
    settings = GatewaySettings(tokens="x" * 16, models_file=str(file))
    assert settings.registry_file() == file
    assert [model.id for model in load_registry(file, PROVIDERS).all()] == ["team/model:1"]


def test_the_app_starts_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETRAD_GATEWAY_TOKENS", "x" * 16)
    assert create_app() is not None
    assert GatewaySettings(tokens="").registry_file() == SHIPPED_MODELS


@pytest.mark.parametrize("tokens", ["", "short", "x" * 16 + ","])
def test_a_token_too_short_to_be_a_secret_stops_the_start(tokens: str) -> None:
    with pytest.raises(SettingsError, match="TETRAD_GATEWAY_TOKENS"):
        create_app(GatewaySettings(tokens=tokens))
