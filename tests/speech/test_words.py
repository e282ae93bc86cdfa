"""From text to sounds: letters, endings, numbers, tags."""

from __future__ import annotations

import pytest

from solidbody.speech.lexicon import word_sounds
from solidbody.speech.numerals import cardinal, decimal, ordinal
from solidbody.speech.phonemes import PHONEMES
from solidbody.speech.prosody import sounds_of_words
from solidbody.speech.rules import sounds_of, table_lines
from solidbody.speech.text import Manner, words_of


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("ship", "SH IH P"),
        ("make", "M EY K"),
        ("light", "L AY T"),
        ("phone", "F OW N"),
        ("knife", "N AY F"),
        ("queen", "K W IY N"),
        ("station", "S T EY SH AX N"),
        ("catch", "K AE CH"),
        ("circle", "S ER K AX L"),
        ("bridge", "B R IH JH"),
        ("think", "TH IH NG K"),
        ("picture", "P IH K CH ER"),
        ("explosion", "IH K S P L OW ZH AX N"),
        ("rain", "R EY N"),
        ("coin", "K OY N"),
    ],
)
def test_letters_sound_by_their_rules(word: str, sounds: str) -> None:
    """Words that are not in the list of irregular ones."""
    assert sounds_of(word) == tuple(sounds.split())


def test_every_rule_and_every_word_names_sounds_that_exist() -> None:
    """Else a text with them could not be spoken."""
    rules = {s for line in table_lines("rules.txt") for s in line.split(" ")[1:]} - {"-"}
    words = {s for line in table_lines("words.txt") for s in line.split(" ")[1:]}
    assert rules | words <= set(PHONEMES)


def test_the_rules_cover_every_letter() -> None:
    """No letter that stands for itself is left out."""
    for letter in "abcdefghijklmnopqrstuvwxyz":
        assert sounds_of(letter + "ot") != sounds_of("ot"), letter


@pytest.mark.parametrize(
    ("word", "sounds"),
    [
        ("moves", "M UW V Z"),  # of an irregular word
        ("stopped", "S T AA P T"),  # a doubled letter; no voice after p
        ("detected", "D IH T EH K T AX D"),  # a vowel of its own after t
        ("boxes", "B AA K S AX Z"),  # after a hiss
        ("making", "M EY K IH NG"),  # the e is gone
        ("robot's", "R OW B AA T S"),
        ("batteries", "B AE T ER IY Z"),  # y has become i
        ("proceed", "P R OW S IY D"),  # no ending
    ],
)
def test_endings_are_put_to_the_sounds_of_the_word(word: str, sounds: str) -> None:
    """-s, -ed and -ing sound by what stands before them."""
    assert word_sounds(word) == tuple(sounds.split())


def test_numbers_are_words() -> None:
    """Whole numbers, places, fractions; a code that begins with 0 is said digit by digit."""
    assert " ".join(cardinal("1234567")) == (
        "one million two hundred thirty four thousand five hundred sixty seven"
    )
    assert cardinal("0") == ["zero"]
    assert cardinal("20") == ["twenty"]
    assert cardinal("007") == ["zero", "zero", "seven"]
    assert len(cardinal("9" * 40)) == 40
    assert ordinal("21") == ["twenty", "first"]
    assert ordinal("30") == ["thirtieth"]
    assert decimal("3", "14") == ["three", "point", "one", "four"]


def _said(text: str) -> str:
    return " ".join(word.text or word.mark for word in words_of(text))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Dr. Smith, 2.5 m!", "doctor smith , two point five metres !"),
        ("1 km/h = 50%", "one kilometre per hour equals fifty percent"),
        ("at -3 degrees", "at minus three degrees"),
        ("The 3rd robot's arm...", "the third robot's arm ."),
        ("Café — naïve?", "cafe , naive ?"),
        ("1,000 Hz", "one thousand hertz"),
        ("", ""),
        ("漢字", ""),
    ],
)
def test_texts_are_said_in_words(text: str, said: str) -> None:
    """Abbreviations, units, signs; letters with marks lose them, other scripts are not spoken."""
    assert _said(text) == said


def test_names_in_large_letters_are_spelt() -> None:
    """GPS, but not STOP or NATO."""
    spelt = {word.text: word.is_spelt for word in words_of("GPS STOP NATO OK led")}
    assert spelt == {"gps": True, "stop": False, "nato": False, "ok": False, "led": False}


def test_tags_change_the_manner_within_them() -> None:
    """Percent; beyond the limits they are held; unknown tags and levels change nothing."""
    text = '<speed level="50">a<pitch level="900">b</pitch></speed>c<volume level="x">d<b>e</b>'
    manners = {word.text: word.manner for word in words_of(text)}
    assert manners["a"] == Manner(speed=0.5)
    assert manners["b"] == Manner(pitch=2.0, speed=0.5)
    assert manners["c"] == manners["d"] == manners["e"] == Manner()
    pauses = [word.pause for word in words_of('a<break time="0.5s"/>b<silence ms="200"/>')]
    assert pauses == [0.0, 0.5, 0.0, 0.2]


def _stressed(text: str) -> list[str]:
    return [
        sound.name
        for sound in sounds_of_words(words_of(text))
        if sound.stress and len(sound.name) == 2
    ]


def test_one_syllable_of_a_word_is_stressed_and_little_words_are_not() -> None:
    """Robot, again, simulation; not "the"."""
    assert _stressed("the robot") == ["OW"]
    assert _stressed("again") == ["EH"]
    assert _stressed("simulation")[-1] == "EY"


def test_a_question_ends_higher_than_it_begins_and_a_statement_lower() -> None:
    """The pitch of the last sound against the first."""
    ends: dict[str, float] = {}
    for mark in "?.":
        tones = [s.tone for s in sounds_of_words(words_of("you are ready" + mark)) if s.name]
        ends[mark] = tones[-1] - tones[0]
    assert ends["?"] > 0.0 > ends["."]
