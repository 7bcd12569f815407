"""Charsets: which evidence decides, what is detected, and what is repaired."""

import pytest

from headwater.text.charset import decode_text, fix_encoding
from headwater.text.legacy_charsets import guess_legacy_charset
from headwater.text.letters import replace_surrogates

TEXT = "Größe, café, naïve \u2013 “quoted”"


def test_the_byte_order_mark_outranks_the_header():
    decoded = decode_text("\ufeffGröße".encode(), "text/html; charset=iso-8859-1")
    assert (decoded.text, decoded.charset, decoded.origin) == ("Größe", "utf-8", "byte-order mark")


def test_the_header_outranks_the_page():
    data = '<meta charset="iso-8859-1">Größe'.encode()
    decoded = decode_text(data, "text/html; charset=UTF-8")
    assert "Größe" in decoded.text
    assert decoded.origin == "header"


@pytest.mark.parametrize(
    "meta",
    [
        '<meta charset="windows-1252">',
        '<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-1">',
    ],
)
def test_the_page_names_its_charset_and_the_web_means_the_windows_one(meta):
    decoded = decode_text((meta + TEXT).encode("cp1252"), None)
    assert TEXT in decoded.text
    assert (decoded.charset, decoded.origin) == ("cp1252", "meta")


def test_a_false_declaration_is_not_believed():
    text = "<p>" + "Привет, мир! " * 40
    decoded = decode_text(b'<meta charset="utf-8">' + text.encode("cp1251"), "text/html; charset=utf-8")
    assert "Привет, мир!" in decoded.text
    assert decoded.origin == "detected"


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("cp932", "これは日本語のページです。ひらがなとカタカナ。" * 10),
        ("gb18030", "这是我们的网页\uff0c在这里有很多的内容\uff0c你是不是也为了它而来的。" * 10),
        ("cp949", "이것은 한국어 페이지입니다. 많은 글이 있습니다. " * 10),
        ("utf-8", "ελληνικά και άλλα " * 10),
        ("cp1252", "Le président «\xa0Édouard\xa0» a déclaré\xa0: «\xa0À bientôt\xa0». " * 10),
    ],
)
def test_an_undeclared_charset_is_detected(charset, text):
    decoded = decode_text(("<p>" + text).encode(charset), None)
    assert decoded.charset == charset
    assert text in decoded.text


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("euc_jp", "これは日本語のページです。ひらがなとカタカナ。" * 10),
        ("koi8_r", "Сегодня хорошая погода, и мы идём гулять в парк. " * 10),
        ("cp1253", "Σήμερα ο καιρός είναι πολύ καλός και πάμε βόλτα. " * 10),
        ("cp874", "วันนี้อากาศดีมาก เราไปเดินเล่นที่สวนสาธารณะ " * 10),
        ("cp1252", "Le président «\xa0Édouard\xa0» a déclaré\xa0: «\xa0À bientôt\xa0». " * 10),
    ],
)
def test_the_charset_of_a_feed_is_guessed_from_its_letters(charset, text):
    assert guess_legacy_charset(text.encode(charset)) == charset


def test_an_unknown_charset_is_ignored():
    assert decode_text("Größe".encode(), "text/html; charset=nonsense-7").text == "Größe"


@pytest.mark.parametrize("label", ["hex", "zip", "rot13", "unicode_escape", "utf-7"])
def test_a_codec_that_is_not_an_alphabet_is_never_used(label):
    decoded = decode_text("Größe".encode(), f"text/html; charset={label}")
    assert (decoded.text, decoded.origin) == ("Größe", "detected")


def test_control_characters_are_removed():
    assert decode_text(b"a\x00b\x08c\nd", None).text == "abc\nd"


def test_mojibake_is_repaired_only_on_evidence():
    broken = "itâ€™s a cafÃ© that we donâ€™t know, isnâ€™t it"
    assert fix_encoding(broken) == "it\u2019s a café that we don\u2019t know, isn\u2019t it"
    assert fix_encoding("Ã alone stays") == "Ã alone stays"


def test_lone_surrogates_are_replaced():
    assert replace_surrogates("a\ud800b") == "a\ufffdb"
