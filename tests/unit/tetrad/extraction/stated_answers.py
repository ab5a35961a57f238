# ruff: noqa: E501, RUF001 -- a list stands on one line, in its own script
"""Ways to state an answer in each language that is read, and the rules that make of each what states none.

A form is negated by the first of its language's substitutions that applies, hedged by an "or" in place of its option,
made conditional before or behind, and corrected by a sentence that follows. What only looks like a condition leaves it:
"even if it is mirrored", "if we compare them".
"""

import re
from collections.abc import Iterator
from typing import NamedTuple


class Speech(NamedTuple):
    """Forms of one language, where X is the option, and its rules.

    negations: pairs of a pattern and its replacement. either: what stands for the option, with Y as the other.
    conditions: F is the form without its period. looks: conditions of whoever looks, and none. corrections: sentences
    after it that state Y; retractions: none.
    """

    forms: tuple[str, ...]
    negations: tuple[tuple[str, str], ...]
    either: tuple[str, ...]
    conditions: tuple[str, ...]
    looks: tuple[str, ...]
    corrections: tuple[str, ...]
    retractions: tuple[str, ...]
    questions: tuple[str, ...] = ("F?",)


class Twin(NamedTuple):
    """A reply, the rule that made it, and the answer that it gives, if it gives one."""

    rule: str
    reply: str
    answer: str | None


