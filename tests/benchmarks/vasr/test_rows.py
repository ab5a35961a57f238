"""Rows of VASR: the question calls its options pictures 1 to 4, and three more pictures are shown before them."""

from generator_service.benchmarks.vasr.question import questions
from generator_service.benchmarks.vasr.spec import BALANCED, FULL
from tests.benchmarks.vasr.test_frames import scenes
from tetrad.contracts.items import DrawIdentity
from tetrad.rows.making import make_row

IDENTITY = DrawIdentity(benchmark="vasr", version=1, bank="d", track="composed", setting=FULL, parameters={})
NAMES = ("A", "A'", "B", "1", "2", "3", "4")


def test_picture_1_of_the_question_is_the_row_s_picture_with_the_caption_picture_1() -> None:
    for scene in scenes(BALANCED, 4, 20):
        (keyed,) = questions(scene)
        images = {name: str(scene.state(shown)) for name, (shown,) in scene.pictures.items()}
        row = make_row("itm_1", IDENTITY, "1", 0, keyed, 0, None, images)
        assert "pictures 1 to 4" in row.text
        shown = {picture.caption: picture for picture in row.pictures}
        assert {name: shown[f"picture {name}"].image for name in NAMES} == {
            name: str(scene.state(name)) for name in NAMES
        }
        assert [shown[f"picture {option.label}"].name for option in row.options] == [
            option.picture for option in row.options
        ]
        (turn,) = [turn for turn in row.prompt if turn.role == "user"]
        before = dict(zip(turn.content[1:], turn.content[:-1], strict=True))
        named = {row.pictures[part.index].caption: before[part].text for part in turn.content if part.index is not None}
        assert named == {
            f"picture {name}": f"Picture {name}, option ({name})." if name in "1234" else f"Picture {name}."
            for name in NAMES
        }
        assert "\n(1) picture 1\n(2) picture 2\n(3) picture 3\n(4) picture 4\n" in (turn.content[-1].text or "")
