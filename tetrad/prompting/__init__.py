"""Turn a question and its pictures into chat messages, by prompt strategies; equal inputs give equal messages."""

from tetrad.prompting.conversation import MissingExamplesError, MissingPictureError, messages, picture_address
from tetrad.prompting.steps import Steps
from tetrad.prompting.strategies import STRATEGIES, Strategy, UnknownStrategyError, find_strategy
from tetrad.prompting.wording import Wording, WordingError, load_wording

__all__ = [
    "STRATEGIES",
    "MissingExamplesError",
    "MissingPictureError",
    "Steps",
    "Strategy",
    "UnknownStrategyError",
    "Wording",
    "WordingError",
    "find_strategy",
    "load_wording",
    "messages",
    "picture_address",
]