SPEECHES = {
    "en": Speech(
        forms=(
            "The answer is X.",
            "The correct answer is X.",
            "Final answer: X",
            "Answer: X",
            "The correct option is X.",
            "My answer is X.",
            "I choose X.",
            "I would go with X.",
            "X is correct.",
            "X is the correct answer.",
            "Therefore, the answer is X.",
            "The option that matches is X.",
            "The best choice is option X.",
            "Solution: X",
            "I'll say X.",
            "Clearly X.",
            "X fits best.",
            "Panel X completes the puzzle.",
            "X completes the pattern.",
            "Ans. X",
            "Only X fits.",
        ),
        negations=(
            (r"\b(is|would be)\b", r"\1 not"),
            (r"I (choose|would)", r"I do not \1"),
            (r"^(Final answer|Answer|Solution):", r"\1: not"),
            (r"I'll", "I won't"),
            (r"Ans\. ", "Ans. not "),
            (r"fits\b", "does not fit"),
            (r"completes", "does not complete"),
            (r"\bX", "not X"),
        ),
        either=("X or Y", "either X or Y", "X or maybe Y", "X/Y", "X and Y"),
        conditions=(
            "If the object is mirrored, F.",
            "F if it is mirrored.",
            "F, but only if it is mirrored.",
            "F unless it is mirrored.",
            "Assuming that it is mirrored, F.",
            "F if the rows alternate.",
            "F, provided that the pattern is mirrored.",
            "If the rule is a turn, then F.",
            "If the dog looks left,\nF.",
            "Should it be mirrored, F.",
            "F, if we have a turn.",
            "If it is mirrored F.",
        ),
        looks=(
            "If we look closely, F.",
            "If I had to choose, F.",
            "F, if I am not mistaken.",
            "If the pattern continues, F.",
            "Even if it is mirrored, F.",
            "F, even if the size differs.",
            "It looks as if it turns, so F.",
        ),
        corrections=(
            "F. Sorry, I meant Y.",
            "F.\n\nEDIT: Y",
            "F. On second thought, Y.",
            "F. Wait, no, it is Y.",
            "F. Correction: Y",
            "F (corrected: Y)",
            "F. Actually, Y.",
            "F. Oops, I mean Y.",
            "F. No, the answer is Y.",
            "F. I take that back: Y.",
            "F. Changed my mind: Y.",
            "F. My mistake: Y.",
            "X is not the answer; Y is.",
        ),
        retractions=("F. Wait, that is wrong.", "F. Sorry, that is not correct.", "F. Hold on."),
        questions=("F?", "F, or not?", "F, right?"),
    ),
    "de": Speech(
        forms=(
            "Die Antwort ist X.",
            "Die richtige Antwort ist X.",
            "Die richtige Antwort lautet X.",
            "Antwort: X",
            "Richtige Antwort: X",
            "Die richtige Option ist X.",
            "Ich wähle X.",
            "X ist richtig.",
            "X ist die richtige Antwort.",
            "Daher ist die Antwort X.",
            "Die Lösung ist X.",
            "Meine Antwort lautet: X",
            "Daher X.",
        ),
        negations=(
            (r"\b(ist|lautet)\b(?! die Antwort)", r"\1 nicht"),
            (r"ist die Antwort", r"ist die Antwort nicht"),
            (r"wähle X", "wähle X nicht"),
            (r"\bX", "nicht X"),
        ),
        either=("X oder Y", "entweder X oder Y", "X oder vielleicht Y", "X/Y", "X und Y"),
        conditions=(
            "Wenn das Bild gespiegelt ist, F.",
            "F, wenn das Bild gespiegelt ist.",
            "F, falls es gespiegelt ist.",
            "F, aber nur wenn es gespiegelt ist.",
            "F, es sei denn, es ist gespiegelt.",
            "Wenn das Muster genau gespiegelt sein muss, F.",
            "Sofern sich die Reihen abwechseln, F.",
        ),
        looks=(
            "Wenn man genau hinsieht, F.",
            "Wenn man dieselbe Regel anwendet, F.",
            "Wenn ich raten müsste, F.",
            "Auch wenn das Bild gespiegelt ist, F.",
        ),
        corrections=(
            "F. Entschuldigung, ich meinte Y.",
            "F. Korrektur: Y",
            "F. Nein, Y.",
            "F. Moment, es ist Y.",
            "F. Nein, die Antwort ist Y.",
            "F. Bei näherer Betrachtung Y.",
            "F (korrigiert: Y)",
        ),
        retractions=("F. Das ist falsch.", "F. Moment, das stimmt nicht.", "F. Ich habe mich geirrt."),
    ),
    "fr": Speech(
        forms=(
            "La réponse est X.",
            "La bonne réponse est X.",
            "La réponse correcte est X.",
            "Réponse : X",
            "Réponse finale : X",
            "La bonne option est X.",
            "Je choisis X.",
            "X est correcte.",
            "X est la bonne réponse.",
            "Donc, la réponse est X.",
            "La solution est l'option X.",
            "Donc X.",
        ),
        negations=(
            (r"\best\b", "n'est pas"),
            (r"Je choisis", "Je ne choisis pas"),
            (r"\bX", "pas X"),
        ),
        either=("X ou Y", "soit X soit Y", "X ou peut-être Y", "X/Y", "X et Y"),
        conditions=(
            "Si l'image est inversée, F.",
            "F si l'image est inversée.",
            "F, mais seulement si elle est inversée.",
            "F, à moins que l'image ne soit inversée.",
            "F, sauf si elle est inversée.",
            "Si le chat regarde à gauche, F.",
            "F, à condition que les rangées alternent.",
        ),
        looks=(
            "Si on regarde de près, F.",
            "Si on applique la même règle, F.",
            "Si je devais choisir, F.",
            "Même si l'image est inversée, F.",
        ),
        corrections=(
            "F. Pardon, je voulais dire Y.",
            "F. Correction : Y",
            "F. Non, c'est Y.",
            "F. Attendez, c'est Y.",
            "F. En fait, Y.",
            "F. Réflexion faite, Y.",
            "F. Non, la réponse est Y.",
        ),
        retractions=("F. C'est faux.", "F. Attendez, ce n'est pas correct.", "F. Je me suis trompé."),
    ),
    "es": Speech(
        forms=(
            "La respuesta es X.",
            "La respuesta correcta es X.",
            "Respuesta: X",
            "Respuesta final: X",
            "La opción correcta es X.",
            "La respuesta correcta es la opción X.",
            "Elijo X.",
            "X es correcta.",
            "X es la respuesta correcta.",
            "Por lo tanto, la respuesta es X.",
            "La mejor opción es X.",
            "La alternativa correcta es X.",
            "Así que X.",
        ),
        negations=((r"\b(es|Elijo)\b", r"no \1"), (r"\bX", "no X")),
        either=("X o Y", "o X o Y", "X o tal vez Y", "X/Y", "X y Y"),
        conditions=(
            "Si la imagen está reflejada, F.",
            "F si la imagen está reflejada.",
            "F, pero solo si está reflejada.",
            "F, a menos que esté reflejada.",
            "F, siempre que esté reflejada.",
            "Si los objetos comparten el color, F.",
            "En caso de que gire, F.",
        ),
        looks=(
            "Si comparamos las filas, F.",
            "Si aplicamos la misma regla, F.",
            "La figura se mueve y se refleja, así que F.",
            "Si tuviera que elegir, F.",
            "Incluso si la imagen está reflejada, F.",
        ),
        corrections=(
            "F. Perdón, quise decir Y.",
            "F. Corrección: Y",
            "F. No, es Y.",
            "F. Espera, es Y.",
            "F. En realidad, es Y.",
            "F. Pensándolo bien, Y.",
            "F. No, la respuesta es Y.",
        ),
        retractions=("F. Eso es incorrecto.", "F. Espera, eso no es correcto.", "F. Me equivoqué."),
        questions=("¿F?", "F, ¿verdad?"),
    ),
    "pt": Speech(
        forms=(
            "A resposta é X.",
            "A resposta correta é X.",
            "Resposta: X",
            "Resposta final: X",
            "A opção correta é X.",
            "A resposta certa é a opção X.",
            "Escolho X.",
            "X está correta.",
            "X é a resposta correta.",
            "Portanto, a resposta é X.",
            "A melhor opção é X.",
            "A alternativa correta é a letra X.",
            "Portanto, X.",
        ),
        negations=((r"(?<!\w)(é|está|Escolho)(?!\w)", r"não \1"), (r"\bX", "não X")),
        either=("X ou Y", "ou X ou Y", "X ou talvez Y", "X/Y", "X e Y"),
        conditions=(
            "Se a imagem estiver espelhada, F.",
            "F se a imagem estiver espelhada.",
            "F, mas só se estiver espelhada.",
            "F, a menos que esteja espelhada.",
            "F, desde que esteja espelhada.",
            "Se os objetos compartilham a cor, F.",
            "Caso a figura gire, F.",
        ),
        looks=(
            "Se compararmos as linhas, F.",
            "Se aplicarmos a mesma regra, F.",
            "Se eu tivesse que escolher, F.",
            "Mesmo se a imagem estiver espelhada, F.",
        ),
        corrections=(
            "F. Desculpe, quis dizer Y.",
            "F. Correção: Y",
            "F. Não, é Y.",
            "F. Espere, é Y.",
            "F. Na verdade, é Y.",
            "F. Pensando bem, Y.",
            "F. Não, a resposta é Y.",
        ),
        retractions=("F. Isso está errado.", "F. Espere, isso não está correto.", "F. Me enganei."),
    ),
    "it": Speech(
        forms=(
            "La risposta è X.",
            "La risposta corretta è X.",
            "Risposta: X",
            "Risposta finale: X",
            "L'opzione corretta è X.",
            "La risposta giusta è l'opzione X.",
            "Scelgo X.",
            "X è corretta.",
            "X è la risposta corretta.",
            "Quindi, la risposta è X.",
            "La migliore opzione è X.",
            "L'alternativa corretta è X.",
            "Quindi X.",
        ),
        negations=((r"(?<!\w)(è|Scelgo)(?!\w)", r"non \1"), (r"\bX", "non X")),
        either=("X o Y", "o X o Y", "X o forse Y", "X/Y", "X e Y", "X oppure Y"),
        conditions=(
            "Se l'immagine è riflessa, F.",
            "F se l'immagine è riflessa.",
            "F, ma solo se è riflessa.",
            "F, a meno che non sia riflessa.",
            "F, purché sia riflessa.",
            "Se il gatto guarda a sinistra, F.",
            "Nel caso in cui ruoti, F.",
        ),
        looks=(
            "Se confrontiamo le righe, F.",
            "Se applichiamo la stessa regola, F.",
            "Se dovessi scegliere, F.",
            "Anche se l'immagine è riflessa, F.",
        ),
        corrections=(
            "F. Scusa, intendevo Y.",
            "F. Correzione: Y",
            "F. No, è Y.",
            "F. Aspetta, è Y.",
            "F. Anzi, Y.",
            "F. Ripensandoci, Y.",
            "F. No, la risposta è Y.",
        ),
        retractions=("F. Questo è sbagliato.", "F. Aspetta, non è corretto.", "F. Mi sono sbagliato."),
    ),
    "ru": Speech(
        forms=(
            "Ответ: X",
            "Правильный ответ: X",
            "Правильный ответ — X.",
            "Ответ X.",
            "Правильный вариант: X",
            "Окончательный ответ: X",
            "Я выбираю X.",
            "X — правильный ответ.",
            "X является правильным ответом.",
            "Следовательно, ответ — X.",
            "Верный ответ — вариант X.",
            "Итак, X.",
        ),
        negations=(
            (r"выбираю|является", r"не \g<0>"),
            (r"— (правильный|вариант)", r"— не \1"),
            (r"\bX", "не X"),
        ),
        either=("X или Y", "либо X, либо Y", "X или, возможно, Y", "X/Y", "X и Y"),
        conditions=(
            "Если изображение отражено, F.",
            "F, если изображение отражено.",
            "F, но только если оно отражено.",
            "F, при условии что оно отражено.",
            "Если собака смотрит влево, F.",
            "В случае поворота F.",
        ),
        looks=(
            "Если сравнить строки, F.",
            "Если применить то же правило, F.",
            "Если бы пришлось выбирать, F.",
            "Даже если изображение отражено, F.",
        ),
        corrections=(
            "F. Извините, я имел в виду Y.",
            "F. Исправление: Y",
            "F. Нет, Y.",
            "F. Подождите, это Y.",
            "F. Точнее, Y.",
            "F. Нет, ответ Y.",
            "F. На самом деле Y.",
            "Это не X, это Y.",
        ),
        retractions=("F. Это неверно.", "F. Подождите.", "F. Я ошибся."),
    ),
    "zh": Speech(
        forms=(
            "答案是X。",
            "正确答案是X。",
            "答案：X",
            "正确选项是X。",
            "答案为X。",
            "我选择X。",
            "应该选X。",
            "X是正确答案。",
            "X是正确的。",
            "因此，答案是X。",
            "正确的选项是选项X。",
            "所以选X。",
            "综上所述，正确答案应为X。",
        ),
        negations=(
            (r"X是", "X不是"),
            (r"应该选|应为", r"不\g<0>"),
            (r"选择X|选X", r"不\g<0>"),
            (r"是(?=X|选项X)", "不是"),
            (r"为X", "不为X"),
            (r"：X", "：不是X"),
        ),
        either=("X或Y", "X或者Y", "X和Y", "X/Y", "X、Y"),
        conditions=(
            "如果图像是镜像的，F。",
            "F，如果图像是镜像的。",
            "除非图像是镜像的，F。",
            "F，除非图像是镜像的。",
            "如果图形比较大，F。",
            "图像是镜像的话，F。",
        ),
        looks=("如果仔细观察，F。", "如果应用同样的规则，F。", "如果必须选择，F。", "即使图像是镜像的，F。"),
        corrections=(
            "F。抱歉，我是说Y。",
            "F。更正：Y",
            "F。不对，应该是Y。",
            "F。等等，是Y。",
            "F，后来改成Y。",
            "F。再想想，应该选Y。",
            "F。不，答案是Y。",
        ),
        retractions=("F。这是错的。", "F。等等，不对。", "F。我错了。"),
        questions=("F？", "F吗？", "F吗"),
    ),
    "ja": Speech(
        forms=(
            "答えはXです。",
            "正解はXです。",
            "正解はXである。",
            "答え：X",
            "正しい選択肢はXです。",
            "正しいのはXです。",
            "Xを選びます。",
            "Xが正解です。",
            "Xが正しいです。",
            "したがって、答えはXです。",
            "正解は選択肢Xです。",
            "よって、Xです。",
            "最も適切なのはXです。",
        ),
        negations=(
            (r"です|である", "ではありません"),
            (r"を選びます", "を選びません"),
            (r"：X", "：Xではない"),
        ),
        either=("XかY", "XまたはY", "XとY", "X、またはY", "X/Y", "XもしくはY"),
        conditions=(
            "もし画像が反転していれば、F。",
            "画像が反転している場合、F。",
            "反転しているなら、F。",
            "もし犬が左を見ていたら、F。",
        ),
        looks=("よく見れば、F。", "同じ規則を適用すれば、F。", "もし選ぶなら、F。", "画像が反転していても、F。"),
        corrections=(
            "F。すみません、Yです。",
            "F。訂正：Y",
            "F。いや、Yです。",
            "F。待って、Yです。",
            "F。間違えました。Yです。",
            "F。考え直すと、答えはYです。",
            "F。やはりYです。",
        ),
        retractions=("F。それは間違いです。", "F。待って。", "F。間違えました。"),
        questions=("F？", "Fか？", "Fか。"),
    ),
    "ko": Speech(
        forms=(
            "정답은 X입니다.",
            "답은 X입니다.",
            "정답: X",
            "올바른 답은 X입니다.",
            "정답은 선택지 X입니다.",
            "맞는 것은 X입니다.",
            "X를 선택합니다.",
            "X가 정답입니다.",
            "X가 맞습니다.",
            "따라서 정답은 X입니다.",
            "최종 답변: X",
            "따라서 X입니다.",
        ),
        negations=(
            (r"정답입니다", "정답이 아닙니다"),
            (r"입니다", "가 아닙니다"),
            (r"선택합니다", "선택하지 않습니다"),
            (r"맞습니다", "맞지 않습니다"),
            (r": X", ": X가 아님"),
        ),
        either=("X 또는 Y", "X이나 Y", "X 혹은 Y", "X와 Y", "X/Y"),
        conditions=(
            "만약 그림이 반전되었다면, F.",
            "그림이 반전되어 있으면 F.",
            "반전된 경우 F.",
            "그림이 반전되지 않는 한 F.",
            "개가 왼쪽을 본다면, F.",
        ),
        looks=("자세히 보면, F.", "같은 규칙을 적용하면, F.", "골라야 한다면, F.", "그림이 반전되었더라도, F."),
        corrections=(
            "F. 죄송합니다, Y입니다.",
            "F. 정정: Y",
            "F. 아니, Y입니다.",
            "F. 잠깐, Y입니다.",
            "F. 다시 생각해보니 Y입니다.",
            "F. 아니요, 정답은 Y입니다.",
        ),
        retractions=("F. 그것은 틀렸습니다.", "F. 잠깐만요.", "F. 제가 실수했습니다."),
        questions=("F?", "F까?"),
    ),
}

