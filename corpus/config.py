"""Config of `python -m corpus`: one table for each step of section 2.1.

Defaults suit a crawl of some thousand pages and 100 to 1,000 seed pages; `configs/paper/` holds the paper's figures.
"""

from typing import Literal

from pydantic import Field, model_validator

from commons.config import Config
from corpus.benchmarks import Answers


class Reading(Config):
    """WARC records -> text."""

    max_body_bytes: int = Field(default=8 << 20, gt=0)
    """Longer page bodies are dropped as `too large`. [bytes; ours]"""
    timeout_seconds: float = Field(default=60.0, gt=0, json_schema_extra={"identity": False})
    """Time that the text of one page may take before its process is replaced and the page is dropped. [s; ours]"""
    memory_bytes: int = Field(default=2 << 30, ge=64 << 20, json_schema_extra={"identity": False})
    """Address space that one page may take beyond that of an idle worker. [bytes; ours]"""
    base: str = "https://data.commoncrawl.org/"
    """Where the files of a path list and of the columnar index lie: an address, s3://bucket, or a folder. [-; ours]"""
    requests_per_second: float = Field(default=2.0, gt=0, json_schema_extra={"identity": False})
    """Most requests to servers; fewer after they ask for it. [1/s; ours]"""
    tries: int = Field(default=8, ge=1, json_schema_extra={"identity": False})
    """Failed requests in a row after which the run ends; the same command goes on. [requests; ours]"""
    answer_seconds: float = Field(default=60.0, gt=0, json_schema_extra={"identity": False})
    """Longest silence of a server before the request is made again. [s; ours]"""


class Duplicates(Config):
    """Near duplicates; the paper names no method."""

    hashes: int = Field(default=128, ge=16)
    """MinHash values of a page. [-; ours]"""
    similarity: float = Field(default=0.8, gt=0, le=1)
    """Jaccard similarity of 5-token shingles from which a page repeats a kept one. [-; ours]"""
    missed_weight: float = Field(default=0.95, gt=0, lt=1)
    """Weight of a missed pair against a needless comparison in the choice of bands and rows: 16 by 8. [-; ours]"""
    range_mb: int = Field(default=64, ge=1, json_schema_extra={"identity": False})
    """Band keys held at once; more are cut into hash ranges on disk. Sorting needs three times as much. [MiB; ours]"""


class FastText(Config):
    """The classifier."""

    dimensions: int = Field(default=64, gt=0)
    """Length of a word vector. [-; ours, section 2.1: 256]"""
    learning_rate: float = Field(default=0.3, gt=0)
    """Learning rate at the start. [-; ours, section 2.1: 0.1]"""
    word_ngrams: int = Field(default=2, ge=1)
    """Longest run of words with a vector of its own. [words; ours, section 2.1: 3]"""
    min_count: int = Field(default=2, ge=1)
    """Rarer words have no vector. [-; ours, section 2.1: 3]"""
    epochs: int = Field(default=5, ge=1)
    """Passes over the training pages. [-; ours, section 2.1: 3]"""
    buckets: int = Field(default=200_000, ge=1)
    """Hash buckets of word runs; the library's own 2,000,000 need 1.9 GiB at 256 dimensions. [-; ours]"""
    prior_words: int = Field(default=100, ge=0)
    """A text is scored as if so many words that say nothing stood beside it; 0: not. [words; ours, section 2.1: 0]"""
    shipped_vectors: int = Field(default=10_000, ge=1)
    """Vectors of words and runs of words in the quantised copy of the last model, the longest first. [-; ours]"""
    max_positives: int = Field(default=500_000, ge=1)
    """Seed pages used for training. [pages; section 2.1]"""
    negatives_per_positive: float = Field(default=1.0, gt=0)
    """Pages from elsewhere in the crawl for each seed page. [-; section 2.1]"""
    maths_is_rare_below: float = Field(default=0.05, ge=0, le=1)
    """Where a smaller share of the pages holds a formula, negatives are drawn from all pages, as in the paper; else
    from pages without formulas outside domains of the seed, domain by domain. [-; ours]"""
    held_out_share: float = Field(default=0.1, ge=0, lt=1)
    """Part of the seed pages and of the negatives that is never trained on, for precision and recall. [-; ours]"""


