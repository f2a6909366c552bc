from bench.web_quality import Label, figures_of_round, manuals, sites_of

LABELS = {
    "https://m.org/1": Label("m.org", True, False),
    "https://m.org/2": Label("m.org", True, False),
    "https://x.org/1": Label("x.org", False, True),
    "https://x.org/2": Label("x.org", False, False),
}


def test_figures_are_by_page_and_in_both_parts():
    found = figures_of_round({"https://m.org/1", "https://x.org/2", "https://unlabelled.org/"}, LABELS)
    assert found == {
        "precision": 0.5,
        "recall": 0.3333,
        "recall_maths_sites": 0.5,
        "recall_formulas_elsewhere": 0.0,
        "pages": 2,
        "maths_pages": 3,
    }


def test_sites_come_from_the_labels_and_seeds_of_the_second_domain_from_addresses(tmp_path):
    assert sites_of(["https://m.org/1", "https://new.org/x"], LABELS) == {"m.org", "new.org"}
    labels = {f"https://fasttext.cc/{name}": Label("fasttext.cc", False, False) for name in "abc"} | LABELS
    seeds, others = manuals(labels, tmp_path)
    assert seeds.read_text() == "https://fasttext.cc/a\n"
    assert [url for url, label in others.items() if label.maths] == ["https://fasttext.cc/b", "https://fasttext.cc/c"]
    assert len(others) == len(labels) - 1