# An opinion of another option after the answer, which changes nothing.
AFTER_THE_ANSWER = {
    "en": (
        "In the example, the analogous option would be Y.",
        "Worst option: Y",
        "Second choice: Y",
        "My previous answer was Y.",
        "Y is wrong.",
        "I first chose Y.",
    ),
    "de": ("Schlechteste Option: Y", "Zweite Wahl: Y", "Meine vorherige Antwort war Y.", "Y ist falsch."),
    "fr": ("Pire option : Y", "Deuxième choix : Y", "Ma réponse précédente était Y.", "Y est fausse."),
    "es": ("Peor opción: Y", "Segunda opción: Y", "Mi respuesta anterior era Y.", "Y es incorrecta."),
    "pt": ("Pior opção: Y", "Segunda opção: Y", "Minha resposta anterior era Y.", "Y está errada."),
    "it": ("Peggiore opzione: Y", "Seconda scelta: Y", "La mia risposta precedente era Y.", "Y è sbagliata."),
    "ru": ("Худший вариант: Y", "Второй вариант: Y", "Мой предыдущий ответ: Y", "Y неверно."),
    "zh": ("最差选项：Y", "第二选择：Y", "之前的答案是Y。", "错误答案是Y。", "Y不正确。"),
    "ja": ("最悪の選択肢：Y", "次点の選択肢：Y", "以前の答えはYです。", "Yは間違いです。", "不正解はYです。"),
    "ko": ("최악의 선택지: Y", "두 번째 선택: Y", "이전 답은 Y입니다.", "Y는 오답입니다.", "오답은 Y입니다."),
}


