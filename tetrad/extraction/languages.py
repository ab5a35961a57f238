# ruff: noqa: RUF001 -- letters of other scripts
"""Hold the words with which languages state an answer, deny it, hedge it and correct it.

It stands alone because it is data: `spoken_statements` makes patterns of it. Each field is a regular expression of text
in lower case; a space stands for any blank. Each language's words come from its ordinary grammar. A language is tried
only in a reply that holds one of its `marks`.
"""

from collections.abc import Mapping

import msgspec

__all__ = ["LANGUAGES", "Language"]


NEVER = "(?!)"
"""The pattern of words that a language lacks, or that need no entry."""


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one language.

    marks: texts, no patterns; one of them stands in every statement of the language. is_spaced: it sets spaces between
    words.
    answer, option, right: nouns for an answer and for an option, adjectives of the right one. that: after an option
    whose property names it, as in "the option that fits". copula: "is". fill: words between these and the option.
    choosing: "I choose", before the option. is_right: what follows an option that is right or chosen. ending: what may
    follow an option that ends its sentence. therefore: "so", before an option that ends its sentence.
    because, but: words after which other words say nothing of the option, or begin anew.
    negated: words that deny what their clause says, before the option. negated_after: those after it. lesser: what
    makes an answer wrong, second or earlier. instead: "no", "but", before the option that counts in place of
    another. takes_back: what takes back the statement before it. condition: "if", "otherwise"; condition_ends: such
    words that stand after what they are said of. looking: what makes of a condition none, as in "if I had to guess".
    conceded: words before a condition with which it is none, as in "even if". joins: "or", "and".
    asks: the end of a question without a question mark. numbers: two to twelve in words, in order, where they are read
    as numbers; one is left out, because it is an article too.
    """

    marks: str
    answer: str = NEVER
    option: str = NEVER
    right: str = NEVER
    that: str = NEVER
    copula: str = NEVER
    fill: str = NEVER
    choosing: str = NEVER
    is_right: str = NEVER
    therefore: str = NEVER
    because: str = NEVER
    but: str = NEVER
    negated: str = NEVER
    negated_after: str = NEVER
    lesser: str = NEVER
    instead: str = NEVER
    takes_back: str = NEVER
    condition: str = NEVER
    condition_ends: str = NEVER
    looking: str = NEVER
    conceded: str = NEVER
    joins: str = NEVER
    ending: str = ""
    asks: str = NEVER
    numbers: str = NEVER
    is_spaced: bool = True


_ENGLISH = Language(
    marks="",
    copula="it is|it's|is|it should be|it must be|it would be|that is|that's|my answer is|the answer is",
    fill="option|choice|answer|number|letter|picture|image|pair|set|the|one|clearly|definitely|is|instead|now|to|with",
    therefore="if (?:i|we) (?:had|have) to (?:guess|choose|pick)",
    because="because|since|as|and|for|so",
    but=r"but|however|(?<!if\s)so|therefore|thus|hence|yet|while|whereas|still|because|since",
    instead="(?:change|switch|revise|correct|amend|update)(?:s|d)?(?:ing|ed)? (?:it |that |my (?:final )?(?:answer"
    "|choice) )?to|make (?:it|that)|changed (?:it |that )?to|no(?=[,.:;!\u2013\u2014])|actually|rather(?! than)"
    "|instead(?! of)",
    takes_back="wait|hold on|sorry(?! (?:for|about|if|but i can))|oops|whoops"
    "|(?:edit|update|correction|corrected|revised|amended)(?= ?:)|correction|on second thoughts?|on reflection"
    "|thinking again|(?:i )?(?:actually |really )?meant(?: to say)?|i mean"
    "|i (?:take|took) (?:that|it) back|strike that|scratch that|make that|my bad|i misspoke"
    "|(?:i (?:have )?|i've )?changed my mind|i was wrong|i got (?:that|it) wrong|my (?:mistake|error)|never ?mind"
    "|(?:(?:i (?:think|believe|see|realize)|it (?:seems|appears|looks)) )?(?:that |like )?"
    "(?:i |we |i've |we've |(?:i|we) have )(?:just )?made an? (?:error|mistake)"
    "|thinking about it again|i stand corrected|let me correct (?:that|this|myself)|i retract (?:that"
    "|this)",
    condition="if|unless|(?:were|had|should)(?= (?:it|this|that|they|the)\\b)|only when|provided that|providing"
    r"|assuming|suppose|supposing|in case|as long as|(?<!an\s)otherwise|depending",
    looking="guess|forced|pressed|asked|choose|pick|mistaken|anything|(?:count|remember|understand|recall) correctly"
    r"|(?:we|you|one|i)(?:'re)? (?:\w{1,12} )?(?:had to|have to|must|were|compar\w{1,3}|looks?|looking|sees?"
    r"|considers?|follows?|appl(?:y|ies)|understands?|examines?|continues?|extends?|trace)"
    r"|(?:pattern|rule|logic|sequence|series|trend|changes?|transformation|analogy) (?:\w{1,12} ){0,3}?"
    r"(?:continu\w{1,16}|hold\w{0,3}|appl\w{1,8}|repeat\w{0,3}|persist\w{0,3})"
    r"|follows? (?:the|this|that) (?:\w{1,12} )?(?:pattern|rule|sequence|logic|trend)",
    conceded="even|as|see|check(?:ing|ed)?|ask(?:s|ed|ing)?|tell|determin(?:e|ing)|decid(?:e|ing)|wonder(?:ing)?|know"
    "|verify(?:ing)?|test(?:ing)?",
    lesser="worst|second(?:ary)?|second[ -]best|third|next[ -]best|previous|prior|earlier|initial"
    "|original(?:ly)?|initially|at first|previously|old|former|(?:i|we) (?:had )?first"
    "|first(?= (?:thought|guess|answer|impression|instinct|intuition|idea))|wrong|incorrect|false"
    r"|alternat(?:es?|ives?|ively)|backup|fallback|least|poor|bad|runner[ -]up|rejected|discarded|eliminated|other"
    "|last[ -]place",
)
_GERMAN = Language(
    marks="wahl|möglichkeit|variante|ergebnis|buchstabe|bild:|bild :|sondern|wenn |falls |sofern|vorausgesetzt"
    "|das bild|antwort|lösung|richtig|korrekt|passend"
    "|wähle|wählen|entscheid|nehme"
    "|tippe|daher|deshalb|folglich|korrektur|auswahl",
    answer="antwort|lösung|ergebnis",
    option="option|auswahl|wahl|möglichkeit|bild|buchstabe|variante|figur|alternative",
    right="richtige[rsn]?|korrekte[rsn]?|beste[rsn]?|passende[rsn]?|endgültige|richtig|korrekt",
    that=",? (?:die|das|der)",
    copula=r"ist|lautet|wäre|sei|heißt|muss(?: \w{1,16})? sein",
    fill="die|das|der|den|für|option|antwort|antwortmöglichkeit|auswahl|bild|buchstabe|möglichkeit|variante"
    "|also|somit|daher|klar|eindeutig|wohl|wahrscheinlich|vermutlich|nur|hier|mich|damit|demnach",
    choosing=r"(?:ich (?:würde|werde)|würde ich)(?: mich für)?|(?:ich|wir) (?:\w{1,16} )?(?:wählen?|nehmen?"
    r"|tippen? auf|stimmen? für|würden? \w{1,16} sagen)|(?:wähle|nehme) ich|entscheiden? (?:ich "
    r"|wir )?(?:mich|uns)(?: \w{1,16})? für",
    is_right=r"(?:ist|wäre|muss) (?:\w{2,14} )?(?:die |das |der |eindeutig )?(?:richtig|korrekt|einzig|beste"
    r"|passend|antwort|lösung)|(?:passt|stimmt)\b",
    therefore="also|daher|deshalb|folglich|somit|demnach|es ist|das ist|fazit",
    because="weil|da|denn|und",
    but="aber|jedoch|also|daher|deshalb|somit|folglich",
    negated=r"nicht|kein\w{0,16}|niemals|nie|weder|unmöglich|bezweifle|ausgeschlossen",
    negated_after=r"(?:ist |wäre |passt |stimmt |kann |scheidet |wähle ich )?(?:es )?(?:nicht\b|falsch|niemals"
    r"|keinesfalls|aus\b|ausschließ)",
    lesser=r"falsche?\w{0,16}|unpassende\w{0,16}|inkorrekte\w{0,16}|schlechteste\w{0,16}|zweit\w{0,16}"
    r"|frühere\w{0,16}|vorherige\w{0,16}|ursprüngliche?\w{0,16}|anfangs|zuerst|zunächst"
    r"|alternative\w{0,16}|vorige\w{0,16}|erste (?:antwort|vermutung|idee)",
    instead="nein(?=[,.:;!])|sondern|vielmehr|doch|stattdessen|tatsächlich|eigentlich|besser gesagt",
    takes_back=r"(?:halt|moment|warte|stopp)\b|korrektur|korrigier\w{0,16}|entschuldig\w{0,16}|verzeihung|sorry"
    "|pardon|(?:ich )?meinte|ich meine|da(?:s|mit) (?:ist|war) (?:falsch|nicht richtig)"
    "|ich habe mich geirrt|bei näherer betrachtung|ich nehme das zurück|quatsch",
    condition="wenn|falls|sofern|vorausgesetzt|es sei denn|außer|angenommen|andernfalls|sonst|nur bei",
    looking="raten|wählen|entscheiden|vergleich|betracht|ansieht|ansehe|anschau|hinsieht|hinsehe|hinschau|irre|täusche"
    "|anwend|fortsetz|fortführ",
    conceded="auch|selbst|sogar",
    joins=r"oder|und|beziehungsweise|bzw\.?|sowie|entweder|vielleicht|eventuell|auch|oder aber",
    numbers="zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf",
)
_FRENCH = Language(
    marks="choix|lettre|proposition|c'est|n'est|l'image|si elle|si le |si l'|si on |à condition|réponse|reponse"
    "|correcte|choisis"
    "|choisirais|choisissons|bonne"
    "|est correct|la solution|donc|dirais|opte|sélectionne|rectification|par conséquent|prends",
    answer="r[ée]ponse|solution",
    option="option|choix|proposition|lettre|image|alternative|figure",
    right="bonne|bon|correcte?|meilleure?|exacte?|finale|juste",
    that="qui|que",
    copula="est(?: donc)?|serait|soit|doit être|semble être|reste",
    fill="l'|la|le|les|une?|option|choix|lettre|image|r[ée]ponse|proposition|figure|num[ée]ro|donc"
    "|clairement|bien|probablement|ici|pour|alors|sans doute",
    choosing=r"(?:je|nous) (?:\w{1,16} )?(?:choisis(?:sons)?|choisirais|opte(?:rais)?(?: pour)?"
    r"|sélectionn\w{1,16}|prends|retiens|dirais|vote pour)",
    is_right="(?:est|serait|doit être|semble être) (?:donc |bien |clairement |probablement )?(?:la |le "
    r"|l')?(?:seule |seul |meilleure |meilleur )?(?:bonne|bon\b|r[ée]ponse|correcte?|juste|exacte?"
    r"|option|choix|solution)|convient\b",
    therefore="donc|ainsi|par conséquent|alors|en conclusion|c'est|ce serait|il s'agit de",
    because=r"parce que|parce qu'\w{1,16}|car|puisque|et",
    but="mais|cependant|donc|toutefois|alors",
    negated=r"ne|n'\w{1,16}|pas|jamais|ni|aucun\w{0,16}|impossible|doute que|exclu\w{0,16}|n'",
    negated_after="(?:n'est|ne (?:peut|convient|serait|correspond))|(?:est|serait) (?:fausse?|incorrecte?|à exclure"
    "|exclue?|mauvaise?|erronée?)|à exclure",
    lesser=r"mauvaise?s?|fausse?|incorrecte?|pire|deuxième|second\w{0,16}|précédente?|antérieure?|initiale?"
    "|d'abord|au départ|première (?:réponse|idée|impression)|alternative|autre|erronée?",
    instead="non(?=[,.:;!])|mais(?: plutôt| bien)?|plutôt|en fait|en réalité|finalement|au contraire|à la place",
    takes_back=r"attend(?:s|ez)|correction|rectification|pardon|désolée?|excusez\S{0,16}|je (?:voulais|veux) dire"
    r"|je me (?:suis )?tromp\w{0,16}|je me corrige|c'est (?:faux|incorrect|une erreur)"
    "|ce n'est pas (?:correct|juste)|à la réflexion|réflexion faite|oups|je retire",
    condition=r"si|s'il\w{0,16}|à moins que|à moins qu'\w{0,16}|sauf si|à condition que|à condition qu'\w{0,16}"
    "|pourvu que|sinon|au cas où|en supposant",
    looking="deviner|choisir|je devais|compare|on regarde|regardons|regardez|observe|considère|je (?:ne )?me trompe"
    "|on applique|appliquons|on suit|suivons",
    conceded="même|comme|voir|savoir|vérifier|demander",
    joins="ou|et|soit|ou bien|ainsi que|voire|peut-être|aussi|éventuellement",
    numbers="deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze",
)
_SPANISH = Language(
    marks="elecci|letra|selecci|solucion|no es|si los |si las |si la |en caso|así que|por lo tanto"
    "|entonces|imagen|respuesta|opción"
    "|opcion|elijo|elegiría|escojo|correcta"
    "|correcto|selecciono|solución|opto por",
    answer="respuesta|soluci[óo]n",
    option="opci[óo]n|alternativa|elecci[óo]n|letra|imagen|figura|selecci[óo]n",
    right="correct[ao]|mejor|adecuad[ao]|acertad[ao]|final",
    that="que",
    copula="es|ser[íi]a|sea|debe ser|deber[íi]a ser|tiene que ser|parece ser|corresponde a",
    fill="la|el|una?|opci[óo]n|alternativa|letra|imagen|figura|respuesta|n[úu]mero|claramente|entonces|por"
    "|lo|tanto|probablemente|aqu[íi]|sin duda",
    choosing="(?:yo )?(?:elijo|elegimos|elegir[íi]a|escojo|escoger[íi]a|selecciono|seleccionamos|opto por"
    "|me quedo con|dir[íi]a(?: que)?(?: es)?|voto por)",
    is_right="(?:es|ser[íi]a|debe ser|parece ser) (?:claramente |probablemente )?(?:la |el |lo )?(?:[úu]nica "
    "|[úu]nico |mejor )?(?:respuesta|opci[óo]n|alternativa|elecci[óo]n|correct[ao]|adecuad[ao]"
    "|soluci[óo]n|acertad[ao])",
    therefore="as[íi] que|por (?:lo )?tanto|por consiguiente|entonces|en conclusi[óo]n|luego|es|ser[íi]a",
    because="porque|ya que|pues|puesto que|y",
    but="pero|sin embargo|as[íi] que|por (?:lo )?tanto|entonces",
    negated=r"no|nunca|ni|tampoco|ning[úu]n\w{0,16}|imposible|dudo|descart\w{0,16}",
    negated_after=r"(?:no|nunca) (?:es|puede|ser[íi]a|corresponde|encaja)|no\b(?=[ ]{0,2}[.!\n]|\Z)|(?:es"
    "|ser[íi]a) (?:incorrect|fals|err[óo]ne|equivocad)|queda descartad",
    lesser="incorrect[ao]s?|equivocad[ao]s?|err[óo]ne[ao]s?|fals[ao]s?|mala|peor|segund[ao]|anterior|previa"
    "|inicial|primero|al principio|inicialmente|alternativa(?! (?:correc?t|cert|giust|esatt))|otra"
    "|primera (?:respuesta|idea"
    "|impresi[óo]n)",
    instead="no(?=[,.:;!])|sino(?: que es)?|m[áa]s bien|mejor dicho|en realidad|de hecho|en cambio|finalmente|mejor",
    takes_back=r"espera|esper[ae]n?|un momento|correcci[óo]n|perd[óo]n|perdone|disculp\w{1,16}|lo siento"
    r"|quise decir|quer[íi]a decir|quiero decir|me (?:he )?equivo\w{1,16}|rectifico|(?:eso"
    "|esto) (?:es (?:incorrecto|falso)|no es correcto)|pens[áa]ndolo (?:bien|mejor)|me corrijo"
    "|me retracto",
    condition="si|a menos que|salvo que|salvo si|siempre que|siempre y cuando|en caso de que|de lo contrario"
    "|si no|suponiendo que|solo cuando",
    looking=r"adivinar|elegir|tuviera que|tengo que|compar(?:a|o|amos|as|ar)\b|se mira|miramos|miras|observ|consider"
    "|equivoco|aplicamos|se aplica|seguimos",
    conceded="incluso|aun|aún|como|ver|saber|comprobar",
    joins="o|u|y|e|o bien|ya sea|quiz[áa]s?|tal vez|tambi[ée]n|as[íi] como",
    numbers="dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce",
)
_PORTUGUESE = Language(
    marks="gabarito|solução|solucao|solucão|soluçao|escolha|letra|opç|opcão|seleç|selecao|selecão"
    "|não é|se os |se as |se a |caso a |imagem|figura|resposta|opção|opcao|escolho|escolheria|corret"
    "|seleciono|solução|opto por|portanto",
    answer="resposta|solu[çc][ãa]o|gabarito",
    option="op[çc][ãa]o|alternativa|escolha|letra|imagem|figura|sele[çc][ãa]o",
    right="corret[ao]|cert[ao]|melhor|adequad[ao]|final",
    that="que",
    copula=r"é|e(?= \W)|seria|seja|deve ser|deveria ser|tem que ser|parece ser|corresponde a",
    fill="a|o|uma?|op[çc][ãa]o|alternativa|letra|imagem|figura|resposta|n[úu]mero|claramente|ent[ãa]o"
    "|portanto|provavelmente|aqui|sem d[úu]vida",
    choosing="(?:eu )?(?:escolho|escolhemos|escolheria|seleciono|selecionamos|opto por|opto pela|fico com"
    "|diria(?: que)?(?: é)?|voto em)",
    is_right="(?:é|seria|deve ser|parece ser|está) (?:claramente |provavelmente )?(?:a |o )?(?:[úu]nica "
    r"|[úu]nico |melhor )?(?:resposta|op[çc][ãa]o|alternativa|escolha|corret[ao]|cert[ao]\b|adequad[ao]"
    "|solu[çc][ãa]o)",
    therefore="portanto|logo|assim|ent[ãa]o|por isso|em conclus[ãa]o|é|seria",
    because="porque|pois|já que|e",
    but="mas|porém|no entanto|portanto|logo|então",
    negated=r"n[ãa]o|nunca|nem|jamais|nenhum\w{0,16}|imposs[íi]vel|duvido|descart\w{0,16}",
    negated_after=r"(?:n[ãa]o|nunca) (?:é|pode|seria|está|corresponde)|n[ãa]o\b(?=[ ]{0,2}[.!\n]|\Z)|(?:é|está"
    "|seria) (?:incorret|errad|fals)|fica descartad",
    lesser="incorret[ao]s?|errad[ao]s?|fals[ao]s?|pior|segund[ao]|anterior|pr[ée]via|inicial|primeiro"
    "|a princ[íi]pio|inicialmente|alternativa(?! (?:correc?t|cert|giust|esatt))|outra|primeira (?:resposta"
    "|ideia|impress[ãa]o)",
    instead="n[ãa]o(?=[,.:;!])|mas(?: sim)?|e sim|ali[áa]s|na verdade|na realidade|melhor dizendo|ou melhor"
    "|em vez disso|finalmente",
    takes_back=r"espere?|um momento|corre[çc][ãa]o|corrigindo|desculp\w{1,16}|perd[ãa]o|perdoe|quis dizer"
    "|queria dizer|quero dizer|me enganei|enganei-me|errei|retifico|(?:isso|isto) (?:est[áa] (?:errado"
    "|incorreto)|n[ãa]o está correto)|pensando (?:bem|melhor)|me corrijo|retiro",
    condition=r"(?:(?<=[.,;:!?(\n]\s)|(?<=[,(\n])|(?<![\s\S])|(?<=só\s)|(?<=apenas\s)|(?<=somente\s)"
    r"|(?<=corret[ao]\s)|(?<=cert[ao]\s)|(?<=\)\s)|(?<=\W[^aeo\W]\s))se|a menos que|a n[ãa]o ser que"
    "|salvo se|desde que|contanto que|no caso de|caso|caso contr[áa]rio|sen[ãa]o|supondo que",
    looking=r"adivinhar|escolher|tivesse que|tiver que|compar(?:a|o|amos|armos|ar)\b|olharmos|olhamos|se olhar|observ"
    "|consider|engano|aplicarmos|aplicamos|seguirmos",
    conceded="mesmo|até|como|ver|saber|verificar",
    joins="ou|e|ou ent[ãa]o|seja|talvez|tamb[ée]m|bem como|ou seja",
    numbers="dois|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze",
)
_ITALIAN = Language(
    marks="lettera|scelta|selezione|non è|se il |se la |nel caso|immagine|perciò|risposta|opzione"
    "|scelgo|sceglierei|corrett"
    "|seleziono|soluzione|opto per|giusta|quindi",
    answer="risposta|soluzione",
    option="opzione|alternativa|scelta|lettera|immagine|figura|selezione",
    right="corrett[ao]|giust[ao]|esatt[ao]|miglior[ei]?|adatt[ao]|finale",
    that="che",
    copula="è|e'|sarebbe|sia|deve essere|dovrebbe essere|sembra essere|corrisponde a",
    fill="la|il|lo|l'|una?|opzione|alternativa|lettera|immagine|figura|risposta|numero|chiaramente|quindi"
    "|dunque|probabilmente|qui|senza dubbio",
    choosing="(?:io )?(?:scelgo|scegliamo|sceglierei|seleziono|selezioniamo|opto per|direi(?: che)?(?: è)?|voto per)",
    is_right="(?:è|sarebbe|deve essere|sembra essere) (?:chiaramente |probabilmente |quindi )?(?:la |il |l'"
    "|quella )?(?:unica |unico |migliore )?(?:risposta|opzione|alternativa|scelta|corrett[ao]|giust[ao]"
    "|esatt[ao]|soluzione)",
    therefore="quindi|dunque|perci[òo]|pertanto|allora|in conclusione|è|sarebbe",
    because="perch[éè]|poich[éè]|dato che|e",
    but="ma|però|tuttavia|quindi|dunque",
    negated=r"non|mai|n[ée]|nessun\w{0,16}|impossibile|dubito|esclud\w{0,16}|esclus\w{0,16}",
    negated_after=r"non (?:è|pu[òo]|sarebbe|corrisponde)|no\b(?=[ ]{0,2}[.!\n]|\Z)|(?:è|sarebbe) (?:sbagliat|errat"
    "|scorrett|fals|esclus|da escludere)",
    lesser="sbagliat[aoe]|errat[aoe]|scorrett[ao]|fals[ao]|peggior[ei]|second[ao]|precedente|iniziale|prima"
    "|all'inizio|inizialmente|alternativa(?! (?:correc?t|cert|giust|esatt))|altra|non corretta",
    instead="no(?=[,.:;!])|ma|bens[ìi]|piuttosto|anzi|in realt[àa]|invece|di fatto|meglio",
    takes_back=r"aspetta|un momento|correzione|scus[ai]\w{0,16}|mi dispiace|perdono|intendevo|volevo dire|intendo"
    "|mi sono sbagliat[ao]|mi sbagliavo|rettifico|mi correggo|(?:questo|ciò) (?:è (?:sbagliato|errato)"
    "|non è corretto)|ripensandoci|pensandoci (?:bene|meglio)|ritiro",
    condition="se|a meno che|salvo che|purch[ée]|a patto che|nel caso|altrimenti|supponendo che|solo quando",
    looking="indovinare|scegliere|dovessi|devo|confront|si guarda|guardiamo|osserv|consider|sbaglio"
    "|applichiamo|si applica|seguiamo",
    conceded="anche|come|pure|vedere|sapere|verificare|capire",
    joins="o|e|ed|od|oppure|ovvero|sia|forse|anche|o magari",
    numbers="due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici",
)
_RUSSIAN = Language(
    marks="буква|выбор|картинк|опция|рисун|это не|если|в случае|при условии|изображен|ответ|вариант|выбираю"
    "|выберу|выбираем|правильн|верн"
    "|подходит|решение|следовательно"
    "|итак|таким образом|поэтому",
    answer="ответ|решение|ответом",
    option="вариант|выбор|опция|буква|изображение|картинка|рисунок",
    right=r"правильн\w{1,16}|верн\w{1,16}|лучш\w{1,16}|подходящ\w{1,16}|окончательн\w{1,16}",
    that=r",? котор\w{1,16}",
    copula="это|является|будет|есть|должен быть",
    fill="вариант|варианте|вариантом|ответ|буква|под|буквой|изображение|картинка|номер|именно|это|скорее"
    "|всего|видимо|очевидно|опция|рисунок|значит|явно|за",
    choosing="(?:я |мы )?(?:выбираю|выбираем|выберу|выбрал бы|голосую за|остановлюсь на|скажу)",
    is_right=r"(?:[-–—] ?)?(?:это |является |будет )?(?:единственн\w{1,16} |самый )?(?:правильн|верн|подходящ"
    r"|лучш|ответ\b|подходит\b)",
    therefore="итак|значит|следовательно|таким образом|поэтому|это|получается",
    because="потому|так как|поскольку|ведь|и",
    but="но|однако|поэтому|значит",
    negated=r"не|нет|ни|никак\w{0,16}|нельзя|невозможно|сомневаюсь|исключ\w{1,16}",
    negated_after=r"(?:[-–—] ?)?(?:это )?(?:не\b(?!,)|неправильн|неверн|ошибочн|исключ\w{1,16}|отпадает)",
    lesser=r"неправильн\w{1,16}|неверн\w{1,16}|ошибочн\w{1,16}|худш\w{1,16}|втор\w{1,16}|предыдущ\w{1,16}"
    r"|прежн\w{1,16}|первоначальн\w{1,16}|сначала|изначально|запасн\w{1,16}|друг\w{1,16}"
    r"|альтернативн\w{1,16}|перв\w{1,16} (?:ответ|мысль)",
    instead="нет(?=[,.:;!])|а(?: именно)?|вернее|точнее|на самом деле|скорее|вместо этого|всё-таки|все-таки",
    takes_back=r"(?:подожди|погоди|стоп)\w{0,16}|исправл\w{1,16}|поправк\w{1,16}|поправляюсь|извини\w{0,16}"
    r"|прости\w{0,16}|простите|я имела? в виду|имел в виду|я ошиб\w{1,16}|это (?:неверно|неправильно"
    "|ошибка)|подумав|если подумать|беру (?:свои )?слова обратно|хотел сказать",
    condition=r"если|при условии|в случае|иначе|в противном случае|разве что|кроме случа\w{1,16}|допустим"
    "|только когда",
    looking="угад|выбир|приш[лё]ось|посмотр|сравни|рассмотр|ошиба|учесть|смотреть|применить",
    conceded="даже",
    joins="или|и|либо|или же|а также|возможно|может быть",
    numbers="два|три|четыре|пять|шесть|семь|восемь|девять|десять|одиннадцать|двенадцать",
)
_CHINESE = Language(
    marks="图|圖|答|选|選|是|正确|正確|应|應|因此|所以|更正",
    answer="答案|正解|解答|回答|答",
    option="选项|選項|选择|選擇|图|圖",
    right="正确|正確|合适|合適|最佳|符合|匹配|对的",
    that="的",
    copula="应该是|應該是|应是|应为|應為|会是|可能是|即是|就是|是|为|為|选择|選擇|选|選",
    fill="选项|選項|选择|選擇|图片|图|圖|第|字母|答案|很可能|显然|显而易见|就|即|的|应该|應該|是|为",
    choosing="选择|選擇|我选|我選|应选|應選|选|選",
    is_right="(?:选项|項)?(?:才|就|应该|應該|显然)?(?:是)?(?:唯一|最)?(?:的)?(?:正确|正確|对的|對的|符合|最佳"
    "|合适|合適|答案|正解)",
    therefore="因此|所以|综上|綜上|综上所述|因而|故|总之|即|我认为|我認為|应该|應該",
    because="因为|因為|由于|由於|并且",
    but="但|但是|不过|所以|因此|然而",
    negated="不是|不会是|不會是|不可能|不应|不應|不该|不選|不选|不能|不认为|不認為|不觉得|不一定|不对|不對|不要"
    r"|不再|不为|并非|並非|绝非|非(?=[ (]{0,2}\Z)|没有|沒有|未必|别选|別選|排除|难以|无法|無法"
    r"|不(?=[ (]{0,2}\Z)",
    negated_after="(?:选项|項)?(?:显然|并|並|也|就|才)?(?:不是|不对|不對|不正确|不正確|不符合|不合适|不可能|不行"
    "|不成立|错|錯|是错|是錯|被排除|并非|並非|可以排除)",
    lesser="错误|錯誤|不正确|不正確|最差|第二|次优|次選|次选|之前|先前|原来|原來|原先|最初|起初|开始|一开始"
    "|先选|先選|备选|另一|其他|误选|干扰",
    instead="而是|改成|改为|改為|改选|改選|换成|實際上|实际上|其实|其實|不,|不是,",
    takes_back="等等|等一下|更正|修正|订正|訂正|纠正|抱歉|对不起|對不起|不好意思|我是说|我是說|我的意思是|我错了"
    "|我錯了|搞错了|说错了|不对|不對|这是错|這是錯|这不对|重新考虑|再想|想了想|仔细想|改成|改为|改為"
    "|改选|改選",
    condition="如果|假如|假设|假設|若|除非|要是|倘若|只有|只要|否则|否則",
    condition_ends="的话|的情况下",
    looking="没错|没记错|没猜错|没看错|猜|必须选|选择|選擇|一定要选|非要|对比|观察|仔细|我们比较|应用|按照",
    joins="和|或|或者|或是|与|與|还是|還是|以及|及|也可能是|也许|跟|、",
    asks="(?:吗|嗎|呢|么)",
    is_spaced=False,
    ending="(?:选项|項)?(?:项|图)?",
)
_JAPANESE = Language(
    marks="図|画像|番号|記号|選択|は|に|が|を|です|だ|訂正|正解|答え|回答",
    answer="(?<!不)正解|答え|答|回答|解答|(?<!不)正答",
    option="選択肢|選択|選んだの|記号|画像|図|番号",
    right="正しい|最適|適切|ふさわしい|一致する|最も近い|当てはまる|該当する",
    that="もの|の",
    copula="[はが]",
    fill="選択肢|画像|図|番号|記号|おそらく|多分|たぶん|明らかに|やはり|つまり|の|は|が|[,]",
    is_right="(?:の)?(?:画像|選択肢|図)?(?:[がはこそ]{1,2}|だけが|のみが)(?:最も|一番|唯一の|明らかに)?(?:正しい"
    "|正解|答え|最適|適切|ふさわしい|当てはまり|当てはまる|一致し|該当し)|に(?:間)?違い(?:あり|な)"
    "|を(?:選び|選択し|選ぶ|選択する|選ん|答え)|に(?:し)?ます|と(?:答え|回答)",
    therefore="よって|したがって|従って|ゆえに|だから|ですから|なので|そのため|つまり|以上より|結論|結論として"
    "|以上から",
    because="から|ので|ため|なぜなら",
    but="しかし|ただし|が,|ので|よって|したがって|から,",
    negated="(?:不正解|誤答|間違い|違う)",
    negated_after="(?!に(?:間)?違い(?:あり|な)|しか(?:あり|な))(?:では|じゃ|で|とは|には|を|が"
    r"|は)?[^.,!?\na-z0-9]{0,12}?(?:ありませ|ではな|じゃな|でな|とは言え|思いませ|思わな|選びませ|選ばな"
    "|選択しませ|選択しな|しませ|しな|言えませ|限りませ|なりませ|不正解|間違って|間違い(?:です|だ)|誤り"
    "|違いま|違う|正しくな|ふさわしくな|わけがな|はずがな|はずはな|かもしれ)",
    lesser="不正解|誤った|間違った|間違い|最悪|次点|二番目|2番目|第二|以前|前回|最初|当初|初め|別の|他の|もう一つ|元の",
    instead="(?:では|じゃ|で)な(?:く|くて|くむしろ)|むしろ|いや|いいえ|やはり|やっぱり|実は|実際は|代わりに|改め",
    takes_back=r"訂正|修正|すみません|すいません|ごめん\w{0,16}|失礼|申し訳\w{0,16}|待って|ちょっと待|間違えました"
    r"|間違いでした|間違えた|(?:それ|これ)は(?:間違い|誤り|違い)|考え直\w{0,16}|よく考え\w{0,16}"
    r"|もう一度考え|言い間違え\w{0,16}|いや",
    condition="もし|仮に|さもなければ|そうでなければ|それ以外",
    condition_ends=r"場合|なら(?:ば)?(?=[ ,]|\w)|(?:け|せ|て|ね|べ|め|れ|げ|え)ば(?=[ ,])|たら(?=[ ,])|限り",
    looking="選ぶ|選ば|適用すれ|推測|比べ|見れ|考え|答える",
    joins="か|と|や|または|又は|あるいは|もしくは|および|及び|それとも|も",
    ending="(?:の)?(?:選択肢|画像|図)?(?:です|だ|である|となります|になります|でした|と(?:思い|考え)ます"
    "|だと思います|だと考えます|でしょう|を選びます)?(?:ね|よ)?",
    asks=r"(?:です|ます|でしょう|だろう)?か(?=[ .!\n]|\Z)",
    is_spaced=False,
)
_KOREAN = Language(
    marks="그림|번호|보기|선택|옵션|은|는|이|가|다|를|을|답|요",
    answer="정답|답변|해답|(?<![오대])답",
    option="선택지|선택|보기|옵션|그림|이미지|번호",
    right="올바른|맞는|옳은|알맞은|적절한|최선의|최종|일치하는",
    that="것",
    copula="[은는이가]",
    fill="선택지|보기|옵션|그림|이미지|번호|바로|아마도?|분명히|확실히|역시|따라서|은|는|이|가",
    is_right=" ?(?:번)?(?:[이가은는]|만이|야말로) ?(?:가장 |유일한 |유일하게 )?(?:정답|답|올바른|올바릅|맞|옳"
    "|적절|일치|알맞)| ?(?:번)?[을를] ?(?:선택|고르|고릅|골라|택|뽑)|(?:으)?로 (?:하겠|선택|정하)",
    therefore="따라서|그러므로|그래서|결론적으로|결론|즉|그러니까|결국",
    because="때문|므로|니까|왜냐하면",
    but="하지만|그러나|지만|따라서|그러므로|므로",
    negated="(?:오답|틀린|잘못된)",
    negated_after=r" ?(?:번)?[^.,!?\na-z0-9]{0,14}?(?:아니|아닙|아닌|아닐|아님|않|못|틀렸|틀립|틀린|오답|없)",
    lesser="오답|틀린|잘못된|최악|두 ?번째|차선|이전|처음|원래|초기|다른|예전|앞서",
    instead=r"(?:이|가)? ?아니라|아니고|말고|아니[,.]|아니요|오히려|사실은|실은|역시|다시 생각\w{0,16} 보니|대신",
    takes_back=r"잠깐|잠시만|정정|수정|죄송\w{0,16}|미안\w{0,16}|(?:제가 )?실수\w{0,16}|제 말은|착각\w{0,16}"
    r"|(?:그것은|그건|이것은|이건) (?:틀렸|틀립|아닙|아니|잘못)|다시 생각\w{0,16}|다시 보니|아니[,.]",
    condition="만약|만일|그렇지 않으면|아니면",
    condition_ends="다면|라면|(?:으|되|이)면(?=[ ,])|경우|않는 한|때만",
    looking="골라야|선택해야|추측|비교|자세히 보|살펴보|고려",
    joins="이나|나|또는|혹은|과|와|이랑|하고|및|아니면|이거나|거나",
    ending="(?:번)?(?: ?(?:입니다|이다|임|예요|이에요|이네요|인 것 같습니다|라고 생각합니다|이라고 생각합니다"
    "|이 되겠습니다))?",
    asks="(?:입니까|인가요|일까요|인가|일까|까요|나요)",
    is_spaced=False,
    numbers="둘|셋|넷|다섯|여섯|일곱|여덟|아홉|열|열하나|열둘",
)

LANGUAGES: Mapping[str, Language] = {
    "en": _ENGLISH,
    "de": _GERMAN,
    "fr": _FRENCH,
    "es": _SPANISH,
    "pt": _PORTUGUESE,
    "it": _ITALIAN,
    "ru": _RUSSIAN,
    "zh": _CHINESE,
    "ja": _JAPANESE,
    "ko": _KOREAN,
}
"""The languages by their codes of ISO 639-1. How English states an answer is in `statements`; it is always tried."""
