"""Charsets as browsers find them."""

import codecs

import pytest
import webencodings.labels

from corpus.charset import charset_of, decode

CHINESE = "中文网页，编码测试：一元二次方程"


def test_a_page_that_says_gb2312_is_read_as_its_superset():
    rare = "朱镕基说" + CHINESE  # the second character is not in GB 2312
    body = f'<html><head><meta charset="gb2312"></head><body>{rare}'.encode("gb18030")
    assert rare in decode(body, "text/html")


def test_the_header_goes_before_the_meta_tag_and_a_mark_before_both():
    body = b'<meta charset="iso-8859-1">' + CHINESE.encode()
    assert charset_of(body, "text/html; charset=UTF-8") == "utf-8"
    assert CHINESE in decode(b"\xef\xbb\xbf" + CHINESE.encode(), "text/html; charset=gbk")
    assert CHINESE in decode(codecs.BOM_UTF16_BE + CHINESE.encode("utf-16-be"), "text/html; charset=gbk")


@pytest.mark.parametrize("name", ["no-such-thing", "", "utf-32", "none", "\u1234", "replacement", "a" * 5000])
def test_c2_an_unknown_charset_name_is_passed_over(name):
    body = f'<meta charset="utf-8">{CHINESE}'.encode()
    assert CHINESE in decode(body, f"text/html; charset={name}")
    bogus = f'<meta charset="{name}">{CHINESE}'.encode()
    assert CHINESE in decode(bogus, "text/html")


def test_c4_undecodable_bytes_and_control_characters_never_lose_the_page():
    assert decode(b"a\x00b\xff c", "text/html; charset=utf-8") == "a b\ufffd c"
    assert "word" in decode(b"\x00\x01\x02 word \xff\xfe\xfd", "")


@pytest.mark.parametrize("label", sorted(webencodings.labels.LABELS))
def test_every_label_of_the_standard_decodes_any_bytes(label):
    assert decode(bytes(range(1, 256)), f"text/html; charset={label}")


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("gb2312", "gb18030"),
        ("GBK", "gb18030"),
        ("chinese", "gb18030"),
        ("iso-8859-1", "cp1252"),
        ("latin1", "cp1252"),
        ("us-ascii", "cp1252"),
        ("iso-8859-9", "cp1254"),
        ("shift_jis", "cp932"),
        ("x-sjis", "cp932"),
        ("ks_c_5601-1987", "cp949"),
        ("big5", "big5hkscs"),
        ("tis-620", "cp874"),
        ("koi", "koi8-r"),
        ("x-mac-cyrillic", "mac_cyrillic"),
        ("utf8", "utf-8"),
        ("unicode-1-1-utf-8", "utf-8"),
    ],
)
def test_aliases_mean_what_the_standard_says(label, name):
    assert charset_of(b"abc \xe4", f'text/html; charset="{label}"') == name
    assert charset_of(f"<meta charset={label}>abc".encode() + b"\xe4", "text/html") == name


@pytest.mark.parametrize(
    "head",
    [
        '<meta charset="gbk">',
        "<META CHARSET=gbk />",
        "<meta http-equiv='Content-Type' content='text/html; charset=gbk'>",
        '<meta content="text/html;charset = gbk" http-equiv=content-type>',
        '<!-- <meta charset="utf-8"> --><meta charset="gbk">',
        '<meta name="description" content="charset=utf-8"><meta charset="gbk">',
        '<meta name="a > b"><meta/charset="gbk">',
        '<?xml version="1.0" encoding="gbk"?><html>',
        f"<title>x</title><!--{' ' * 3000}--><meta charset=gbk>",  # behind the first 1024 bytes
    ],
)
def test_the_meta_tag_is_found_as_browsers_find_it(head):
    assert charset_of(head.encode() + CHINESE.encode("gb18030"), "text/html") == "gb18030"


def test_a_meta_tag_cannot_say_utf_16_nor_x_user_defined():
    assert charset_of(b'<meta charset="utf-16">', "") == "utf-8"
    assert charset_of(b'<meta charset="utf-16be">', "") == "utf-8"
    assert charset_of(b'<meta charset="x-user-defined">', "") == "cp1252"


def test_a_header_can_say_both():
    assert decode("<p>Zwölf".encode("utf-16-le"), "text/html; charset=utf-16") == "<p>Zwölf"
    assert decode("<p>Zwölf".encode(), "text/html; charset=utf-16") == "<p>Zwölf", "but not over single bytes"
    assert decode(b"a\x80\xff", "text/html; charset=x-user-defined") == "a\uf780\uf7ff"


def test_windows_1252_has_no_byte_that_means_nothing():
    assert "\ufffd" not in decode(bytes(range(32, 127)) + bytes(range(128, 256)), "text/html; charset=latin1")


@pytest.mark.parametrize(
    "charset", ["gb18030", "big5", "shift_jis", "euc-jp", "euc-kr", "windows-1251", "utf-8", "latin-1"]
)
def test_a_page_that_names_no_charset_is_detected(charset):
    texts = {
        "gb18030": CHINESE,
        "big5": "繁體中文的網頁沒有說明編碼，這是一個測試，一元二次方程式",
        "shift_jis": "これは文字コードを示さない日本語のページです。二次方程式の解の公式",
        "euc-jp": "これは文字コードを示さない日本語のページです。二次方程式の解の公式",
        "euc-kr": "이것은 문자 집합을 밝히지 않은 한국어 페이지입니다. 이차방정식의 근의 공식",
        "windows-1251": "Это страница на русском языке без указания кодировки, квадратное уравнение",
        "latin-1": "Ceci est une page en français, été, où l'équation du second degré est résolue",
        "utf-8": "Größe und Länge: äöüß",
    }
    body = f"<html><body><p>{texts[charset] * 4}</p>".encode(charset)
    assert texts[charset] in decode(body, "text/html")


def test_a_character_cut_in_two_does_not_make_another_charset():
    assert decode(CHINESE.encode()[:-1], "") == CHINESE[:-1] + "\ufffd"


def test_hz_is_read_although_browsers_refuse_it():
    assert CHINESE[:4] in decode(CHINESE[:4].encode("hz"), "text/html; charset=hz-gb-2312")
