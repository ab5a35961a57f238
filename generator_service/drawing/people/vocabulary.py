"""The words of composed scenes: verbs with their roles, the values of each role, and which go together.

This is data alone: no picture is needed to read it. A frame is a verb, a value for each role of the verb, and a place.

    FRAMES     three sets of roles
    VERBS      sixty verbs, twenty a frame
    VALUES     the values of each role, by role
    allowed    whether a value can fill a role of a verb
    changes    the ordered changes of a role that occur under at least four verbs

Synsets are those of nouns in WordNet 3.0, looked up there one by one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from typing import Literal

Role = Literal["agent", "item", "tool", "vehicle", "victim", "place"]
ROLES: tuple[Role, ...] = ("agent", "item", "tool", "vehicle", "victim", "place")
Group = Literal["person", "occupation", "animal", "object", "place"]
LEAST_VERBS = 4
"""A change counts that occurs under so many verbs."""


@dataclass(frozen=True)
class Value:
    """A value of a role: its name, its synset ("n" and eight digits), and the group that it belongs to."""

    name: str
    synset: str
    group: Group


@dataclass(frozen=True)
class Verb:
    """A verb: its frame, what it does to whom in words, whether animals do it, and values that it does not take."""

    name: str
    frame: str
    phrase: str
    animals: bool = False
    never: frozenset[str] = frozenset()

    @property
    def roles(self) -> tuple[Role, ...]:
        return FRAMES[self.frame]


FRAMES: dict[str, tuple[Role, ...]] = {
    "thing": ("agent", "item", "place"),
    "travel": ("agent", "vehicle", "place"),
    "treatment": ("agent", "tool", "victim", "place"),
}


def _values(group: Group, text: str) -> tuple[Value, ...]:
    found = (entry.rsplit(maxsplit=1) for entry in text.split(";"))
    return tuple(Value(name.strip(), synset, group) for name, synset in found)


PERSONS = _values(
    "person",
    "man n10287213; woman n10787470; boy n10285313; girl n10129825; grandfather n10142391; grandmother n10142747",
)
OCCUPATIONS = _values(
    "occupation",
    """cook n09963320; firefighter n10091651; doctor n10020890; police officer n10448983;
    construction worker n09959527; farmer n10078806; astronaut n09818022; knight n10238375; clown n09930876;
    diver n10019552; waiter n10763383; nurse n10366966; king n10231515; witch n10055297; pirate n10435367;
    cowboy n09972661""",
)
ANIMALS = _values(
    "animal",
    """dog n02084071; cat n02121620; horse n02374451; cow n02403454; pig n02395406; sheep n02411705; goat n02416519;
    camel n02437136; elephant n02503517; rhinoceros n02391994; tiger n02129604; leopard n02128385; rabbit n02324045;
    monkey n02484322; kangaroo n01877134; giraffe n02439033; zebra n02391049; rooster n01792158; penguin n02055803;
    gorilla n02480855; hippopotamus n02398521; deer n02430045""",
)
MORE_VICTIMS = _values(
    "animal",
    """turtle n01662784; mouse n02330245; orangutan n02480495; hedgehog n01893825; duck n01846331; swan n01858441;
    turkey n01794158; peacock n01806143; flamingo n02007558; beaver n02363005; skunk n02445715; llama n02437616;
    owl n01621127; parrot n01816887; snail n01944390; dinosaur n01699831; bison n02410509; otter n02444819;
    seal n02076196; crab n01976957""",
)
ITEMS = _values(
    "object",
    """apple n07739125; banana n07753592; pineapple n07753275; bread n07679356; cheese n07850329; hamburger n07697100;
    pizza n07873807; cake n07628870; ice cream n07614500; doughnut n07639069; teapot n04398044; book n02870092;
    present n13268842; umbrella n04507155; briefcase n02900705; backpack n02769748; top hat n03237416;
    crown n03138669; shoe n04199027; football n03378765; soccer ball n04254680; basketball n02802426;
    trophy n04487996; guitar n03467517; drum n03249569; violin n04536866; saxophone n04141076; accordion n02672831;
    television n04405907; radio n04043733; laptop n03642806; telephone n04401088; alarm clock n02694662;
    sunflower n11978233; cactus n11842204; bouquet n02879087; box n02883344; chair n03001627; mirror n03773035;
    vase n04522168; barrel n02795169; suitcase n02773838; bell n02824448; lantern n03640988; wheel n04574999;
    rock n09416076; camera n02942699; die n03191029; jack-o'-lantern n03590841; teddy bear n04399382""",
)
TOOLS = _values(
    "object",
    """hammer n03481172; ax n02764044; saw n04140064; screwdriver n04154565; wrench n04606574; pick n03929202;
    knife n03623556; dagger n03158885; spoon n04284002; paintbrush n03876231; crayon n03128248; pencil n03908204;
    broom n02906734; plunger n03970156; toothbrush n04453156; razor n04057047; scissors n04148054;
    magnifying glass n03484931; flashlight n03359137; balloon n02782093; cricket bat n03132076;
    tennis racket n04409806; badminton racket n02772700; table tennis paddle n04381724; boomerang n02871963;
    wand n04549629; crutch n03141823; syringe n04376876; thermometer n04421872; trident n04482975;
    feather n01896031; hook n03532672; microphone n03759954; megaphone n03743279; test tube n04415921;
    ruler n04118776; rose n12620196; bucket n02909870; fire extinguisher n03345837; flag n03354903;
    anchor n02709367; bone n05269901; baguette n07687381; comb n03074855; candle n02948072; magnet n03705379""",
)
VEHICLES = _values(
    "object",
    """car n02958343; taxi n02930766; jeep n03594945; bus n02924116; trolleybus n04487081; squad car n03141065;
    ambulance n02701002; fire engine n03345487; minibus n03769881; truck n04490091; trailer truck n04467665;
    tractor n04465501; racing car n04037443; motorcycle n03790512; motor scooter n03791053; rickshaw n03599486;
    bicycle n02834778; scooter n04149374; skateboard n04225987; roller skate n04102618; sled n04235291;
    canoe n02951358; sailboat n04128499; speedboat n04273569; motorboat n03790230; jet n03595860;
    propeller plane n04012084; helicopter n03512147; rocket n04099429; flying saucer n05897825;
    steam locomotive n04310018; passenger car n03895866; streetcar n04335435; aerial tramway n04469813;
    cable car n02934451; wheelchair n04576002; pickup n03930630; shopping cart n04204347; train n04468005;
    ship n04194289""",
)
PLACES = _values(
    "place",
    """kitchen n03619890; street n04334599; field n08569998; beach n09217230; snow n11508382; gym n03472112;
    stage n04296562; office n03841666; forest n09284015; lake n09328904; desert n08505573; bedroom n02821627""",
)

