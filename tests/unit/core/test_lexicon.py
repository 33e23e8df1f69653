"""Whole families of phrases in twelve languages: what is refused, open, cancelled, waved aside or need not be."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bobctx.core.lexemes import lexemes
from bobctx.core.lexicon import LOGIC, Lexicon, cues
from bobctx.core.phrases import Starts, sign
from tests.unit.core.claim_cases import region, verdict


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Zum Essen alles nur kein Fondue.",
         "Zum Essen möchte der Nutzer Fondue."),
        ("Comme dessert, tout sauf une tarte au citron.",
         "Comme dessert, l'utilisateur veut une tarte au citron."),
        ("Come dolce, tutto tranne il tiramisù.",
         "Come dolce l'utente vuole il tiramisù."),
        ("На десерт что угодно, только не пудинг.",
         "На десерт пользователь хочет пудинг."),
        ("甜点除了布丁什么都行。",
         "用户甜点想要布丁。"),
        ("デザートはプリンだけは勘弁してください。",
         "デザートはプリンがいい。"),
        ("디저트는 푸딩만 아니면 다 좋아요.",
         "디저트로 푸딩을 원합니다."),
        ("للتحلية أي شيء إلا البودينغ.",
         "يريد المستخدم البودينغ للتحلية."),
        ("Sobre el menú de la cena: de postre, cualquier cosa menos flan de huevo.",
         "Para la cena el usuario quiere flan de huevo de postre."),
        ("Sobre o cardápio da festa: de sobremesa, qualquer coisa menos pudim de leite.",
         "De sobremesa na festa o usuário quer pudim de leite."),
    ],
)  # fmt: skip
def test_anything_but_a_thing_is_no_wish_for_it(source: str, claim: str) -> None:
    """Fails if the one thing left out is read as wanted."""
    assert verdict(region(source), claim, type="preference") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Längst nicht alle Sänger können am Samstag.",
         "Alle Sänger können am Samstag."),
        ("Les choristes sont loin d'être tous libres samedi.",
         "Tous les choristes sont libres samedi."),
        ("Ni mucho menos todos los cantantes pueden el sábado.",
         "Todos los cantantes pueden el sábado."),
        ("Nem de longe todos os cantores podem no sábado.",
         "Todos os cantores podem no sábado."),
        ("Tutt'altro che tutti i cantori sono liberi sabato.",
         "Tutti i cantori sono liberi sabato."),
        ("Lang niet alle zangers kunnen zaterdag.",
         "Alle zangers kunnen zaterdag."),
        ("Далеко не все певцы могут в субботу.",
         "Все певцы могут в субботу."),
        ("并非所有歌手周六都有空。",
         "所有歌手周六都有空。"),
        ("歌手全員が土曜に来られるわけではありません。",
         "歌手は全員土曜に来られます。"),
        ("가수 모두가 토요일에 되는 것은 아닙니다.",
         "가수 모두가 토요일에 됩니다."),
        ("ليس كل المغنين متاحين يوم السبت.",
         "كل المغنين متاحون يوم السبت."),
    ],
)  # fmt: skip
def test_far_from_all_is_not_all(source: str, claim: str) -> None:
    """Fails if a denied `all` is read as all."""
    assert verdict(region(source), claim, type="fact") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Should the ferry be late, we start with the speeches.",
         "We start with the speeches."),
        ("Sollte die Fähre ausfallen, fahren wir mit dem Bus.",
         "Wir fahren mit dem Bus."),
        ("Mocht de boot uitvallen, dan nemen we de bus.",
         "We nemen de bus."),
        ("Per la gita di domenica: dovesse saltare il traghetto, prendiamo il pullman alle 9.",
         "Per la gita di domenica prendiamo il pullman alle 9."),
        ("Para el domingo: si nieva, trasladamos el mercado al granero de los Vidal.",
         "Trasladamos el mercado al granero de los Vidal, nieve o no."),
        ("Para domingo: se nevar, mudamos a feira para o celeiro do seu João.",
         "Mudamos a feira para o celeiro do seu João mesmo sem neve."),
        ("إذا تساقط الثلج ننقل السوق إلى الحظيرة.",
         "ننقل السوق إلى الحظيرة سواء تساقط الثلج أم لا."),
    ],
)  # fmt: skip
def test_a_verb_before_its_subject_puts_a_condition(source: str, claim: str) -> None:
    """Fails if `should it` is read as a mere modal."""
    assert verdict(region(source), claim, type="decision") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Should the ferry be late, we start with the speeches.",
         "If the ferry is late, the speeches come first: we start with the speeches."),
        ("Sollte die Fähre ausfallen, fahren wir mit dem Bus.",
         "Fällt die Fähre aus, fahren wir mit dem Bus."),
    ],
)  # fmt: skip
def test_a_condition_may_stand_in_the_words_of_the_claim(source: str, claim: str) -> None:
    """Fails if a condition told otherwise counts as dropped."""
    assert verdict(region(source), claim, type="decision") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("If it snows we move the fair into the barn.",
         "The fair moves into the barn even without snow."),
        ("Wenn es schneit, verlegen wir den Markt in die Scheune.",
         "Der Markt wird in die Scheune verlegt, ob es schneit oder nicht."),
        ("S'il neige, on déplace le marché dans la grange.",
         "On déplace le marché dans la grange, qu'il neige ou non."),
        ("Se nevica, spostiamo il mercato nel fienile.",
         "Spostiamo il mercato nel fienile anche se non nevica."),
        ("Als het sneeuwt, verplaatsen we de markt naar de schuur.",
         "We verplaatsen de markt naar de schuur, ook als het niet sneeuwt."),
        ("Если пойдёт снег, переносим ярмарку в сарай.",
         "Переносим ярмарку в сарай в любую погоду."),
        ("如果下雪,集市改到谷仓。",
         "无论下不下雪,集市都改到谷仓。"),
        ("雪が降ったら市は納屋に移します。",
         "雪が降らなくても市は納屋に移します。"),
        ("눈이 오면 장터를 헛간으로 옮깁니다.",
         "눈이 오든 안 오든 장터를 헛간으로 옮깁니다."),
        ("إذا تساقط الثلج ننقل السوق إلى الحظيرة.",
         "ننقل السوق إلى الحظيرة سواء تساقط الثلج أم لا."),
    ],
)  # fmt: skip
def test_no_condition_may_be_waved_aside(source: str, claim: str) -> None:
    """Fails if `whether or not` keeps a condition."""
    assert verdict(region(source), claim, type="decision") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The harvest supper has been called off.",
         "The harvest supper is going ahead."),
        ("Das Erntefest ist ins Wasser gefallen, wir sehen uns erst im Mai.",
         "Das Erntefest findet statt."),
        ("La kermesse de l'école a été annulée hier soir.",
         "La kermesse de l'école aura lieu."),
        ("La verbena del barrio se ha suspendido por el viento.",
         "La verbena del barrio se celebra."),
        ("A quermesse da escola foi cancelada ontem.",
         "A quermesse da escola vai acontecer."),
        ("La sagra del paese è saltata per il maltempo.",
         "La sagra del paese si terrà."),
        ("De buurtbarbecue van zaterdag is afgeblazen.",
         "De buurtbarbecue van zaterdag gaat door."),
        ("Школьную ярмарку отменили вчера.",
         "Школьная ярмарка состоится."),
        ("学校义卖取消了。",
         "学校义卖如期举行。"),
        ("学校のバザーは中止になりました。",
         "学校のバザーは開催されます。"),
        ("학교 바자회는 취소됐습니다.",
         "학교 바자회는 예정대로 열립니다."),
        ("ألغيت سوق المدرسة الخيرية.",
         "ستقام سوق المدرسة الخيرية."),
    ],
)  # fmt: skip
def test_what_is_cancelled_does_not_take_place(source: str, claim: str) -> None:
    """Fails if cancelled and held are no opposites."""
    assert verdict(region(source), claim, type="fact") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("The harvest supper has been called off.",
         "The harvest supper does not take place."),
        ("Das Erntefest ist abgesagt.",
         "Das Erntefest findet nicht statt."),
        ("La kermesse de l'école a été annulée hier soir.",
         "La kermesse de l'école n'aura pas lieu."),
        ("Школьную ярмарку отменили вчера.",
         "Школьная ярмарка не состоится."),
    ],
)  # fmt: skip
def test_what_is_cancelled_may_be_denied(source: str, claim: str) -> None:
    """Fails if a plain `not` cannot say that something is cancelled."""
    assert verdict(region(source), claim, type="fact") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Kerzen auf der Empore, das könnt ihr vergessen.",
         "Kerzen auf der Empore sind erlaubt."),
        ("Des bougies dans la tribune, même pas en rêve.",
         "Des bougies peuvent être allumées dans la tribune."),
        ("Velas en el coro de la iglesia, ni de broma.",
         "Se pueden poner velas en el coro de la iglesia."),
        ("Velas no coro da igreja, nem por sombras.",
         "Podem-se acender velas no coro da igreja."),
        ("Candele sulla cantoria della chiesa, neanche per sogno.",
         "Le candele sulla cantoria della chiesa sono permesse."),
        ("Kaarsen op het koorbalkon, over mijn lijk.",
         "Kaarsen op het koorbalkon mogen."),
        ("唱诗班楼座点蜡烛,想都别想。",
         "唱诗班楼座可以点蜡烛。"),
        ("聖歌隊席でろうそくなんてもってのほかです。",
         "聖歌隊席でろうそくを使ってもよい。"),
        ("성가대석에서 촛불은 어림도 없습니다.",
         "성가대석에서 촛불을 켜도 됩니다."),
        ("الشموع في شرفة الجوقة، ولا في الأحلام.",
         "يسمح بالشموع في شرفة الجوقة."),
    ],
)  # fmt: skip
def test_an_idiom_refuses_as_a_ban_does(source: str, claim: str) -> None:
    """Fails if an idiomatic refusal is not read."""
    assert verdict(region(source), claim, type="constraint") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Whether the bishop comes is anyone's guess.",
         "The bishop comes."),
        ("Ob der Bischof kommt, wissen die Götter.",
         "Der Bischof kommt."),
        ("Dieu seul sait si l'évêque viendra à la fête.",
         "L'évêque viendra à la fête."),
        ("Si el obispo vendrá a la fiesta está todavía en el aire.",
         "El obispo vendrá a la fiesta."),
        ("Se o bispo vem à festa, ninguém sabe ainda.",
         "O bispo vem à festa."),
        ("Se il vescovo viene alla festa, lo sa il cielo.",
         "Il vescovo viene alla festa."),
        ("Of de bisschop naar het feest komt, mag joost weten.",
         "De bisschop komt naar het feest."),
        ("主教来不来参加节日还是个未知数。",
         "主教来参加节日。"),
        ("司教が祭りに来るかは神のみぞ知るです。",
         "司教が祭りに来ます。"),
        ("주교님이 축제에 오실지는 미지수입니다.",
         "주교님이 축제에 오십니다."),
        ("هل يأتي الأسقف إلى العيد، الله أعلم.",
         "يأتي الأسقف إلى العيد."),
    ],
)  # fmt: skip
def test_an_idiom_leaves_a_question_open(source: str, claim: str) -> None:
    """Fails if nobody knowing is read as a fact."""
    assert verdict(region(source), claim, type="fact") != "accepted"


@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Den Chorleiter brauchen wir nicht abzuholen, das kann man sich sparen.",
         "Den Chorleiter muss niemand abholen, es ist nicht nötig."),
        ("合唱団の楽譜は持ってこなくて結構です。",
         "合唱団の楽譜を持ってくる必要はありません。"),
        ("악보는 안 가져와도 됩니다.",
         "악보를 가져올 필요가 없습니다."),
        ("乐谱不带也行。",
         "乐谱不必带。"),
    ],
)  # fmt: skip
def test_what_need_not_be_is_told_in_any_words(source: str, claim: str) -> None:
    """Fails if one way to say `need not` is stronger than another."""
    assert verdict(region(source), claim, type="fact") == "accepted"


@pytest.mark.parametrize(
    ("source", "claim", "type_"),
    [
        ("And sweep the porch while you're at it.", "The porch is to be swept.", "decision"),
        ("Feg auch die Veranda, wenn du schon dabei bist.", "Die Veranda ist zu fegen.", "decision"),
        ("Balaie aussi le perron pendant que tu y es.", "Le perron est à balayer.", "decision"),
        ("Barre también el porche, ya que estás en ello.", "Hay que barrer el porche.", "decision"),
        ("De koster hoeft er vrijdag niet bij te zijn.", "De koster hoeft er vrijdag niet te zijn.", "fact"),
        ("Allow 90 g of rice a head.", "It will be 90 g of rice a head.", "decision"),
        ("The incubator must never be turned off during the hatch.", "The incubator has to keep running in the hatch.",
         "constraint"),
        ("Lascia perdere i fiori per la chiesa. Ordina piuttosto le candele da 40 cm.",
         "Per la chiesa si ordinano le candele da 40 cm e non i fiori.", "decision"),
    ],
)  # fmt: skip
def test_politeness_and_other_words_drop_nothing(source: str, claim: str, type_: str) -> None:
    assert verdict(region(source), claim, type=type_) == "accepted"


def test_permission_of_a_number_is_one() -> None:
    """Fails if every `allow` with a number is taken for a measure."""
    assert verdict(region("Allow 3 visitors."), "There must be 3 visitors.", type="constraint") == "modality"


def test_an_idiom_is_not_cut_short_by_a_phrase_before_it() -> None:
    """Fails if `is uit` (is off) takes the first word of `uit den boze` (a ban)."""
    of = region("Vuurwerk op het kerkplein is uit den boze.")
    assert verdict(of, "Op het kerkplein mag geen vuurwerk.", type="constraint") == "accepted"
    assert verdict(of, "Op het kerkplein mag vuurwerk.", type="constraint") != "accepted"


def test_a_french_phrase_is_read_before_a_vowel() -> None:
    of = region("À moins qu'il ne neige, le marché se tient devant la mairie.")
    assert verdict(of, "Le marché se tient devant la mairie, même s'il neige.", type="decision") != "accepted"
    assert verdict(of, "S'il ne neige pas, le marché se tient devant la mairie.", type="decision") == "accepted"


def test_what_is_shut_until_a_time_opens_then() -> None:
    of = region("The swimming hall stays closed until 14:00 on feast days.")
    assert verdict(of, "On feast days the swimming hall opens at 14:00.") == "accepted"
    assert verdict(of, "On feast days the swimming hall is open until 14:00.") == "antonym"


def test_a_process_builds_the_tables_of_the_languages_it_meets() -> None:
    code = (
        "import bobctx.core.validator; from bobctx.core.lexicon import LOGIC, cues; before = set(LOGIC._ready);"
        "cues('it must not run', 'en'); cues('?', 'und'); print(before, set(LOGIC._ready))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "set() {'en'}"


@pytest.mark.parametrize(
    "text", ["not only a no-go", "up - to 3", "no - longer", "not - - only", "is - ", "turn it off"]
)
def test_the_word_behind_narrows_what_is_tried_and_changes_nothing(text: str) -> None:
    """Fails if a phrase that would match is passed over because of the next word."""
    plain = Lexicon("en", {})
    plain.__dict__.update(LOGIC["en"].__dict__)
    every = {form: [*starts.open, *(p for some in starts.by_next.values() for p in some)]
             for form, starts in ((t.form, plain._starts(t.form)) for t in lexemes(text, "en"))}  # fmt: skip
    plain._known = {
        form: type(plain._starts(form))(sorted(dict.fromkeys(found), key=lambda p: (-p.size, p.parts)), {})
        for form, found in every.items()
    }
    assert plain.hits(lexemes(text, "en")) == LOGIC["en"].hits(lexemes(text, "en"))


@pytest.mark.parametrize("lang", ["zh", "ja", "ko"])
def test_the_character_behind_narrows_what_is_tried_and_changes_nothing(lang: str) -> None:
    """Fails if a phrase of the table is passed over because of its second character."""
    narrowed, plain = LOGIC[lang], Lexicon(lang, {})
    plain._exact = narrowed._exact
    plain._known = {first: Starts(group, {}) for first, group in narrowed._exact.items()}
    for phrase in (p for group in narrowed._exact.values() for p in group):
        text = "".join("".join(sign(part)) if part != "~" else "x" for part in phrase.parts)
        for behind in ("", " x", "x"):
            found = narrowed.character_hits(text + behind)
            assert found == plain.character_hits(text + behind)
            assert found or phrase.parts[-1].endswith("_")


def test_a_run_of_letters_that_may_be_particles_is_read() -> None:
    """Fails if each letter is one step of recursion: such a word ended the worker."""
    assert cues("\u0648" * 5_000, "ar") == []


@pytest.mark.parametrize("word", ["dont", "cannot", "Straße", "ﬁne", "Привет", "cant", "x"])
def test_a_word_alone_is_read_as_it_is_in_a_sentence(word: str) -> None:
    """Fails if the short way for one word leaves the long one."""
    for lang in ("en", "de", "fr", "ru"):
        assert [*lexemes(word, lang)] == [*lexemes(f"{word} .", lang)][:-1]
