"""The chat form, its suffixes, and the grammar of fences."""

import pytest

from commons.prompts import (
    FORMS,
    LANGUAGES,
    cut_at_next_question,
    few_shot,
    last_output,
    output_block,
    programs,
    prompt,
    prose,
)


def test_a_prompt_is_question_line_suffix_line_and_assistant():
    assert prompt(" What is 1+1?\n", "cot", "en") == (
        "User: What is 1+1?\nPlease reason step by step, and put your final answer within \\boxed{}.\n\nAssistant:"
    )


@pytest.mark.parametrize("form", ["cot", "tool"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_backslash_before_boxed_is_a_real_one(form, language):
    text = prompt("q", form, language)
    assert "\\boxed{}" in text
    assert "\x08" not in text


def test_every_form_has_a_prompt_in_every_language():
    assert len({prompt("q", form, language) for form in FORMS for language in LANGUAGES}) == 6


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="no prompt for form 'poem'"):
        prompt("q", "poem", "en")


def test_few_shot_ends_where_the_answer_begins():
    text = few_shot([("1+1?", "It is 2.")], "2+2?")
    assert text == "Question: 1+1?\nAnswer: It is 2.\n\nQuestion: 2+2?\nAnswer:"


def test_a_fence_word_inside_a_program_does_not_end_it():
    text = 'Run:\n```python\nprint("```")\nx = 1  # ``` no\n```\nDone.'
    assert programs(text) == ['print("```")\nx = 1  # ``` no\n']
    assert prose(text) == "Run:\n\nDone."


def test_an_open_program_is_not_run_and_a_second_opening_starts_anew():
    assert programs("```python\nprint(1)\n") == []
    assert programs("```python\nprint(1)\n```python\nprint(2)\n```") == ["print(2)\n"]


def test_the_last_output_block_is_what_the_program_printed():
    text = f"```python\nprint(3)\n```\n{output_block(' 3 ')}so\n```python\nprint(4)\n```\n{output_block('4')}"
    assert last_output(text) == "4"
    assert programs(text) == ["print(3)\n", "print(4)\n"]


@pytest.mark.parametrize("marker", ["User: next", "Question: next", "问题：下一个", "问题 2. 下一个"])
def test_text_after_the_next_question_is_cut(marker):
    assert cut_at_next_question(f"It is 2.\n\n{marker}") == "It is 2."


def test_the_word_question_inside_a_sentence_or_at_the_start_cuts_nothing():
    for text in ("Identify the Question: how many?\nThe FAQ: none", "\nQuestion: restated\n7"):
        assert cut_at_next_question(text) == text
