"""`python -m lm.ask CHECKPOINT QUESTION [FORM [LANGUAGE]]` prints the model's greedy answer to one question."""

import sys
from collections.abc import Sequence
from pathlib import Path

from commons.errors import ConfigError, ProjectError
from commons.prompts import FORMS, LANGUAGES, prompt
from lm.checkpoints import end_token_ids, load_model, load_tokenizer
from lm.sampling import sample

USAGE = f"python -m lm.ask CHECKPOINT QUESTION [{'|'.join(FORMS)}] [{'|'.join(LANGUAGES)}]"
MAX_NEW_TOKENS = 1024


def answer(checkpoint: Path, question: str, form: str = "cot", language: str = "en") -> str:
    """What the model in `checkpoint` writes after the question in the chat form of training (commons/prompts.py)."""
    model, tokenizer = load_model(checkpoint), load_tokenizer(checkpoint)
    asked = tokenizer.encode(prompt(question, form, language), add_special_tokens=False)
    [[output]] = sample(
        model,
        [asked],
        outputs_per_prompt=1,
        max_new_tokens=MAX_NEW_TOKENS,
        temperature=0,
        seed=0,
        end_ids=end_token_ids(model, tokenizer),
    )
    return str(tokenizer.decode(list(output.tokens), skip_special_tokens=True)).strip()


def main(arguments: Sequence[str]) -> int:
    """Exit code of the command."""
    try:
        if not 2 <= len(arguments) <= 4:
            raise ConfigError(f"{len(arguments)} arguments; accepted: {USAGE}")
        if (arguments[2:3] and arguments[2] not in FORMS) or (arguments[3:4] and arguments[3] not in LANGUAGES):
            raise ConfigError(f"no prompt for {' '.join(arguments[2:])}; accepted: {USAGE}")
        print(answer(Path(arguments[0]), *arguments[1:]))
    except ProjectError as error:
        print(f"lm.ask: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