def twins_of(language: str, label: str, other: str) -> Iterator[Twin]:
    """Yield each affirmative form of a language with all its twins, in the order of the rules."""
    speech = SPEECHES[language]
    for form in speech.forms:
        said = form.rstrip(".。")
        yield Twin("affirmed", _fill(form, label, other), label)
        yield Twin("negated", _fill(_negate(form, speech.negations), label, other), None)
        for either in speech.either:
            yield Twin("hedged", _fill(form.replace("X", either), label, other), None)
        for rule, frames, answer in (
            ("conditional", speech.conditions, None),
            ("looked at", speech.looks, label),
            ("corrected", speech.corrections, other),
            ("taken back", speech.retractions, None),
            ("asked", speech.questions, None),
        ):
            for frame in frames:
                if rule == "looked at" and not frame.startswith("F") and _BEGINS_SENTENCE.match(said):
                    continue
                inside = said if frame.startswith("F") else _LEAD.sub("", said)
                yield Twin(rule, _fill(frame.replace("F", inside, 1), label, other), answer)
        for after in AFTER_THE_ANSWER[language]:
            yield Twin("second option", _fill(f"{form}\n{after}", label, other), label)


# What leads to a conclusion cannot follow a condition.
_LEAD = re.compile(
    "^(?:Therefore|Daher|Donc|Por lo tanto|Así que|Portanto|Quindi|Следовательно|Итак|因此|综上所述|所以|したがって|よって|따라서)[,， 、，]{0,2}"
)

# After a comma, what is left of these, or follows them, states nothing by itself.
_BEGINS_SENTENCE = re.compile(rf"{_LEAD.pattern}|(?:Clearly|Ans\.) ")


def _negate(form: str, negations: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in negations:
        negated = re.sub(pattern, replacement, form, count=1)
        if negated != form:
            return negated
    raise ValueError(f"no rule negates {form!r}")


def _fill(text: str, label: str, other: str) -> str:
    return text.replace("X", label).replace("Y", other)
