"""Few-shot prompts from a folder of JSON files: the project ships none, the texts belong to others.

A file NAME.json (`gsm8k.json`, `gsm8k_pal.json` for programs) holds `template` with {prompt}, {question} and
{solution}; `prompt`, the solved examples, or several of them by group; `stop`, a list of stop words."""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from commons.errors import ArtifactError, DataError
from commons.files import canonical_json
from eval.items import Question

FALLBACKS = {"minif2f_valid": "minif2f", "math500": "math", "aime24": "math", "amc23": "math", "mgsm_zh": "cmath"}
FALLBACKS |= {"svamp": "gsm8k", "mawps": "gsm8k"}  # benchmarks that the paper asks in no few-shot form
NUMBER_THEORY, OTHER = "numbertheory", "other"


@dataclass(frozen=True, slots=True)
class Shots:
    """Solved examples, how a question is put behind them, and where an output ends."""

    template: str
    prompts: dict[str, str]  # by group; one group "" where all questions share the examples
    stops: tuple[str, ...]

    @property
    def digest(self) -> str:
        """sha256 of all of it."""
        values = [self.template, self.prompts, list(self.stops)]
        return hashlib.sha256(canonical_json(values)).hexdigest()

    def prompt(self, question: Question, text: str) -> str:
        """The examples and then `text`, up to where the solution begins (table 2, section 5.2's few-shot form)."""
        if "" in self.prompts:
            shots = self.prompts[""]
        else:  # miniF2F: by whether the formal statement is of number theory
            shots = self.prompts[NUMBER_THEORY if NUMBER_THEORY in question.formal else OTHER]
        parts = {"{prompt}": shots, "{question}": text, "{solution}": ""}
        return _filled(self.template, parts).rstrip()


def read_shots(folder: Path, benchmark: str, form: str) -> Shots:
    """The examples of a benchmark for form `cot` or `pot`. Raises ArtifactError where there are none, DataError for a
    file that cannot be read."""
    suffix = "_pal" if form == "pot" else ""
    names = [benchmark + suffix, FALLBACKS.get(benchmark, benchmark) + suffix]
    for path in (folder / f"{name}.json" for name in names):
        if path.is_file():
            return _shots(path)
    raise ArtifactError(f"{folder} holds no examples for {benchmark} ({form}): {names[0]}.json is needed")


def has_shots(folder: Path, benchmark: str, form: str) -> bool:
    """Whether there are examples of that form for the benchmark."""
    suffix = "_pal" if form == "pot" else ""
    names = {benchmark + suffix, FALLBACKS.get(benchmark, benchmark) + suffix}
    return any((folder / f"{name}.json").is_file() for name in names)


def _shots(path: Path) -> Shots:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        template, given, stops = values["template"], values["prompt"], values["stop"]
    except (json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        raise DataError(f"{path} is no few-shot file ({error}): it needs template, prompt and stop") from None
    prompts = given if isinstance(given, dict) else {"": given}
    groups = {""} if "" in prompts else {NUMBER_THEORY, OTHER}
    if not all(isinstance(text, str) for text in prompts.values()) or not groups <= prompts.keys():
        raise DataError(f"{path}: prompt is one text, or one each for {NUMBER_THEORY} and {OTHER}")
    if "{question}" not in template or "{prompt}" not in template:
        raise DataError(f"{path}: the template lacks {{prompt}} or {{question}}")
    return Shots(template, dict(prompts), tuple(stops))


def _filled(template: str, parts: dict[str, str]) -> str:
    """The template with each part once; braces inside the parts are text."""
    found, rest = "", template
    while rest:
        places = [(rest.find(name), name) for name in parts if name in rest]
        if not places:
            return found + rest
        place, name = min(places)
        found += rest[:place] + parts[name]
        rest = rest[place + len(name) :]
    return found
