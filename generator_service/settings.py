"""The generator's settings: variables TETRAD_GENERATOR_*."""

from typing import Annotated

import msgspec

from tetrad.serving.settings import Settings

PREFIX = "TETRAD_GENERATOR"

Secret = Annotated[str, msgspec.Meta(min_length=32)]


class GeneratorSettings(Settings, frozen=True, kw_only=True):
    """`seed_secret` seeds every sealed draw: whoever holds it can compute every key.

    The three tokens open three doors: practice (the api), sealed (the api), keys (scoring only).
    `bank` is the name of the bank in `bank_folder` to draw from: household, builtin or a mounted one; by default
    household where the folder has it, and builtin otherwise.
    `benchmark_folders` are further folders of benchmarks, joined by colons, searched after our own.
    """

    seed_secret: Secret
    practice_token: Secret
    sealed_token: Secret
    keys_token: Secret
    database_url: str
    bank_folder: str
    bank: str = ""
    benchmark_folders: str = ""
    log_level: str = "INFO"
