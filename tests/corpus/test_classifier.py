from corpus.classifier import Scorer, fasttext_line, train, write_training_file

SETTINGS = {"dimensions": 8, "learning_rate": 0.5, "word_ngrams": 2, "min_count": 1, "epochs": 20, "buckets": 1000}
MATHS = [f"the integral of x^{power} over the interval is a fraction" for power in range(20)] + ["求函数的积分"] * 5
OTHER = [f"bake the bread for {minutes} minutes and serve it warm" for minutes in range(20)] + ["今天去公园玩"] * 5


def test_a_line_has_no_newline_no_label_and_chinese_in_characters():
    assert fasttext_line("A\nb __label__maths 积分") == "a b _ _ label _ _ maths 积 分"


def test_mathematics_scores_above_the_rest_and_unknown_words_have_no_score(tmp_path):
    assert write_training_file(tmp_path / "t.txt", MATHS, [*OTHER, ""]) == (25, 25)
    train(tmp_path / "t.txt", seed=3, **SETTINGS).save_model(str(tmp_path / "m.bin"))
    scorer = Scorer(str(tmp_path / "m.bin"))
    assert scorer.log_odds("the integral of a fraction") > 0 > scorer.log_odds("serve the bread warm")
    assert scorer.log_odds("求积分") > 0
    assert scorer.log_odds("") is None


def test_equal_training_files_give_equal_models(tmp_path):
    write_training_file(tmp_path / "t.txt", MATHS, OTHER)
    for name in ("one.bin", "two.bin"):
        train(tmp_path / "t.txt", seed=3, **SETTINGS).save_model(str(tmp_path / name))
    assert (tmp_path / "one.bin").read_bytes() == (tmp_path / "two.bin").read_bytes()
