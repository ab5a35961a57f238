"""Turn states and looks into pixels: the only user of pictures."""

from generator_service.benchmark import PictureArray
from generator_service.benchmarks.carv.pictures import shown_state
from generator_service.benchmarks.carv.spec import Look, Scene, State
from generator_service.cache_budget import cache_within_budget
from generator_service.drawing.stage.anchor_points import anchors_of
from generator_service.drawing.stage.stage_bank import StageBank
from generator_service.drawing.stage.stage_maker import PropName, RoomName
from generator_service.drawing.stage.views import PANS

PROP_NAMES = {"toilet paper": "toilet-roll"}  # subjects whose word is not the name of their prop


def render(bank: StageBank, scene: Scene, name: str) -> PictureArray:
    """Draw one picture of the item, (512, 512, 4); KeyError for an unknown name."""
    place, state = shown_state(scene, name)
    return render_state(bank, state, scene.looks[place]).copy()


# An item's sources and query may share one picture, and a page of items is requested at once. 16 pictures are 16 MiB.
@cache_within_budget(16)
def render_state(bank: StageBank, state: State, look: Look) -> PictureArray:
    """Draw a state in one of its looks, read-only."""
    room = RoomName(state.object, state.object_color, look.design, look.view)
    ways = anchors_of(state.object, state.spatial_relation, 1 if state.subject_number == "one" else 2)
    prop = PROP_NAMES.get(state.subject, state.subject)
    anchors = ways[look.way % len(ways)]
    props = [
        PropName(prop, variant, anchor, look.view) for variant, anchor in zip(look.variants, anchors, strict=False)
    ]
    across, down = look.shift
    picture = bank.picture(room, props, (across + PANS.get(state.spatial_relation, 0), down))
    picture.flags.writeable = False
    return picture
