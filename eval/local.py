"""A model in this process: a Hugging Face causal model, asked through `lm.sampling`."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerFast

from commons.answers.extraction import cut_at_stops
from commons.errors import ArtifactError
from commons.files import canonical_json, sha256_of_file
from commons.seeds import seed_of
from eval.writing import Asked, Generation, Keep, Sampling
from lm.sampling import Sample, sample

WEIGHTS = ("*.safetensors", "*.bin", "config.json", "generation_config.json")
TOKENIZER = ("tokenizer*", "vocab*", "merges*", "special_tokens_map.json", "chat_template*", "added_tokens.json")
STEP_TOKENS = 128  # after so many tokens it is looked whether a stop word has come


class LocalWriter:
    """Outputs of a model that is held in memory. `special` lets the tokenizer add what it adds: one start token."""

    def __init__(
        self,
        model: PreTrainedModel,
        tokenizer: PreTrainedTokenizerFast,
        *,
        end_ids: frozenset[int],
        rows_at_once: int,
        digests: dict[str, str],
        special: bool = False,
    ) -> None:
        self.model, self.tokenizer = model, tokenizer
        self._end_ids, self._rows, self._digests, self._special = end_ids, rows_at_once, digests, special

    @property
    def identity(self) -> dict[str, str]:
        """Digests of the weights and of the tokenizer."""
        return self._digests

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. Raises ArtifactError for a second start token: the template has one already."""
        ids = list(self.tokenizer.encode(text, add_special_tokens=self._special))
        start = self.tokenizer.bos_token_id
        if self._special and start is not None and ids[:2] == [start, start] and start not in self._end_ids:
            ids = ids[1:]  # the text brought one along
        # a template may begin each turn with it; twice at once is a mistake
        if start is not None and ids[:2] == [start, start] and start not in self._end_ids:
            raise ArtifactError(f"a prompt begins with two start tokens: its text holds {self.tokenizer.bos_token!r}")
        return ids

    def exact(self, asked: Asked) -> list[int]:
        """The token ids of the prompt."""
        return self.encode(asked.prompt + asked.written)

    def write(self, asked: Sequence[Asked], sampling: Sampling, keep: Keep) -> None:
        """All outputs of one call; a prompt that leaves no room gets empty ones that the length limit ended."""
        tokens = [self.exact(one) for one in asked]
        room = self.model.config.max_position_embeddings
        fitting = [place for place, ids in enumerate(tokens) if len(ids) < room]
        prompts, keys = [tokens[place] for place in fitting], [asked[place].key for place in fitting]
        count = max((max(asked[place].samples) + 1 for place in fitting), default=1)
        if sampling.stops:
            drawn = self._stepwise(prompts, keys, count, sampling)
        else:
            drawn = [
                [self._read(one, ()) for one in outputs] for outputs in self._drawn(prompts, keys, count, sampling)
            ]
        made = [[Generation("", "length")] * (max(one.samples) + 1) for one in asked]
        for place, outputs in zip(fitting, drawn, strict=True):
            made[place] = outputs
        keep([(place, index, made[place][index]) for place, one in enumerate(asked) for index in one.samples])

    def _drawn(
        self, prompts: Sequence[list[int]], keys: Sequence[object], count: int, sampling: Sampling
    ) -> list[list[Sample]]:
        return sample(
            self.model,
            prompts,
            outputs_per_prompt=count,
            max_new_tokens=sampling.max_new_tokens,
            temperature=sampling.temperature,
            seed=sampling.seed,
            end_ids=self._end_ids,
            keys=keys,
            rows_at_once=self._rows,
        )

    def _stepwise(
        self, prompts: Sequence[list[int]], keys: Sequence[str], count: int, sampling: Sampling
    ) -> list[list[Generation]]:
        """Outputs in steps of some tokens, so that one with a stop word is not written to its length limit.

        The tokens go on as they were drawn; each step is a random stream of its own."""
        rows = [(place, index) for place in range(len(prompts)) for index in range(count)]
        tokens: dict[tuple[int, int], list[int]] = {row: [] for row in rows}
        made: dict[tuple[int, int], Generation] = {}
        for step in range(0, sampling.max_new_tokens, STEP_TOKENS):
            open_rows = [row for row in rows if row not in made]
            size = min(STEP_TOKENS, sampling.max_new_tokens - step)
            last = step + size >= sampling.max_new_tokens
            part = Sampling(sampling.temperature, size, seed_of(sampling.seed, "step", step))
            asked = [prompts[place] + tokens[place, index] for place, index in open_rows]
            names = [f"{keys[place]}/{index}" for place, index in open_rows]
            room = self.model.config.max_position_embeddings
            for row, [output] in zip(open_rows, self._drawn(asked, names, 1, part) if asked else [], strict=True):
                tokens[row] += output.tokens
                full = len(prompts[row[0]]) + len(tokens[row]) >= room
                read = self._read(Sample(tuple(tokens[row]), (), output.finished), sampling.stops)
                if output.finished or read.finish == "stop" or last or full:
                    made[row] = read
        return [[made[place, index] for index in range(count)] for place in range(len(prompts))]

    def _read(self, output: Sample, stops: Sequence[str]) -> Generation:
        text = str(self.tokenizer.decode(list(output.tokens), skip_special_tokens=True))
        own, stop = cut_at_stops(text, stops)
        if stop is not None:
            return Generation(own, "stop")
        return Generation(text, "end" if output.finished else "length")


def digests_of(folder: Path) -> dict[str, str]:
    """sha256 of the weights and of the tokenizer in a folder, by the names and bytes of their files."""
    return {"weights": _digest(folder, WEIGHTS), "tokenizer": _digest(folder, TOKENIZER)}


def _digest(folder: Path, patterns: Sequence[str]) -> str:
    names = sorted({path.name for pattern in patterns for path in folder.glob(pattern) if path.is_file()})
    values = {name: sha256_of_file(folder / name) for name in names}
    return hashlib.sha256(canonical_json(values)).hexdigest()


def on_device(model: PreTrainedModel) -> PreTrainedModel:
    """The model on the accelerator where there is one."""
    return model.to("cuda") if torch.cuda.is_available() else model  # type: ignore[arg-type]


Template = Callable[[str], str]


def chat_template(tokenizer: PreTrainedTokenizerFast) -> Template | None:
    """The function that writes a user's message in the tokenizer's own chat form; None where it has no template."""
    if tokenizer.chat_template is None:
        return None

    def written(message: str) -> str:
        turn = [{"role": "user", "content": message}]
        return str(tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True))

    return written
