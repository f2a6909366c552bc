from corpus.domains import HOST, REGISTRABLE, Tally, maths_domains, with_registrable


def host(name, pages, collected):
    return Tally(name, HOST, pages, 10 * pages, collected, 10 * collected)


def test_a_domain_is_about_mathematics_above_a_tenth_of_its_pages():
    tallies = with_registrable([host("a.org", 100, 10), host("b.org", 100, 11)])
    assert maths_domains(tallies, maths_share=0.1) == {"b.org"}


def test_hosts_are_added_up_to_what_somebody_registered_and_private_suffixes_are_known():
    hosts = [
        host("x.a.co.uk", 10, 1),
        host("y.a.co.uk", 30, 9),
        host("ann.github.io", 5, 5),
        host("bob.github.io", 5, 0),
    ]
    sums = {one.name: one for one in with_registrable(hosts) if one.kind == REGISTRABLE}
    assert set(sums) == {"a.co.uk", "ann.github.io", "bob.github.io"}
    assert (sums["a.co.uk"].pages, sums["a.co.uk"].collected, sums["a.co.uk"].share) == (40, 10, 0.25)


def test_a_host_below_the_threshold_counts_when_its_registrable_domain_is_above():
    hosts = [host("x.a.co.uk", 10, 1), host("y.a.co.uk", 30, 9), host("bob.github.io", 5, 0)]
    assert maths_domains(with_registrable(hosts), maths_share=0.1) == {"x.a.co.uk", "y.a.co.uk"}
