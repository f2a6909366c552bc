"""Rows of our own making in the published form of each benchmark, and few-shot files for them."""

import json

from commons.shards import write_jsonl

ROWS = {
    "gsm8k": [{"question": "Ann has 1 pear and gets 2. How many?", "answer": "1+2=3\n#### 3"}] * 2,
    "math": [
        {"problem": "What is $1+3$?", "level": "Level 1", "type": "Algebra", "solution": "It is $\\boxed{4}$."},
        {"problem": "What is $2+3$?", "level": "Level 5", "type": "Geometry", "solution": "It is $\\boxed{5}$."},
    ],
    "ocw": [{"problem": "How fast is it, in m/s?", "solution": "", "answer": "2.5", "id": "0"}],
    "sat": [{"id": "0", "question": "Which?", "options": "A) $1$ B) $2$ C) $3$ D) $4$", "Answer": "B"}],
    "mmlu_stem": [{"question": "Which?", "options": ["1", 2, "3", "4"], "answer": "C", "topic": "algebra", "id": 0}],
    "cmath": [{"grade": 3, "question": "一加二是多少？", "golden": "3", "reasoning_step": 1, "num_digits": 1}],
    "gaokao_mathcloze": [{"question": "一加三是$(\\quad)$", "answer": "$4$", "other": {"source": "made"}}],
    "gaokao_mathqa": [{"question": "选哪个？", "options": ["(A)1", "(B)2", "(C)3", "(D)4"], "label": "A C"}],
    "mgsm_zh": [{"id": "0", "messages": [{"role": "user", "content": "二加二是多少？"}], "answer": "4"}],
    "minif2f": [
        {
            "problem_name": "made_1",
            "formal_statement": 'theorem made_1:\n  shows "(1::nat) + 1 = 2"',
            "informal_statement": "Show that one and one is two.",
            "informal_proof": "By counting.",
            "header": "theory made_1 imports Main\nbegin\n\n",
            "id": "test-0",
        }
    ],
    "math500": [{"problem": "1?", "level": 2, "subject": "Algebra", "solution": "", "answer": "1"}],
    "svamp": [{"ID": "1", "Body": "Two pears", "Question": "How many?", "Answer": 2.0, "Type": "Addition"}],
    "mawps": [{"input": "Two and two ?", "target": 4.0, "type": "singleop", "idx": 0}],
    "aime24": [{"id": 1, "problem": "Find m.", "answer": "007", "question": "Find m."}],
    "amc23": [{"id": 0, "problem": "Find n.", "answer": 27.0, "question": "Find n."}],
}


def benchmark_folder(folder):
    for name, rows in ROWS.items():
        write_jsonl(folder / f"{name}.test.jsonl", rows)
    return folder


def shots_folder(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in ROWS:
        prompt = "Q: one?\nA: The answer is 1."
        values = {
            "template": "{prompt}\n\nQ: {question}\nA: {solution}",
            "prompt": {"numbertheory": "N", "other": "O"} if name == "minif2f" else prompt,
            "stop": ["\nQ:"],
        }
        (folder / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    pal = {"template": "{prompt}\n\nQ: {question}\n# Python:\n{solution}", "prompt": "Q: {x}?", "stop": ["\nQ:", "Q: "]}
    (folder / "gsm8k_pal.json").write_text(json.dumps(pal), encoding="utf-8")
    return folder
