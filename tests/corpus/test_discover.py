"""What a round makes of its domains: which patterns it accepts, and which of earlier rounds it takes back."""

from corpus.config import Domains
from corpus.discover import discover
from corpus.frames import from_rows
from corpus.patterns import ACCEPT, OPEN, Pattern
from corpus.review import PERSON, RULE

FOLDER = "a.org/maths"


def round_of(counts, *, number=2, known=(), reviewed=()):
    """Discovery over pages of folders: `counts` gives (collected, others) of each."""
    rows = [
        (f"{folder}/{mine}{page}.html", mine)
        for folder, numbers in counts.items()
        for mine, count in zip((True, False), numbers, strict=True)
        for page in range(count)
    ]
    frame = from_rows(
        {
            "id": [key for key, _ in rows],
            "key": [key for key, _ in rows],
            "url": [f"https://{key}" for key, _ in rows],
            "domain": [key.split("/", 1)[0] for key, _ in rows],
            "tokens": [10] * len(rows),
            "collected": [mine for _, mine in rows],
        }
    )
    return discover(frame, Domains(pattern_pages=4), number, reviewed=reviewed, known=known, seed=0)


def verdict(found, pattern=FOLDER):
    return next((one.decision, one.decided_by, one.round) for one in found.patterns if one.pattern == pattern)


def test_a_folder_of_a_maths_domain_is_accepted_and_lets_its_other_pages_in():
    found = round_of({FOLDER: (4, 2), "a.org/cooking": (0, 10)}, number=1)
    assert verdict(found) == (ACCEPT, RULE, 1)
    assert set(found.lets_in.values()) == {FOLDER}
    assert len(found.lets_in) == 2
    assert not found.withdrawn


def test_a_pattern_stays_while_its_domain_is_about_mathematics_and_goes_with_it():
    known = round_of({FOLDER: (4, 2), "a.org/cooking": (0, 10)}, number=1).patterns
    poorer = round_of({FOLDER: (2, 4), "a.org/cooking": (0, 10)}, known=known)
    assert verdict(poorer) == (ACCEPT, RULE, 1)
    assert not poorer.withdrawn
    left = round_of({FOLDER: (1, 5), "a.org/cooking": (0, 10)}, known=known)
    assert left.withdrawn == {FOLDER}
    assert verdict(left) == (OPEN, "", 2)
    assert not left.lets_in


def test_the_word_of_a_person_is_never_taken_back():
    mine = Pattern(FOLDER, "a.org", 6, 4, 1, ACCEPT, PERSON)
    found = round_of({FOLDER: (0, 6), "a.org/cooking": (0, 10)}, known=[mine], reviewed=[mine])
    assert verdict(found) == (ACCEPT, PERSON, 1)
    assert len(found.lets_in) == 6
    assert not found.withdrawn