VALUES: dict[Role, tuple[Value, ...]] = {
    "agent": PERSONS + OCCUPATIONS + ANIMALS,
    "item": ITEMS,
    "tool": TOOLS,
    "vehicle": VEHICLES,
    "victim": ANIMALS + MORE_VICTIMS,
    "place": PLACES,
}

# Nobody sits on, stands behind or trips over what is too slight, too soft or too pointed for it.
_NO_SEAT = frozenset({"ice cream", "crown", "lantern", "bouquet", "umbrella", "cactus", "sunflower"})
_NO_SHELTER = frozenset({"umbrella", "ice cream", "bouquet"})
_UNROPED = frozenset({"aerial tramway", "cable car"})  # they hang from a cable

VERBS: tuple[Verb, ...] = (
    Verb("carrying", "thing", "carries {item}", animals=True),
    Verb("lifting", "thing", "lifts {item} over the head"),
    Verb("throwing", "thing", "throws {item}"),
    Verb("catching", "thing", "catches {item}"),
    Verb("kicking", "thing", "kicks {item}"),
    Verb("dropping", "thing", "drops {item}"),
    Verb("juggling", "thing", "juggles with three of {item}"),
    Verb("balancing", "thing", "balances {item} on the head", animals=True),
    Verb("hugging", "thing", "hugs {item}"),
    Verb("picking", "thing", "picks up {item}"),
    Verb("offering", "thing", "kneels and offers {item}"),
    Verb("dreaming", "thing", "sleeps and dreams of {item}", animals=True),
    Verb("heading", "thing", "heads {item}"),
    Verb("burying", "thing", "buries {item}", animals=True),
    Verb("drawing", "thing", "draws {item} on an easel"),
    Verb("sitting", "thing", "sits on {item}", animals=True, never=_NO_SEAT),
    Verb("stumbling", "thing", "stumbles over {item}", never=frozenset({"umbrella"})),
    Verb("hiding", "thing", "hides behind {item}", animals=True, never=_NO_SHELTER),
    Verb("admiring", "thing", "admires {item} on a pedestal", animals=True),
    Verb("selling", "thing", "sells {item} at a stall"),
    Verb("riding", "travel", "rides {vehicle}", animals=True),
    Verb("pushing", "travel", "pushes {vehicle}", animals=True, never=_UNROPED),
    Verb("pulling", "travel", "pulls {vehicle} by a rope", animals=True, never=_UNROPED),
    Verb("washing", "travel", "washes {vehicle}"),
    Verb("repairing", "travel", "repairs {vehicle}"),
    Verb("chasing", "travel", "chases {vehicle}", animals=True),
    Verb("fleeing", "travel", "flees from {vehicle}", animals=True),
    Verb("jumping", "travel", "jumps over {vehicle}", animals=True),
    Verb("climbing", "travel", "climbs a ladder beside {vehicle}"),
    Verb("stopping", "travel", "stops {vehicle} with a raised palm"),
    Verb("hailing", "travel", "waves at {vehicle}"),
    Verb("photographing", "travel", "photographs {vehicle}"),
    Verb("painting", "travel", "paints {vehicle}"),
    Verb("lying", "travel", "lies on top of {vehicle}"),
    Verb("colliding", "travel", "collides with {vehicle}"),
    Verb("fueling", "travel", "fuels {vehicle}"),
    Verb("surfing", "travel", "stands on moving {vehicle}, the arms spread"),
    Verb("falling", "travel", "falls off {vehicle}", animals=True),
    Verb("loading", "travel", "loads boxes into {vehicle}"),
    Verb("inspecting", "travel", "crouches and inspects {vehicle} through a lens"),
    Verb("hitting", "treatment", "hits {victim} with {tool}"),
    Verb("poking", "treatment", "pokes {victim} with {tool}"),
    Verb("pelting", "treatment", "throws {tool} at {victim}"),
    Verb("shooing", "treatment", "chases {victim} away with {tool}"),
    Verb("luring", "treatment", "walks backwards and lures {victim} with {tool}"),
    Verb("waking", "treatment", "wakes sleeping {victim} with {tool}"),
    Verb("scaring", "treatment", "scares {victim} with {tool}"),
    Verb("sheltering", "treatment", "keeps the rain off {victim} with {tool}"),
    Verb("training", "treatment", "makes {victim} jump through a hoop with {tool}"),
    Verb("tickling", "treatment", "kneels and tickles {victim} with {tool}"),
    Verb("grooming", "treatment", "grooms {victim} with {tool}"),
    Verb("fighting", "treatment", "fights {victim} with {tool}"),
    Verb("mounting", "treatment", "rides on {victim} and swings {tool}"),
    Verb("hypnotizing", "treatment", "hypnotizes {victim} with {tool}"),
    Verb("guarding", "treatment", "guards caged {victim} with {tool}"),
    Verb("measuring", "treatment", "measures {victim} with {tool}"),
    Verb("spraying", "treatment", "sprays {victim} out of {tool}"),
    Verb("awarding", "treatment", "awards {tool} to {victim} on a podium"),
    Verb("walking", "treatment", "walks {victim} on a leash, {tool} in the other hand"),
    Verb("hunting", "treatment", "hunts {victim} with {tool} from behind a bush"),
)
BY_NAME = {verb.name: verb for verb in VERBS}
_GROUPS = {value.name: value.group for values in VALUES.values() for value in values}


