"""A model server on 127.0.0.1 that misbehaves as told, and a random model that reads any bytes."""

import json
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import torch
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import BPE
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from lm.checkpoints import save_checkpoint

CHAT_TEMPLATE = (
    "{% for m in messages %}<{{ m['role'] }}>{{ m['content'] }}</{{ m['role'] }}>{% endfor %}"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)


def choice(text, finish="stop", **more):
    """An answer as such servers give it, in both of its forms."""
    return {"choices": [{"text": text, "message": {"content": text}, "finish_reason": finish, **more}]}


class Answering(ThreadingHTTPServer):
    """`answer(body, count)` gives what to do for the count-th request with that body: (status, headers, bytes or
    JSON value), or `cut` for a connection that ends, or a number of seconds to wait first."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer, self.bodies, self.counts, self.lock = answer, [], Counter(), threading.Lock()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.bodies.append((self.path, body))
            self.server.counts[json.dumps(body)] += 1
            count = self.server.counts[json.dumps(body)]
        told = self.server.answer(body, count)
        if isinstance(told, float):
            time.sleep(told)
            told = (200, {}, choice("late"))
        if told == "cut":
            self.close_connection = True
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{")
            return
        status, headers, content = told
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@contextmanager
def serving(answer):
    """The server while the block runs."""
    server = Answering(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def byte_tokenizer():
    """One token a byte, a start and an end token, a chat template."""
    words = ["<s>", "</s>", *sorted(pre_tokenizers.ByteLevel.alphabet())]
    tokenizer = Tokenizer(BPE({word: place for place, word in enumerate(words)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    made.chat_template = CHAT_TEMPLATE
    return made


def random_model(folder):
    """A Hugging Face folder that is no artifact of ours."""
    torch.manual_seed(3)
    tokenizer = byte_tokenizer()
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=24,
        num_hidden_layers=1,
        num_attention_heads=2,
        max_position_embeddings=2048,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=None,
    )
    save_checkpoint(folder, LlamaForCausalLM(config), tokenizer)
    return folder
