"""Wordings: an operator overrides some templates, and mistakes are named at once."""

from pathlib import Path

import pytest

from tetrad.prompting import Steps, Wording, WordingError, load_wording


def written(folder: Path, text: str) -> Path:
    path = folder / "wording.toml"
    path.write_text(text)
    return path


def test_a_file_overrides_some_templates_and_leaves_the_others(tmp_path: Path) -> None:
    wording = load_wording(written(tmp_path, 'system = "Look."\ntext_option = "({label}) = {text}"'))
    assert wording == Wording(system="Look.", text_option="({label}) = {text}")


def test_a_file_may_hold_strategies(tmp_path: Path) -> None:
    text = '[strategies.doubt]\nafter = ["Really?", "Once more?"]\nclosing = "Be brief."'
    wording = load_wording(written(tmp_path, text))
    assert wording.strategies == {"doubt": Steps(after=("Really?", "Once more?"), closing="Be brief.")}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("system = ", "wording.toml"),
        ("sistem = 'x'", "sistem"),
        ("system = 3", "system"),
        ("question = 'Hm, {tekst}'", "question: unknown placeholder tekst; it may use: text"),
        ("system = '{label}'", "it may use: none"),
        ("[strategies.doubt]\nlater = []", "later"),
        ("[strategies.doubt]\nafter = 'Really?'", r"after"),
        ("question = '{text'", "question: .*write a brace itself"),
    ],
)
def test_a_mistake_names_file_field_and_remedy(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(WordingError, match=problem):
        load_wording(written(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(WordingError, match=r"absent\.toml"):
        load_wording(tmp_path / "absent.toml")


def test_a_wording_made_in_code_is_checked_too() -> None:
    with pytest.raises(WordingError, match="unknown placeholder"):
        Wording(instruction="{everything}")
