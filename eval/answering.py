"""What a model answers: greedy or sampled outputs, its programs run in the sandbox, the tool loop, all kept on disk."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from commons.prompts import cut_at_next_question, programs
from commons.sandbox import Sandbox
from commons.sandbox_config import ToolConfig
from commons.sandbox_tools import tool_rounds
from commons.seeds import seed_of
from commons.shards import read_jsonl, write_jsonl
from eval.cache import Cache, written
from eval.items import Item, Question
from eval.outputs import Answer, from_row, to_row
from eval.pal import pal_program
from eval.writing import Asked, Generation, Sampling, Writer


@dataclass(frozen=True)
class Asker:
    """A model and how it is asked. Prompts and stop words are made of questions, which hold no gold answer."""

    writer: Writer
    cache: Cache
    prompt: Callable[[Question], str]
    stops: Callable[[Question], tuple[str, ...]]
    max_new_tokens: int
    rows_at_once: int
    sandbox: Sandbox
    tools: ToolConfig
    cuts_next_question: bool  # a model that was never taught to end asks itself the next question


def kept_answers(
    asker: Asker, items: Sequence[Item], folder: Path, *, samples: int, temperature: float, seed: int
) -> Iterator[list[Answer]]:
    """The answers of all items, chunk by chunk. After a kill a chunk that is on disk is not made again; one with
    failed samples is not put there."""
    at_once = max(1, 4 * asker.rows_at_once // samples)
    by_form = sorted(items, key=lambda item: item.form)  # programs are run for a whole chunk at once; order is stable
    for number, start in enumerate(range(0, len(by_form), at_once)):
        path = folder / f"{number:05d}.jsonl"
        if not path.exists():
            made = answers(asker, by_form[start : start + at_once], samples=samples, temperature=temperature, seed=seed)
            if any(answer.failure for answer in made):
                yield made
                continue
            write_jsonl(path, map(to_row, made))
        yield [from_row(row) for row in read_jsonl(path)]


def answers(asker: Asker, items: Sequence[Item], *, samples: int, temperature: float, seed: int) -> list[Answer]:
    """`samples` answers for each item, in the order of the items."""
    prompts = [asker.prompt(item.posed) for item in items]
    asked = [Asked(item.id, text, tuple(range(samples))) for item, text in zip(items, prompts, strict=True)]
    drawn = _generate(asker, items, asked, temperature=temperature, seed=seed_of(seed, "round", 1))
    found = [
        _answer(item, index, text, output)
        for item, text, outputs in zip(items, prompts, drawn, strict=True)
        for index, output in enumerate(outputs)
    ]
    asked_for = [item for item in items for _ in range(samples)]
    standing = [place for place, answer in enumerate(found) if not answer.failure]
    _run_last_programs(asker, found, asked_for, [place for place in standing if asked_for[place].form == "pot"])
    tools = [place for place in standing if asked_for[place].form == "tool"]
    _tool_loop(asker, found, asked_for, tools, temperature=temperature, seed=seed)
    return found


def _answer(item: Item, index: int, prompt: str, output: Generation) -> Answer:
    return Answer(
        item.id,
        index,
        output.text,
        output.finish != "length",
        rounds=1,
        runs=(),
        stopped=output.finish == "stop",
        prompt=prompt,
        failure=output.failure,
    )


def _generate(
    asker: Asker, items: Sequence[Item], asked: Sequence[Asked], *, temperature: float, seed: int
) -> list[list[Generation]]:
    """The outputs of each prompt; prompts with the same stop words are asked together."""
    by_stops: dict[tuple[str, ...], list[int]] = {}
    for place, item in enumerate(items):
        by_stops.setdefault(asker.stops(item.posed), []).append(place)
    found: list[list[Generation]] = [[] for _ in asked]
    for stops, places in by_stops.items():
        sampling = Sampling(temperature, asker.max_new_tokens, seed, stops)
        drawn = written(asker.writer, asker.cache, [asked[place] for place in places], sampling)
        for place, outputs in zip(places, drawn, strict=True):
            found[place] = [_cut(one) for one in outputs] if asker.cuts_next_question else outputs
    return found


def _cut(output: Generation) -> Generation:
    own = cut_at_next_question(output.text)
    return output if own == output.text else replace(output, text=own, finish="stop")


def _run_last_programs(asker: Asker, found: list[Answer], items: Sequence[Item], places: Sequence[int]) -> None:
    """Program form: run the program of each answer at `places`; behind solved examples it is put together first."""
    sources: dict[int, str] = {}
    for place in places:
        text = found[place].text
        source = pal_program(text) if items[place].few_shot else next(reversed(programs(text)), None)
        if source is not None:
            sources[place] = source
    for place, run in zip(sources, asker.sandbox.run_all(list(sources.values())), strict=True):
        found[place] = replace(found[place], runs=(run,))


def _tool_loop(
    asker: Asker, found: list[Answer], items: Sequence[Item], places: Sequence[int], *, temperature: float, seed: int
) -> None:
    """Tool form (section 3.1): programs are run as they are written and the model goes on from what they printed."""
    failures: dict[int, str] = {}

    def go_on(number: int, texts: Mapping[int, str]) -> dict[int, tuple[str, bool]]:
        answers_now = [found[places[one]] for one in texts]
        asked = [
            Asked(f"{answer.id}/{answer.sample}", answer.prompt, (0,), text)
            for answer, text in zip(answers_now, texts.values(), strict=True)
        ]
        of_round = seed_of(seed, "round", number)
        drawn = _generate(asker, [items[places[one]] for one in texts], asked, temperature=temperature, seed=of_round)
        failures.update({one: output.failure for one, [output] in zip(texts, drawn, strict=True) if output.failure})
        return {one: (output.text, output.finish != "length") for one, [output] in zip(texts, drawn, strict=True)}

    first = [(found[place].text, found[place].finished) for place in places]
    told = tool_rounds(asker.sandbox, asker.tools, first, go_on, at_once=asker.rows_at_once)
    for number, (place, one) in enumerate(zip(places, told, strict=True)):
        found[place] = replace(
            found[place],
            text=one.text,
            finished=one.finished,
            rounds=one.rounds,
            runs=one.runs,
            failure=failures.get(number, ""),
        )
