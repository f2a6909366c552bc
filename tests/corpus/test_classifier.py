"""Items F1 to F12 of the notes' list of known failures, each as a small case."""

import importlib.metadata
import itertools

import pytest

from corpus.classifier import ENDS, MATHS, OTHER, Scorer, fasttext_line, quantise, train, write_training_file
from corpus.tokens import count_formulas

SETTINGS = {"dimensions": 8, "learning_rate": 0.5, "word_ngrams": 2, "min_count": 1, "epochs": 20, "buckets": 1000}
MATHS_TEXTS = [f"the integral of x^{power} over the interval is a fraction" for power in range(20)]
OTHER_TEXTS = [f"bake the bread for {minutes} minutes and serve it warm" for minutes in range(20)]
PAIRS = [
    pair
    for texts in zip([*MATHS_TEXTS, *["求函数的积分"] * 5], [*OTHER_TEXTS, *["今天去公园玩"] * 5], strict=True)
    for pair in zip((True, False), texts, strict=True)
]


def model_of(folder, pairs=PAIRS, name="m.bin", **settings):
    write_training_file(folder / f"{name}.txt", pairs)
    return train(folder / f"{name}.txt", folder / name, **{"seed": 3, **SETTINGS, **settings})


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    return model_of(tmp_path_factory.mktemp("model"))


def test_f2_a_newline_separates_words_and_never_reaches_the_library(trained):
    assert fasttext_line("A\nb\r\nc") == "a b c"
    assert Scorer(str(trained.path)).log_odds("the integral\nof a fraction") > 0


def test_f3_a_label_in_the_text_is_no_class(tmp_path):
    assert fasttext_line("A\nb __label__maths 积分") == "a b _ _ label _ _ maths 积 分"
    pairs = [*PAIRS, *[(False, "__label__spam bread and __label__maths butter")] * 10]
    scorer = Scorer(str(model_of(tmp_path, pairs).path))
    assert set(scorer.labels) == {MATHS, OTHER}


def test_f4_empty_text_and_text_of_unknown_words_have_no_score(trained):
    scorer = Scorer(str(trained.path))
    assert scorer.log_odds("") is None
    assert scorer.log_odds(" \n\u00a0") is None
    assert scorer.log_odds("zyzzyva qwertz qwertz") is None
    assert scorer.log_odds("zyzzyva integral") is not None


def test_f4_texts_without_a_word_are_not_trained_on(tmp_path):
    assert write_training_file(tmp_path / "t.txt", [(True, ""), (True, "a"), (False, "\n"), (False, "b")]) == (1, 1)


def test_f5_chinese_is_cut_into_characters_in_training_and_prediction(trained):
    assert fasttext_line("函数f(x)的积分") == "函 数 f ( x ) 的 积 分"
    scorer = Scorer(str(trained.path))
    assert scorer.log_odds("请求积分") > 0 > scorer.log_odds("去公园")


def test_f5_latex_latin_and_japanese_are_tokens_alike():
    assert fasttext_line(r"Let $\frac{a_1}{2}$ be ひらがな 한글") == (
        r"let $ \frac { a _ 1 } { 2 } $ be ひ ら が な 한 글"
    )


def test_f6_equal_training_files_give_equal_models(trained, tmp_path):
    again = model_of(tmp_path)
    assert again.path.read_bytes() == trained.path.read_bytes()
    assert model_of(tmp_path, seed=4, name="other.bin").path.read_bytes() != trained.path.read_bytes()


def test_f7_nan_is_tried_again_at_a_lower_rate_and_counted(tmp_path):
    found = model_of(tmp_path, learning_rate=100.0)
    assert found.nan_attempts >= 1
    assert found.learning_rate == 100.0 * 0.25**found.nan_attempts
    assert Scorer(str(found.path)).log_odds("the integral of a fraction") is not None
    with pytest.raises(RuntimeError, match="Encountered NaN at every rate"):
        model_of(tmp_path, learning_rate=1e12, name="hopeless.bin")


def test_f11_letters_outside_ascii_are_kept():
    assert fasttext_line("Fläche größer, наука") == "fläche größer , наука"


def test_f12_one_distribution_alone_provides_the_module():
    owners = importlib.metadata.packages_distributions()["fasttext"]
    assert set(owners) == {"fasttext-community"}


def test_c4_control_characters_never_reach_the_library():
    assert fasttext_line("a\0b\x07 c\u200bd") == "a b c d"


def test_mathematics_scores_above_the_rest(trained):
    scorer = Scorer(str(trained.path))
    assert scorer.log_odds("the integral of a fraction") > 0 > scorer.log_odds("serve the bread warm")


def test_f1_a_quantised_copy_is_smaller_agrees_and_is_the_same_each_time(tmp_path):
    full = model_of(tmp_path, dimensions=32, buckets=20_000).path
    for name in ("one.ftz", "two.ftz"):
        quantise(full, tmp_path / name, vectors=300)
    small = tmp_path / "one.ftz"
    assert small.read_bytes() == (tmp_path / "two.ftz").read_bytes()
    assert small.stat().st_size < full.stat().st_size / 4
    one, two = Scorer(str(full)), Scorer(str(small))
    texts = [text for _, text in PAIRS]
    assert sum((one.log_odds(text) > 0) == (two.log_odds(text) > 0) for text in texts) >= 0.9 * len(texts)
    assert two.log_odds("zyzzyva") is None
    assert all(abs(two.log_odds(text)) <= ENDS for text in texts)


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (r"so $x^2$ and $$y = 1$$", 2),
        (r"so \(x\) and \[y\]", 2),
        (r"\begin{align} a &= b \end{align}", 1),
        ("from $5 to $9, or 3 $ and 4 $", 0),
        (r"it costs \$5 and \$6", 0),
        ("$x$-axis, the $n$ th", 2),
    ],
)
def test_formulas_are_counted_and_prices_are_not(text, formulas):
    assert count_formulas(text) == formulas


def test_training_order_is_that_of_the_examples(tmp_path):
    write_training_file(tmp_path / "t.txt", PAIRS)
    labels = [line.split(" ", 1)[0] for line in (tmp_path / "t.txt").read_text().splitlines()]
    assert labels[:4] == [MATHS, OTHER, MATHS, OTHER]
    assert all(one != two for one, two in itertools.pairwise(labels))


def test_a_short_text_says_less_than_a_long_one_of_the_same_words(trained):
    path = str(trained.path)
    plain, shrunk = Scorer(path), Scorer(path, prior_words=10)
    short, long = "the integral of a fraction", " ".join(["the integral of a fraction"] * 10)
    assert shrunk.log_odds(short) == pytest.approx(plain.log_odds(short) * 5 / 15)
    assert shrunk.log_odds(long) == pytest.approx(plain.log_odds(long) * 50 / 60)
    assert shrunk.log_odds(long) > shrunk.log_odds(short) > 0
    assert shrunk.log_odds("zyzzyva") is None