class Recall(Config):
    """Which of the ranked pages are kept."""

    budget_tokens: tuple[int, ...] | None = None
    """Best-scoring tokens kept in round 1, 2, ..; the last repeats. [tokens; section 2.1]"""
    budget_share: tuple[float, ...] | None = None
    """The same as shares of the deduplicated tokens; not both. [-; ours]"""
    seed_share: float = Field(default=0.9, gt=0, le=1)
    """Without either: keep the pages that score no lower than this share of the seed pages. [-; ours]"""
    seed_first: bool = True
    """Whether seed pages, those that patterns let in among them, are kept before others are ranked. [-; ours]"""
    budget_multiples: tuple[float, ...] = (0.5, 1.0, 1.5, 2.0)
    """Multiples of a round's budget whose corpora are described in budgets.jsonl. [-; section 2.1: 1, 2, 3, 4]"""
    curve_points: int = Field(default=50, ge=1)
    """Thresholds of curve.jsonl, evenly spread over the tokens. [-; ours]"""
    rounds: int = Field(default=4, ge=1)
    """Rounds of classify, recall, discover, grow the seed. [-; section 2.1]"""
    stop_share: float = Field(default=0.98, gt=0, le=1)
    """Stop when this share of a round's tokens had been collected in the round before. [-; section 2.1]"""

    @model_validator(mode="after")
    def _one_budget(self) -> "Recall":
        if self.budget_tokens and self.budget_share:
            raise ValueError("budget_tokens and budget_share are both given; give one")
        if any(not 0 < share <= 1 for share in self.budget_share or ()):
            raise ValueError("budget_share holds shares of the tokens, above 0 and up to 1")
        if any(tokens <= 0 for tokens in self.budget_tokens or ()) or any(one <= 0 for one in self.budget_multiples):
            raise ValueError("budgets and their multiples are above 0")
        return self


class Domains(Config):
    """Where more seed pages are looked for."""

    maths_share: float = Field(default=0.10, ge=0, le=1)
    """A domain with more of its pages collected than this is about mathematics. [-; section 2.1]"""
    unattended: bool = True
    """Whether the rule below decides on patterns that the patterns file leaves open or does not name. [-; ours]"""
    pattern_share: float = Field(default=0.5, gt=0, le=1)
    """The rule accepts patterns with this share of pages collected.. [-; ours]"""
    poor_share: float = Field(default=0.3, ge=0, le=1)
    """.. unless one right below them has less than this: then those below are judged by themselves. [-; ours]"""
    pattern_pages: int = Field(default=5, ge=1)
    """Patterns with fewer pages are no candidates. [pages; ours]"""
    pattern_depth: int = Field(default=2, ge=0)
    """Deepest folder that a proposed pattern names. [path segments; ours]"""
    samples: int = Field(default=3, ge=0)
    """Addresses of collected and of other pages shown with each pattern. [pages; ours]"""


class Decontamination(Config):
    """Which texts count as quoted from a benchmark."""

    gram_tokens: int = Field(default=10, gt=3)
    """Length of a gram; a word, a number or a Chinese character each count one. [tokens; section 2.1]"""
    answers: Answers = "long"
    """Answers that are protected: none, those as long as a gram, or all of three tokens and more. [-; section 2.1]"""
    removes: Literal["page", "segment"] = "page"
    """What a gram removes; a short text always removes the page. [-; ours, section 2.1: segment]"""
    min_distinct_tokens: int = Field(default=1, ge=1)
    """Grams with fewer different tokens do not count. [tokens; ours]"""
    boilerplate_items: int | None = Field(default=None, ge=2)
    """Grams that so many benchmark items share do not count; absent: all count. [items; ours]"""
    boilerplate_pages: int | None = Field(default=None, ge=2)
    """Grams on so many distinct pages of the crawl do not count; absent: all count. [pages; ours]"""
    resembling_share: float | None = Field(default=None, gt=0, le=1)
    """Report pages with this share of the 5-grams of a benchmark text, removing nothing; absent: none. [-; ours]"""
    self_test_items: int = Field(default=20, ge=0)
    """Texts of each benchmark file that the self-test plants and must find. [texts; ours]"""


class PersonalData(Config):
    """Found in the finished text and counted in any case; the paper says nothing of it."""

    mask_emails: bool = False
    """Replace e-mail addresses by name@example.org. [-; ours]"""
    mask_ip_addresses: bool = False
    """Replace public IP addresses by 192.0.2.1 and 2001:db8::1. [-; ours]"""


class CorpusConfig(Config):
    """Everything that `python -m corpus` can be told."""

    seed: int = Field(default=0, ge=0)
    """Seed of every random draw. [-; ours]"""
    workers: int = Field(default=2, ge=1, json_schema_extra={"identity": False})
    """Processes that extract text. [processes; ours]"""
    cluster: str = Field(default="", json_schema_extra={"identity": False})
    """Ray cluster that does the work: its address, auto, or local for one on this machine; empty: none. [-; ours]"""
    shards: int = Field(default=4, ge=1, le=256)
    """Files of the output, by the first byte of the page id. [files; ours]"""
    general_tokens: int = Field(default=5_000_000, ge=0)
    """Tokens of pages that were not recalled, kept as general text for pretraining. [tokens; ours]"""
    reading: Reading = Reading()
    """Reading of WARC records."""
    duplicates: Duplicates = Duplicates()
    """Near duplicates."""
    fasttext: FastText = FastText()
    """Classifier."""
    recall: Recall = Recall()
    """Ranking and rounds."""
    domains: Domains = Domains()
    """Domains and URL patterns."""
    decontamination: Decontamination = Decontamination()
    """Benchmark quotations."""
    personal_data: PersonalData = PersonalData()
    """E-mail and IP addresses."""
