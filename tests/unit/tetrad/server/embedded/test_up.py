"""What `tetrad up` looks at before it draws anything."""

import pytest

from tetrad.server.embedded.data_directory import EmbeddedError
from tetrad.server.embedded.up import check_variables


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("TETRAD_GATEWAY_DAY_BUDGET", "much", "use a number of US dollars from 0"),
        ("TETRAD_GATEWAY_DAY_BUDGET", "-1", "use a number of US dollars from 0"),
        ("TETRAD_CACHE_MIB", "9.5", "use a whole number of MiB from 0"),
        ("TETRAD_MODELS_FILE", "nowhere.toml", "which is no file"),
    ],
)
def test_a_variable_that_no_service_would_take_is_named_with_its_value_and_remedy(
    variable: str, text: str, said: str
) -> None:
    with pytest.raises(EmbeddedError, match=rf"^{variable} is '{text}'.*{said}"):
        check_variables({variable: text})
    check_variables({"TETRAD_GATEWAY_DAY_BUDGET": "2.5", "TETRAD_CACHE_MIB": "96", "TETRAD_MODELS_FILE": __file__})
