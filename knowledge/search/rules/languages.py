"""Which language a text in Latin letters is written in, as far as its stems need to know. Pure.

The guess counts function words, so it is only as good as there is prose to count. It decides nothing but the stemmer
of a text, and a question tries every language that it might be in: a wrong guess costs a word form, never a word.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import chain, islice

ENGLISH = "english"

#: Folded function words of each language that Snowball stems and that writes in Latin letters.
_FUNCTION_WORDS = {
    ENGLISH: "the of and to in is that for it as was with be by on not this are from at which have an or were has had",
    "german": "der die und das den von zu mit sich des auf fur ist im dem nicht ein eine als auch es an werden aus er "
    "hat dass sie nach wird bei einer um am sind noch wie einem uber einen so zum war haben nur oder aber vor zur bis "
    "wurde wer was welche welcher welches wann warum viele wo",
    "spanish": "de la que el en y a los del se las por un para con no una su al lo como mas pero sus le ya o este si "
    "porque esta entre cuando muy sin sobre ser tambien fue han donde cual quien cuantos cuantas cuando cuales era",
    "french": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont la aux "
    "avec ou son cette comme mais nous sa elle ont ete leur quel quelle quels combien etait d l qu",
    "italian": "di e il la che in a per un del non si le della i una con da sono dei come al nel gli alla dal delle lo "
    "piu ha anche ma o se nella quale chi quanti dove era stato degli",
    "portuguese": "de a que o e do da em um para com nao uma os no se na por mais as dos como mas foi ao das tem seu "
    "sua ou quando muito nos ja eu tambem pelo pela ate isso qual quem quantos onde",
    "dutch": "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit nog naar door "
    "over ze hij heeft wordt werd deze hoe wie wat waar welke hoeveel",
    "swedish": "och i att det som en pa ar av for den med till inte om ett han var sig men har hon fran nar kan ska vi "
    "de eller hur vad vem vilken",
    "danish": "og i at det er en til af som pa de med den der for ikke et han har var sig men vi kan fra eller hvad "
    "hvem hvor blev efter",
    "norwegian": "og i det er pa som en til av at med for den ikke har de et var om fra kan ble han seg hva hvem hvor "
    "eller etter",
    "finnish": "ja on ei se etta oli han joka mutta ovat kun myos tai sen mita kuka missa niin kuin olla",
    "romanian": "de si in a la cu pe din ca un o care este nu pentru se mai sunt sau fost prin dupa ce cine cate al "
    "ale",
    "hungarian": "a az es hogy nem is egy meg ez van volt de csak mint ki mi hol mikor ami vagy",
    "polish": "i w na z do sie nie to jest ze o jak od po za przez oraz dla jego byl ktory co kto gdzie",
    "czech": "a v se na je ze s z do o i to k pro za by ale jako byl podle jeho od co kdo kde ktery",
    "turkish": "ve bir bu da de icin ile olarak cok daha olan gibi ne kim nerede hangi kac mi sonra kadar",
    "indonesian": "yang dan di dengan untuk dari pada ini itu dalam tidak adalah ke akan oleh juga apa siapa",
    "lithuanian": "ir yra kad su is i del kaip ar bei buvo jo kas",
    "estonian": "ja on ei et see oli ta mis kes ka ning aga kui",
    "catalan": "de la i el que en a les els del per un amb una es no al com va dels mes son",
}

#: Every language that the stems of a Latin word may be in.
LANGUAGES = tuple(_FUNCTION_WORDS)

_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in dict.fromkeys(word for word in _words.split() if len(word) > 1):
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)

#: How many words of a text are looked at.
_LOOKED_AT = 600

#: How many different function words a language needs to be believed. Words of one letter point nowhere.
_ENOUGH = 3


def language_of(words: Iterable[str]) -> str | None:
    """The language that most kinds of function words among the first of these folded words point to.

    None where too few are met, or two languages are pointed to alike.
    """
    met = _LANGUAGES_OF.keys() & set(islice(words, _LOOKED_AT))
    counts = Counter(chain.from_iterable(map(_LANGUAGES_OF.__getitem__, met)))
    leaders = counts.most_common(2)
    if not leaders or leaders[0][1] < _ENOUGH:
        return None
    if len(leaders) > 1 and leaders[0][1] == leaders[1][1]:
        return None
    return leaders[0][0]
