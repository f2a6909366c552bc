"""TRL's SFTTrainer on solutions that are tokens already; runs in .venv-bench/trl (bench/sft.py).

sft_peer.py DATA MODEL ROW_TOKENS ROWS RATE STRATEGY prints learned tokens and seconds, from the first step to the end.
"""

import json
import os
import sys
import tempfile
import time

os.environ["HF_HUB_OFFLINE"] = "1"

from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import SFTConfig, SFTTrainer

PARTS = 6


class Clock(TrainerCallback):
    """Seconds from the first step to the end of the last."""

    def __init__(self):
        self.began, self.ended = None, None

    def on_step_begin(self, args, state, control, **_):
        """Starts at the first step."""
        self.began = self.began or time.perf_counter()

    def on_step_end(self, args, state, control, **_):
        """Ends at the last one."""
        self.ended = time.perf_counter()


def main(data, model_folder, row_tokens, rows, rate, strategy):
    """Trains one epoch."""
    with open(data) as file:
        solutions = [json.loads(row) for row in file]
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder:
        config = SFTConfig(
            output_dir=folder,
            max_length=int(row_tokens),
            packing=True,
            packing_strategy=strategy,
            completion_only_loss=True,
            per_device_train_batch_size=int(rows),
            num_train_epochs=1,
            learning_rate=float(rate),
            lr_scheduler_type="constant",
            adam_beta2=0.95,
            weight_decay=0.1,
            max_grad_norm=1.0,
            activation_checkpointing=False,
            bf16=False,
            use_cpu=True,
            report_to="none",
            save_strategy="no",
            logging_steps=1,
            disable_tqdm=True,
            dataloader_pin_memory=False,
        )
        trainer = SFTTrainer(
            model=AutoModelForCausalLM.from_pretrained(model_folder, attn_implementation="sdpa"),
            args=config,
            train_dataset=Dataset.from_list(solutions),
            processing_class=AutoTokenizer.from_pretrained(model_folder),
            callbacks=[clock],
        )
        trainer.train()
    tokens = sum(sum(one["completion_mask"]) for one in solutions)
    print(json.dumps({"tokens": tokens, "seconds": clock.ended - clock.began}))


if __name__ == "__main__":
    main(*sys.argv[1 : PARTS + 1])
