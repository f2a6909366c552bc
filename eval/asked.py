"""What is asked in one evaluation: its items, their prompts and stop words, and the tasks of its protocol."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from commons.artifacts import Artifact
from commons.errors import ArtifactError, ConfigError, DataError
from commons.files import sha256_of_file
from commons.shards import read_jsonl
from eval.benchmarks import benchmark_file, file_rows, read_benchmark, reader_of, some
from eval.config import EvalConfig
from eval.graders import PROOFS
from eval.hub import hub_rows
from eval.items import Item, Question, chosen, held_out, out_of_family, shots_of
from eval.prompting import few_shot_prompt, fitting_prompt, instruct_prompt, user_message
from eval.protocols import Task, digest_of_items
from eval.shots import Shots, has_shots, read_shots

TRAIN_FILE, HELD_OUT_FILE, OUT_OF_FAMILY_FILE = "train.jsonl.zst", "heldout.jsonl.zst", "out_of_family.jsonl.zst"
BASE = "base"  # the label of a model that was never taught the chat form
TOOL_STOPS = ("```output",)  # the model shall not invent what its program prints
ROLES = "User: {question}\n{suffix}\n\nAssistant:"


@dataclass(frozen=True)
class Asking:
    """The items of both modes and how a question becomes a prompt."""

    greedy: list[Item]
    sampled: list[Item]
    prompt: Callable[[Question], str]
    stops: Callable[[Question], tuple[str, ...]]
    tasks: tuple[Task, ...]
    prompt_form: str
    published: bool  # benchmarks of others, not the recipe's questions
    in_the_prompt: int = 0  # items whose question is one of the solved examples, word for word


def recipe_asking(config: EvalConfig, questions: Artifact, *, length: Callable[[str], int], room: int) -> Asking:
    """The recipe's own questions: a base model after solved examples, any other in the chat form."""
    items = _recipe_items(questions)
    seed = config.seed
    greedy = chosen(
        items, in_distribution=config.greedy_questions, per_group=config.greedy_questions_per_group, seed=seed
    )
    sampled = chosen(
        items, in_distribution=config.sampled_questions, per_group=config.sampled_questions_per_group, seed=seed
    )
    shots = None
    if config.label == BASE:
        shots = shots_of(_rows(questions, TRAIN_FILE), config.few_shot_examples, seed)

    def prompt(question: Question) -> str:
        return fitting_prompt(question, shots, length=length, room=room)

    tasks = [
        _task(group, members, "few-shot" if shots else ROLES, "", ()) for group, members in _grouped(greedy).items()
    ]
    return Asking(greedy, sampled, prompt, lambda question: (), tuple(tasks), "recipe", published=False)


def _recipe_items(questions: Artifact) -> list[Item]:
    inside = list(_rows(questions, HELD_OUT_FILE))
    items = held_out(inside) + out_of_family(_rows(questions, OUT_OF_FAMILY_FILE), {row["family"] for row in inside})
    if not items:
        raise DataError(f"{questions.path} holds no questions: {HELD_OUT_FILE} or {OUT_OF_FAMILY_FILE} is needed")
    return items


def _rows(questions: Artifact, name: str) -> Iterator[dict[str, Any]]:
    path = questions.path / name
    return read_jsonl(path) if path.exists() else iter(())


