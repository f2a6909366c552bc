from corpus.decontaminate import Item, grams_of, items_of, quoted_from_json, quoted_items, quoted_to_json

QUESTION = "Janet has 16 ducks and sells every second egg of each of them at the market"
SHORT = "Compute $\\tan 60^\\circ$."


def quoted(text: str, *items: Item) -> list[str]:
    return [one.benchmark for one in quoted_items(text, items, grams_of(items, gram_tokens=10))]


def test_ten_words_in_a_row_are_a_quotation_and_nine_are_none():
    item = Item("gsm8k.test:3", "question", QUESTION)
    words = QUESTION.split()
    assert quoted("See: " + " ".join(words[2:12]) + "!", item) == ["gsm8k.test:3"]
    assert quoted("See: " + " ".join(words[2:11]) + "!", item) == []


def test_a_quotation_across_lines_is_found():
    assert quoted(QUESTION.replace(" ", "\n"), Item("a:0", "question", QUESTION)) == ["a:0"]


def test_a_text_of_three_to_nine_words_counts_only_whole():
    item = Item("math.test:7", "problem", SHORT)
    assert quoted("Exercise: compute $\\tan 60^\\circ$. Then rest.", item) == ["math.test:7"]
    assert quoted("Compute $\\tan 45^\\circ$.", item) == []


def test_chinese_questions_are_counted_in_characters():
    item = Item("cmath.test:0", "question", "妈咪买了3盒茶叶，一盒茶叶有6小包，一共买了多少小包茶叶？")
    assert quoted("例题 一盒茶叶有6小包,一共买了多少小包 解", item) == ["cmath.test:0"]
    assert quoted("茶叶一共有6包", item) == []


def test_questions_are_found_in_the_fields_of_all_benchmark_files():
    def fields(row, answers=True):
        return [(one.field, one.text) for one in items_of("x.jsonl", 4, row, answers=answers, gram_tokens=10)]

    assert fields({"Body": "Dan had 3.", "Question": "How many?"}) == [("Question", "Dan had 3. How many?")]
    assert fields({"messages": [{"role": "user", "content": "Hi?"}, {"role": "assistant", "content": ""}]}) == [
        ("messages", "Hi?")
    ]
    assert fields({"question": "Q", "answer": "42"}) == [("question", "Q")]
    assert fields({"question": "Q", "answer": QUESTION}) == [("question", "Q"), ("answer", QUESTION)]
    assert fields({"question": "Q", "answer": QUESTION}, answers=False) == [("question", "Q")]


def test_a_finding_survives_its_way_through_a_data_frame():
    item = Item("a:0", "question", QUESTION)
    found = quoted_items(QUESTION, [item], grams_of([item], gram_tokens=10))
    assert found[0].grams == len(QUESTION.split()) - 9
    assert quoted_from_json(quoted_to_json(found)) == found
    assert quoted_to_json([]) == ""
