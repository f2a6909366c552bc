import pytest

from corpus.urls import domain_of, is_under, path_prefixes, url_key


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("HTTP://WWW.Example.org:80/a/pcL4f#top", "www.example.org/a/pcL4f"),
        ("https://example.org/a/pCL4f?utm_source=x&id=3&fbclid=y", "example.org/a/pCL4f?id=3"),
        ("https://example.org/a%2Fb", "example.org/a%2Fb"),
        ("https://user:pw@example.org", "example.org/"),
        ("https://example.org:8443/x;jsessionid=A1?b=2&a=1", "example.org:8443/x?b=2&a=1"),
        ("<http://example.org/wget>", "example.org/wget"),
    ],
)
def test_a_key_names_the_page_and_keeps_its_letters(url, key):
    assert url_key(url) == key


@pytest.mark.parametrize(
    "url", ["", "urn:uuid:1", "metadata://wget", "http://", "http://[::1/x", "http://a.org:99999/"]
)
def test_what_is_no_web_address_has_no_key(url):
    assert url_key(url) is None


def test_each_user_of_a_hosting_service_is_a_domain():
    assert domain_of("ann.github.io/x") != domain_of("bob.github.io/x")
    assert domain_of("www.a.org/x") == domain_of("a.org/y")


def test_prefixes_are_whole_folders():
    assert path_prefixes("a.org/q/maths/12/title?x=1", depth=2) == ["a.org", "a.org/q", "a.org/q/maths"]
    assert is_under("www.a.org/questions/7", "a.org/questions")
    assert not is_under("a.org/questions-archive/7", "a.org/questions")
