"""The generator's settings: variables TETRAD_GENERATOR_*."""

from typing import Annotated

import msgspec

from tetrad.serving.settings import Settings

PREFIX = "TETRAD_GENERATOR"

Secret = Annotated[str, msgspec.Meta(min_length=32)]


class GeneratorSettings(Settings, frozen=True, kw_only=True):
    """`seed_secret` seeds every sealed draw: whoever holds it can compute every key.

    The three tokens open three doors: practice (the api), sealed (the api), keys (scoring only).
    `benchmark_folders` are further folders of benchmarks, joined by colons, searched after our own.
    `corpora_folder` holds the corpora mounted by `tetrad corpus add`; without it there are none.
    """

    seed_secret: Secret
    practice_token: Secret
    sealed_token: Secret
    keys_token: Secret
    database_url: str
    bank_folder: str
    benchmark_folders: str = ""
    corpora_folder: str = ""
    log_level: str = "INFO"
