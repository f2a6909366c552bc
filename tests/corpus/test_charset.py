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


def test_an_unknown_charset_name_is_passed_over():
    body = f'<meta charset="utf-8">{CHINESE}'.encode()
    assert CHINESE in decode(body, "text/html; charset=no-such-thing")


def test_undecodable_bytes_and_control_characters_never_lose_the_page():
    assert decode(b"a\x00b\xff c", "text/html; charset=utf-8") == "a b\ufffd c"
