"""A table from models to kinds of things and viewing angles, made by looking at every model.

Some models are left out: things that nobody would name, or that people misread when turned, tinted or small (boxes and
grids, a keypad, a urinal, a towel, boots, a highlighter), shapeless furniture, models whose faces trimesh cuts badly
(railings), a ruler, which looks the same after half a turn, and a parasol, a wall lamp and a seesaw, which look like
their mirror images once these are turned.
"""

from dataclasses import dataclass

from generator_service.drawing.portrait import View

_SIDE = View(yaw=-30, pitch=20)
_FRONT = View(yaw=-14, pitch=10)
_ABOVE = View(yaw=-20, pitch=58, roll=24)
# Things with equal sides are drawn leaning. Upright, nobody could tell one from its mirror image.
_LEANING = View(yaw=-30, pitch=20, roll=-26)
_LEANING_LOW = View(yaw=-20, pitch=6, roll=-26)


@dataclass(frozen=True)
class HouseholdKind:
    """A kind of thing: its models, by their names in the catalogue, and the view that they are seen from.

    `natural` things keep their colours and differ only in light and warmth: there is no blue bread.
    """

    name: str
    models: tuple[str, ...]
    view: View = _SIDE
    natural: bool = False


def _kind(name: str, *models: str, view: View = _SIDE, natural: bool = False) -> HouseholdKind:
    return HouseholdKind(name, models, view, natural)


# Blend Swap's CC0 models.
PUBLIC_DOMAIN: tuple[HouseholdKind, ...] = (
    _kind("armchair", "armchair2", "winchesterArmchair"),
    _kind("baby-bottle", "mamadeira", view=View(yaw=-20, pitch=20, roll=-30)),
    _kind("bar-stool", "silla2", "stool"),
    _kind("barrel", "barrel", natural=True),
    _kind("basketball", "basketball", natural=True),
    _kind("bed", "bed1", "bed2", "bed3"),
    _kind("beer-mug", "beerGlass"),
    _kind("bench", "bench"),
    _kind("biplane", "cartoon_biplane", view=View(yaw=-38, pitch=18, roll=-6)),
    _kind("bread", "bread", natural=True),
    _kind("briefcase", "briefcase"),
    _kind("butter", "butter", natural=True),
    _kind("cactus", "cactus", natural=True),
    _kind("calendar", "kalender"),
    _kind("camp-stool", "foldingChair"),
    _kind("ceiling-fan", "ceilingFan", view=View(yaw=-20, pitch=-14)),
    _kind("chair", "oakChair", "plasticChair", "chair2"),
    _kind("chandelier", "lamp2", view=View(yaw=-20, pitch=4)),
    _kind("chicken", "chicken", natural=True, view=View(yaw=-56, pitch=12)),
    _kind("coffee-cup", "caffe_final"),
    _kind("coffee-machine", "coffeeBrewer", view=View(yaw=-46, pitch=18)),
    _kind("comb", "comb", view=_ABOVE),
    _kind("corner-sofa", "L_shaped_sofa", "couch2", view=View(yaw=-24, pitch=30)),
    _kind("cradle", "babyRockingBed"),
    _kind("cuckoo-clock", "cuckooClock", view=_FRONT),
    _kind("cupcake", "cupcake"),
    _kind("deck-chair", "deckChair"),
    _kind("deer", "deer", view=View(yaw=-70, pitch=8)),
    _kind("desk", "desk"),
    _kind("dustbin", "dustbin"),
    _kind("electric-guitar", "electricGuitar", view=View(yaw=-14, pitch=8, roll=-34)),
    _kind("fan", "tableFan", "riggedFan", view=_FRONT),
    _kind("fence", "fence", view=_FRONT),
    _kind("fire-extinguisher", "fireExtinguisher", view=_FRONT),
    _kind("flower-box", "flowerBox", "plantie"),
    _kind("foosball-table", "table_football"),
    _kind("forklift", "forkLift"),
    _kind("fridge", "refrigerator", "largeFridge"),
    _kind("grand-piano", "pianoAQueue", view=View(yaw=-30, pitch=20)),
    _kind("handbag", "handbag"),
    _kind("hanging-lantern", "outdoorLamp", view=_LEANING),
    _kind("horse", "horse2", natural=True, view=View(yaw=-62, pitch=10)),
    _kind("hot-dog", "hotDog", natural=True),
    _kind("jigsaw-house", "housePuzzle", view=View(yaw=0, pitch=70)),
    _kind("knives", "knifeStandSwap", view=_FRONT),
    _kind("lounger", "relaxChair"),
    _kind("mailbox", "mofx_mailbox", view=View(yaw=-46, pitch=16)),
    _kind("milk-carton", "tetrapak"),
    _kind("orchid", "orchids", natural=True),
    _kind("oven", "oven"),
    _kind("pedestal-chair", "designChair", "sillaBlanca"),
    _kind("plastic-cup", "plasticCup", view=_LEANING),
    _kind("playground", "childHut", view=View(yaw=-30, pitch=18)),
    _kind("playing-cards", "cardGame", view=View(yaw=0, pitch=64)),
    _kind("pool-table", "poolTable", view=View(yaw=-30, pitch=28)),
    _kind("potted-plant", "littlePlant", "plant", "augalas", natural=True, view=_LEANING),
    _kind("potted-tree", "decorativePlant", natural=True, view=_LEANING),
    _kind("potty", "potty", view=View(yaw=-36, pitch=30)),
    _kind("rocking-horse", "caballito", view=View(yaw=-22, pitch=12)),
    _kind("scissors", "cissors_swap", view=View(yaw=0, pitch=78, roll=34)),
    _kind("shelves", "verticalShelves"),
    _kind("sink", "washbasin"),
    _kind("slippers", "slippers", view=View(yaw=-46, pitch=34)),
    _kind("smartphone", "iphone", view=View(yaw=-24, pitch=30, roll=14)),
    _kind("sofa", "sofa2", "winchesterSofa"),
    _kind("spiral-staircase", "spiralStaircase"),
    _kind("spring-rider", "motorbike"),
    _kind("stone-lantern", "stoneLantern", "lantern", natural=True, view=_LEANING),
    _kind("stool", "stool2"),
    _kind("swing", "childSwing"),
    _kind("table", "table", "oakTable"),
    _kind("table-lamp", "desklamp", view=_LEANING_LOW),
    _kind("teddy-bear", "teddyBear", view=View(yaw=-24, pitch=8)),
    _kind("television", "led_tv", view=_FRONT),
    _kind("toilet", "toiletsUnit", view=View(yaw=-46, pitch=22)),
    _kind("truck", "peterbilt", view=View(yaw=-56, pitch=14)),
    _kind("umbrella", "umbrellaFolded", view=View(yaw=-10, pitch=10, roll=-34)),
    _kind("wheelbarrow", "wheelbarrow"),
    _kind("wooden-doll", "woodToy", view=View(yaw=-24, pitch=8)),
    _kind("mixer", "kitchenaid", view=View(yaw=-52, pitch=16)),
)