def can_fill(verb: Verb, role: Role, name: str) -> bool:
    """Return whether the value of this name can fill the role of this verb."""
    if role not in verb.roles or name in verb.never:
        return False
    return role != "agent" or verb.animals or _GROUPS[name] != "animal"


def values_of(verb: Verb, role: Role) -> tuple[Value, ...]:
    """Return the values that can fill the role of this verb, in their order."""
    return tuple(value for value in VALUES[role] if can_fill(verb, role, value.name))


@cache
def verbs_of(role: Role, name: str) -> frozenset[str]:
    """Return the names of the verbs whose role the value of this name can fill."""
    return frozenset(verb.name for verb in VERBS if can_fill(verb, role, name))


def changes(role: Role) -> Iterator[tuple[str, str]]:
    """Yield the ordered changes (from, to) of a role that occur under at least `LEAST_VERBS` verbs."""
    for before, after in permutations(VALUES[role], 2):
        if len(verbs_of(role, before.name) & verbs_of(role, after.name)) >= LEAST_VERBS:
            yield before.name, after.name


def verb_changes() -> Iterator[tuple[str, str]]:
    """Yield the ordered changes (from, to) of the verb: both have the same roles."""
    for before, after in permutations(VERBS, 2):
        if before.frame == after.frame:
            yield before.name, after.name
