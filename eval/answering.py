"""What a model answers: greedy or sampled outputs, its programs run in the sandbox, the tool loop, all kept on disk."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.prompts import cut_at_next_question, few_shot, programs, prompt
from commons.sandbox import Sandbox
from commons.sandbox_config import ToolConfig
from commons.sandbox_tools import tool_rounds
from commons.seeds import seed_of
from commons.shards import read_jsonl, write_jsonl
from eval.items import Item
from eval.outputs import Answer, from_row, to_row
from lm.sampling import sample


@dataclass(frozen=True)
class Asker:
    """A model and how it is asked."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerFast
    end_ids: frozenset[int]
    max_new_tokens: int
    rows_at_once: int
    sandbox: Sandbox
    tools: ToolConfig
    shots: Mapping[tuple[str, str], list[tuple[str, str]]] | None  # None: chat form

    def encode(self, text: str) -> list[int]:
        """The tokens of a text, without any that the tokenizer would add."""
        return list(self.tokenizer.encode(text, add_special_tokens=False))

    def prompt(self, item: Item) -> str:
        """The text that the model goes on from."""
        if self.shots is None:
            return prompt(item.question, item.form, item.language)
        examples = self.shots.get((item.form, item.language), [])
        room = int(self.model.config.max_position_embeddings) - self.max_new_tokens
        while True:
            text = few_shot(examples, item.question, item.language)
            if not examples or len(self.encode(text)) <= room:
                return text
            examples = examples[:-1]


def kept_answers(
    asker: Asker, items: Sequence[Item], folder: Path, *, samples: int, temperature: float, seed: int
) -> Iterator[list[Answer]]:
    """The answers of all items, chunk by chunk. After a kill a chunk that is on disk is not made again."""
    at_once = max(1, 4 * asker.rows_at_once // samples)
    by_form = sorted(items, key=lambda item: item.form)  # programs are run for a whole chunk at once; order is stable
    for number, start in enumerate(range(0, len(by_form), at_once)):
        path = folder / f"{number:05d}.jsonl"
        if not path.exists():
            made = answers(asker, by_form[start : start + at_once], samples=samples, temperature=temperature, seed=seed)
            write_jsonl(path, map(to_row, made))
        yield [from_row(row) for row in read_jsonl(path)]


def answers(asker: Asker, items: Sequence[Item], *, samples: int, temperature: float, seed: int) -> list[Answer]:
    """`samples` answers for each item, in the order of the items."""
    prompts = [asker.prompt(item) for item in items]
    keys = [item.id for item in items]
    drawn = _generate(asker, prompts, keys, samples=samples, temperature=temperature, seed=seed_of(seed, "round", 1))
    found = [
        Answer(item.id, index, text, finished, rounds=1, runs=(), prompt=asked)
        for item, asked, outputs in zip(items, prompts, drawn, strict=True)
        for index, (text, finished) in enumerate(outputs)
    ]
    forms = [item.form for item in items for _ in range(samples)]
    asked = [text for text in prompts for _ in range(samples)]
    _run_last_programs(asker, found, [place for place, form in enumerate(forms) if form == "pot"])
    tools = [place for place, form in enumerate(forms) if form == "tool"]
    _tool_loop(asker, found, asked, tools, temperature=temperature, seed=seed)
    return found


def _generate(
    asker: Asker, prompts: Sequence[str], keys: Sequence[str], *, samples: int, temperature: float, seed: int
) -> list[list[tuple[str, bool]]]:
    """Text and whether it was finished, for each output of each prompt. A prompt that leaves no room gets none."""
    tokens = [asker.encode(text) for text in prompts]
    fitting = [place for place, ids in enumerate(tokens) if len(ids) < asker.model.config.max_position_embeddings]
    drawn = sample(
        asker.model,
        [tokens[place] for place in fitting],
        outputs_per_prompt=samples,
        max_new_tokens=asker.max_new_tokens,
        temperature=temperature,
        seed=seed,
        end_ids=asker.end_ids,
        keys=[keys[place] for place in fitting],
        rows_at_once=asker.rows_at_once,
    )
    found: list[list[tuple[str, bool]]] = [[("", False)] * samples for _ in prompts]
    for place, outputs in zip(fitting, drawn, strict=True):
        texts = asker.tokenizer.batch_decode([list(output.tokens) for output in outputs], skip_special_tokens=True)
        found[place] = [_cut(text, output.finished) for text, output in zip(texts, outputs, strict=True)]
    return found


def _cut(text: str, finished: bool) -> tuple[str, bool]:
    own = cut_at_next_question(text)
    return own, finished or own != text


def _run_last_programs(asker: Asker, found: list[Answer], places: Sequence[int]) -> None:
    """Program form: run the last complete program of each answer at `places`."""
    sources = {place: written[-1] for place in places if (written := programs(found[place].text))}
    for place, run in zip(sources, asker.sandbox.run_all(list(sources.values())), strict=True):
        found[place] = replace(found[place], runs=(run,))


def _tool_loop(
    asker: Asker, found: list[Answer], prompts: Sequence[str], places: Sequence[int], *, temperature: float, seed: int
) -> None:
    """Tool form: programs are run as they are written and the model goes on from what they printed."""

    def go_on(number: int, texts: Mapping[int, str]) -> dict[int, tuple[str, bool]]:
        asked = [prompts[places[one]] + text for one, text in texts.items()]
        keys = [f"{found[places[one]].id}/{found[places[one]].sample}" for one in texts]
        stream = seed_of(seed, "round", number)
        drawn = _generate(asker, asked, keys, samples=1, temperature=temperature, seed=stream)
        return {one: output for one, [output] in zip(texts, drawn, strict=True)}

    first = [(found[place].text, found[place].finished) for place in places]
    told = tool_rounds(asker.sandbox, asker.tools, first, go_on, at_once=asker.rows_at_once)
    for place, one in zip(places, told, strict=True):
        found[place] = replace(found[place], text=one.text, finished=one.finished, rounds=one.rounds, runs=one.runs)
