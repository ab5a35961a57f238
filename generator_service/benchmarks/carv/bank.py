"""Open the bank that CARV draws from: a stage with a table and a chair in every finish, and the nine subjects."""

from dataclasses import dataclass
from pathlib import Path

from generator_service.drawing.stage.stage_bank import StageBank
from generator_service.sources.stage import load_stage


@dataclass(frozen=True, kw_only=True, eq=False)
class CarvBank:
    stage: StageBank

    @property
    def name(self) -> str:
        return "stage"

    @property
    def digest(self) -> str:
        return self.stage.digest

    @property
    def views(self) -> int:
        return self.stage.views

    @property
    def variants(self) -> int:
        return self.stage.variants


def load_bank(folder: Path) -> CarvBank:
    """Open the built-in stage of the store in a folder, drawing it first where it has none."""
    return CarvBank(stage=load_stage(folder))
