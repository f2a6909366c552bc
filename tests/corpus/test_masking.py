import pytest

from corpus.masking import masked


def text_of(text, **flags):
    return masked(text, **{"emails": True, "ip_addresses": True, **flags}).text


def test_addresses_are_counted_whether_or_not_they_are_masked():
    text = "Write to Ada.L+x@maths.uni-a.ac.uk (or b@c.de), server 93.184.216.34."
    plain = masked(text, emails=False, ip_addresses=False)
    assert (plain.text, plain.emails, plain.ip_addresses) == (text, 2, 1)
    assert text_of(text) == "Write to name@example.org (or name@example.org), server 192.0.2.1."
    assert text_of(text, emails=False).startswith("Write to Ada.L")


@pytest.mark.parametrize(
    "text",
    [
        "Subsubsection 6.1.2.3 and version 2.14.0.1",  # small numbers: no address
        "192.168.43.224 and 127.0.0.1 are private",
        "999.1.2.3 and 1.2.3.4.50.6",
        "at 17:12:28 on 2024-01-02T10:00:00",
        "name@example.com, x@y, $a@b$, @media, user@localhost",
        "ratio 1:2:3 and a::b",
    ],
)
def test_what_is_no_address_of_anybody_stays(text):
    assert text_of(text) == text
    assert (
        masked(text, emails=True, ip_addresses=True).emails,
        masked(text, emails=True, ip_addresses=True).ip_addresses,
    ) == (0, 0)


def test_ipv6_addresses_are_masked():
    assert text_of("host 2606:2800:220:1:248:1893:25c8:1946, and 2606:2800::1946.") == (
        "host 2001:db8::1, and 2001:db8::1."
    )


def test_masked_text_has_nothing_left_to_mask():
    once = masked("a@b.org 93.184.216.34 2606:2800::1946", emails=True, ip_addresses=True)
    assert masked(once.text, emails=True, ip_addresses=True).emails == 0
    assert masked(once.text, emails=True, ip_addresses=True).ip_addresses == 0
