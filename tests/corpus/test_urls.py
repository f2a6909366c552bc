"""The URL key; U1 to U4 are the items of the notes' list of failures elsewhere."""

import itertools
import socket
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.urls import domain_of, is_under, path_prefixes, registrable_domain, url_key

PROPERTY = settings(max_examples=300, deadline=None, derandomize=True, database=None)
HOSTS = st.sampled_from(["a.org", "WWW.B.co.uk:80", "u:p@c.net:8080", "bücher.example", "[::1]", "127.0.0.1"])
SEGMENTS = st.sampled_from(
    ["a", "B", "..", ".", "", "%2e", "%2F", "%7Ex", "%zz", "%", "%25%34%31", "é", "\\", "x;sid=1"]
)
PARAMETERS = st.sampled_from(
    [
        "a=1",
        "B=2",
        "c",
        "",
        "a=2",
        "utm_source=x",
        "GCLID=7",
        "ref=top",
        "sid=0123456789abcdef",
        "sid=tale",
        "d=%2f",
        "e=é",
    ]
)


@st.composite
def urls(draw) -> str:
    path = "/".join(["", *draw(st.lists(SEGMENTS, max_size=5))])
    query = "&".join(draw(st.lists(PARAMETERS, max_size=5)))
    return (
        f"{draw(st.sampled_from(['http', 'HTTPS']))}://{draw(HOSTS)}{path}?{query}{draw(st.sampled_from(['', '#x']))}"
    )


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("HTTP://WWW.Example.org:80/a/pcL4f#top", "www.example.org/a/pcL4f"),
        ("https://example.org:443", "example.org/"),
        ("https://example.org/a/pCL4f?utm_source=x&id=3&fbclid=y", "example.org/a/pCL4f?id=3"),
        ("https://example.org/a%2Fb", "example.org/a%2Fb"),
        ("https://example.org/a%2fb%7eC%41?q=%c3%a9", "example.org/a%2Fb~CA?q=%C3%A9"),
        ("https://example.org/é b|", "example.org/%C3%A9%20b%7C"),
        ("https://example.org/100%?x=5%zz", "example.org/100%25?x=5%25zz"),
        ("https://example.org/a/./b/../../c/..", "example.org/"),
        ("https://example.org/../../a/%2e%2e/b", "example.org/b"),
        ("https://example.org\\a\\b?c\\d", "example.org/a/b?c%5Cd"),
        ("https://user:pw@example.org", "example.org/"),
        ("https://example.org:8443/x;jsessionid=A1?b=2&a=1", "example.org:8443/x?a=1&b=2"),
        ("https://example.org/(S(lit3py55t21z5v55vlm25s55))/x.aspx", "example.org/x.aspx"),
        ("https://example.org/x?PHPSESSID=1&sid=0123456789abcdef0123456789abcdef&p=1", "example.org/x?p=1"),
        (
            "https://example.org/x?sid=08/01/tale&s=olympiad+2020+problems",
            "example.org/x?s=olympiad+2020+problems&sid=08/01/tale",
        ),
        ("https://example.org/x?ref=homepage&utm_content=top", "example.org/x"),
        ("https://example.org/x?ref=main", "example.org/x?ref=main"),
        ("https://example.org/x?&&a=1&", "example.org/x?a=1"),
        ("https://BÜCHER.example./x", "xn--bcher-kva.example/x"),
        ("https://ex%61mple.org/", "example.org/"),
        ("http://[2001:DB8:0::1]:80/x", "[2001:db8::1]/x"),
        ("<http://example.org/wget>", "example.org/wget"),
    ],
)
def test_a_key_names_the_page_and_keeps_its_letters(url, key):
    assert url_key(url) == key


@pytest.mark.parametrize(
    "url",
    [
        "",
        "urn:uuid:1",
        "metadata://wget",
        "ftp://a.org/",
        "http://",
        "http://[::1/x",
        "http://[x]/",
        "http://a.org:99999/",
        "http://a..org/",
        "http://a b.org/",
        "http://\ud800.org/",
        "http://[fe80::1%25eth0]/",
        "http://%00/",
    ],
)
def test_what_is_no_web_address_has_no_key(url):
    assert url_key(url) is None


def test_u1_letters_of_the_path_and_escaped_slashes_tell_pages_apart():
    assert url_key("http://a.org/a/pcL4f") != url_key("http://a.org/a/pCL4f")
    assert url_key("http://a.org/a%2Fb") != url_key("http://a.org/a/b")


def test_u2_addresses_of_one_page_have_one_key():
    host, way = ["a.org", "A.ORG:80", "me:secret@a.org."], ["/b/c", "/b/./c", "/b/x/../c", "/%62/c"]
    rest = ["?d=1", "?d=1#end", "?utm_medium=mail&d=1&fbclid=x", "?gclid=7&d=1"]
    found = {url_key(f"https://{''.join(parts)}") for parts in itertools.product(host, way, rest)}
    assert found == {"a.org/b/c?d=1"}


def test_u3_the_list_of_suffixes_is_never_fetched(monkeypatch):
    def refuse(*_: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    assert registrable_domain("deep.www.example.co.uk/x") == "example.co.uk"


def test_u4_each_user_of_a_hosting_service_is_a_domain():
    assert domain_of("ann.github.io/x") != domain_of("bob.github.io/x")
    assert domain_of("www.a.org/x") == domain_of("a.org/y")
    assert registrable_domain("www.ann.github.io/x") == "ann.github.io"
    assert registrable_domain("x.blogspot.com/") == "x.blogspot.com"


@pytest.mark.parametrize(
    ("key", "domain"),
    [
        ("github.io/", "github.io"),
        ("10.0.0.1:8000/x", "10.0.0.1"),
        ("localhost/", "localhost"),
        ("[::1]/", "[::1]"),
        ("a.b.xn--55qx5d.cn/", "b.xn--55qx5d.cn"),
        ("www.a.org:8080/x", "a.org"),
    ],
)
def test_what_nobody_registered_is_its_own_domain(key, domain):
    assert registrable_domain(key) == domain


@PROPERTY
@given(urls())
def test_a_key_is_its_own_key(url):
    key = url_key(url)
    assert key is not None
    assert url_key("http://" + key) == url_key("https://" + key) == key


@PROPERTY
@given(st.text() | st.builds("http://{}".format, st.text()) | urls().map(lambda url: quote(url, safe=":/%@?&#")))
def test_no_text_raises_and_every_key_is_its_own_key(text):
    key = url_key(text)
    assert key is None or url_key("http://" + key) == key


@PROPERTY
@given(st.permutations(["a=1", "a1=2", "A=3", "b", "c=%2F", "utm_id=4", "ref=x"]))
def test_the_order_of_parameters_of_different_names_does_not_matter(parameters):
    assert url_key("http://a.org/?" + "&".join(parameters)) == "a.org/?A=3&a=1&a1=2&b&c=%2F"


def test_prefixes_are_whole_folders():
    assert path_prefixes("a.org/q/maths/12/title?x=1", depth=2) == ["a.org", "a.org/q", "a.org/q/maths"]
    assert is_under("www.a.org/questions/7", "a.org/questions")
    assert not is_under("a.org/questions-archive/7", "a.org/questions")