# CC BY 3.0 models, by library. They are drawn only on request; the bank keeps and shows their creators' names.
ATTRIBUTION: dict[str, tuple[HouseholdKind, ...]] = {
    "BlendSwap-CC-BY": (
        _kind("backpack", "backpack"),
        _kind("beer-bottle", "beer_bottle"),
        _kind("bicycle", "bike", view=View(yaw=-52, pitch=12)),
        _kind("blender", "kitchenblender"),
        _kind("book", "book", view=View(yaw=-24, pitch=34)),
        _kind("bulldog", "bulldog", natural=True, view=View(yaw=-44, pitch=12)),
        _kind("bunk-bed", "bunkBed"),
        _kind("car", "fordFocus", view=View(yaw=-56, pitch=18)),
        _kind("cat", "siameseCat", natural=True, view=View(yaw=-54, pitch=12)),
        _kind("chessboard", "chessboard", view=View(yaw=-28, pitch=34)),
        _kind("coat-hanger", "wire-coathanger", view=_FRONT),
        _kind("cordless-phone", "wirelessOfficePhone3"),
        _kind("folding-chair", "foldingChair"),
        _kind("football", "ballonFoot"),
        _kind("fork", "fork", view=View(yaw=-60, pitch=58)),
        _kind("fountain", "fountain"),
        _kind("gift", "gift"),
        _kind("hamburger", "hamburger", natural=True),
        _kind("kettle", "boiler"),
        _kind("kitchen-scale", "kitchenScale", view=_FRONT),
        _kind("laptop", "laptop"),
        _kind("lipstick", "lipStick"),
        _kind("microwave", "microwave"),
        _kind("moka-pot", "espressokettle"),
        _kind("paper-cup", "coffee_cup"),
        _kind("radio", "radio"),
        _kind("rubiks-cube", "rubix2", natural=True),
        _kind("saucepan", "largePan"),
        _kind("school-seat", "classSeat"),
        _kind("snowman", "bonecoDeNeve"),
        _kind("spoon", "spoon", view=View(yaw=-60, pitch=58)),
        _kind("suit-jacket", "suit"),
        _kind("suitcase", "suitcase"),
        _kind("sunglasses", "sunglasses"),
        _kind("table-tennis-bat", "tableTennisBat", view=View(yaw=-30, pitch=56)),
        _kind("toy-car", "carrito-de-madera"),
        _kind("toy-train", "toyTrain"),
        _kind("treadmill", "treadmill"),
        _kind("tulips", "tulip", natural=True),
        _kind("upright-piano", "piano"),
        _kind("wheelchair", "wheelchair"),
        _kind("wine-glass", "glass"),
        _kind("xylophone", "xylophone", view=View(yaw=-30, pitch=40)),
    ),
}