def published_asking(
    config: EvalConfig, benchmarks: Path | None, shots_folder: Path | None, *, template: Callable[[str], str] | None
) -> Asking:
    """Published benchmarks. `template` writes a user's message in the chat form of the model or its server."""
    forms = [setting.rpartition("_")[2] for setting in config.benchmarks.settings]
    if len(set(forms)) != len(forms):
        raise ConfigError(f"benchmarks.settings asks one form twice: {', '.join(config.benchmarks.settings)}")
    greedy: list[Item] = []
    shots: dict[tuple[str, str], Shots] = {}
    tasks, leaked = [], 0
    for setting, name in _wanted(config, shots_folder):
        form, few = setting.rpartition("_")[2], setting.startswith("few_shot")
        items = some(_items(config, benchmarks, name, form, few), config.benchmarks.questions, config.seed)
        if few:
            assert shots_folder is not None  # `_wanted` says so
            shots[name, form] = read_shots(shots_folder, name, form)
            own = [item for item in items if _stands_in(item, shots[name, form])]
            leaked += len(own)
            items = items if config.protocol == "paper" else [item for item in items if item not in own]
        greedy += items
        found = shots.get((name, form))
        stops = found.stops if found else TOOL_STOPS if form == "tool" else ()
        written = found.template if found else "the model's chat template" if template else ROLES
        tasks.append(_task((name, setting), items, written, found.digest if found else "", stops))
    sampled = _sampled(config, greedy)

    def prompt(question: Question) -> str:
        examples = shots.get((question.benchmark, question.form))
        if examples is not None:
            return few_shot_prompt(question, examples)
        return template(user_message(question)) if template else instruct_prompt(question)

    def stops_of(question: Question) -> tuple[str, ...]:
        examples = shots.get((question.benchmark, question.form))
        return examples.stops if examples is not None else TOOL_STOPS if question.form == "tool" else ()

    kind = "chat template" if template else "roles"
    return Asking(greedy, sampled, prompt, stops_of, tuple(tasks), kind, published=True, in_the_prompt=leaked)


def _wanted(config: EvalConfig, shots_folder: Path | None) -> Iterator[tuple[str, str]]:
    """Each setting with the benchmarks that it asks: programs where there are examples of them, tools where named,
    proofs behind examples alone."""
    wanted = config.benchmarks
    for setting in wanted.settings:
        few = setting.startswith("few_shot")
        if few and shots_folder is None:
            raise ArtifactError(f"--shots is missing: {setting} reads its solved examples from that folder")
        for name in wanted.names:
            reader_of(name)
            if setting == "few_shot_pot" and (shots_folder is None or not has_shots(shots_folder, name, "pot")):
                continue
            if (setting == "zero_shot_tool" and name not in wanted.tool_names) or (not few and name in PROOFS):
                continue
            yield setting, name


def _items(config: EvalConfig, folder: Path | None, name: str, form: str, few: bool) -> list[Item]:
    source = config.benchmarks.hub.get(name)
    if source is None and folder is None:
        raise ArtifactError(f"no place for {name}: --benchmarks names a folder of files, benchmarks.hub.{name} a hub")
    rows = hub_rows(source) if source is not None else file_rows(folder, name)  # type: ignore[arg-type]
    return read_benchmark(name, rows, form=form, few_shot=few)


def _stands_in(item: Item, shots: Shots) -> bool:
    return any(item.question.strip() in text for text in shots.prompts.values())


def _sampled(config: EvalConfig, greedy: Sequence[Item]) -> list[Item]:
    if not config.benchmarks.sampled_questions:
        return []
    groups = _grouped([item for item in greedy if item.form == "cot" and item.benchmark not in PROOFS])
    return [
        item for members in groups.values() for item in some(members, config.benchmarks.sampled_questions, config.seed)
    ]


def _grouped(items: Sequence[Item]) -> dict[tuple[str, str], list[Item]]:
    found: dict[tuple[str, str], list[Item]] = {}
    for item in items:
        found.setdefault((item.benchmark, item.setting), []).append(item)
    return found


def _task(group: tuple[str, str], items: Sequence[Item], template: str, shots: str, stops: tuple[str, ...]) -> Task:
    return Task(group[0], group[1], len(items), digest_of_items(items), template, shots, stops)


def sources_of(config: EvalConfig, folder: Path | None, tasks: Sequence[Task]) -> dict[str, str]:
    """Where the questions of each benchmark came from: the sha256 of its file, or its place on the hub."""
    hub, names = config.benchmarks.hub, dict.fromkeys(task.benchmark for task in tasks)
    found = {name: hub[name] for name in names if name in hub}
    if folder is not None:
        found |= {name: sha256_of_file(benchmark_file(folder, name)) for name in names if name not in hub}
    return found
