"""The data card: README.md of a finished corpus, made from its lineage. It lies inside the digest: no times, no paths.

Its YAML head names the two parts, so that `datasets.load_dataset(folder)` gives the pages and
`load_dataset(folder, "general")` the pages that were not recalled.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from commons.cards import how_it_was_made, inputs_by_digest
from corpus.config import CorpusConfig
from corpus.outputs import Kept
from corpus.tokens import TOKENIZER

TOP_DOMAINS = 20
PARTS = {
    "pages": "recalled by the classifier of the last round, best scores first cut at the token budget",
    "general": "a random sample of the pages that were not recalled",
}


def data_card(
    config: CorpusConfig,
    inputs: Mapping[str, str],
    steps: Sequence[Mapping[str, Any]],
    kept: Mapping[str, Kept],
    domains: Sequence[tuple[str, int]],
    decontamination: Mapping[str, Any],
) -> str:
    """The card of a corpus: `inputs` by digest, the rows of the funnel, what is kept, pages by domain, quotations."""
    parts = (
        _head(kept),
        "# Pages mined from a web crawl\n",
        "Made by the method of DeepSeekMath (arXiv 2402.03300, section 2.1). Load it with "
        '`datasets.load_dataset(FOLDER)` (the pages) or `load_dataset(FOLDER, "general")`.\n',
        *_contents(kept),
        *_sources(inputs, domains),
        *_funnel(steps),
        *_decontamination(config, decontamination),
        *_personal_data(config, kept),
        how_it_was_made("corpus", config, inputs),
    )
    return "\n".join(parts)


def _head(kept: Mapping[str, Kept]) -> str:
    languages = sorted({name for one in kept.values() for name in one.languages if 2 <= len(name) <= 3})
    lines = ["---", "configs:"]
    for name in kept:
        lines += [f"- config_name: {name}", f"  data_files: {name}/*.parquet"]
        lines += ["  default: true"] if name == "pages" else []
    lines += ["language:", *(f"- {name}" for name in languages)] if languages else []
    return "\n".join([*lines, "license: unknown", "---", ""])


def _contents(kept: Mapping[str, Kept]) -> Iterator[str]:
    yield "## Contents\n"
    yield "| part | pages | tokens | what |\n|---|---:|---:|---|"
    for name, one in kept.items():
        yield f"| `{name}` | {one.pages:,} | {one.tokens:,} | {PARTS[name]} |"
    yield f"\nTokens: {TOKENIZER}.\n"
    yield "| language | " + " | ".join(f"`{name}`" for name in kept) + " |\n|---|" + "---:|" * len(kept)
    for language in sorted({name for one in kept.values() for name in one.languages}):
        yield f"| {language} | " + " | ".join(f"{one.languages.get(language, 0):,}" for one in kept.values()) + " |"
    yield ""


def _sources(inputs: Mapping[str, str], domains: Sequence[tuple[str, int]]) -> Iterator[str]:
    yield "## Sources and licences\n"
    yield inputs_by_digest(inputs)
    yield (
        "\n**Licences are unknown.** Each page belongs to its author. Licences were neither looked for nor used to "
        "choose pages; `url` says where a page came from. Clear the rights before you give the text away.\n"
    )
    pages = sum(number for _, number in domains)
    yield f"`pages` come from {len(domains):,} domains. The largest:\n"
    yield "| domain | pages | share |\n|---|---:|---:|"
    for domain, number in domains[:TOP_DOMAINS]:
        yield f"| {domain} | {number:,} | {number / pages:.1%} |"
    yield ""


def _funnel(steps: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    yield "## What was left out, and why\n"
    yield "| step | pages left | tokens left | left out here |\n|---|---:|---:|---|"
    for step in steps:
        why = ", ".join(f"{reason} {number:,}" for reason, number in step["dropped"].items()) or "-"
        yield f"| {step['step']} | {step['pages']:,} | {step['tokens']:,} | {why} |"
    yield "\n`dropped/` has a row with its reason for each capture that was left out because of a defect or a copy.\n"


def _decontamination(config: CorpusConfig, facts: Mapping[str, Any]) -> Iterator[str]:
    rules, tested = config.decontamination, facts["self_test"]
    yield "## Benchmarks\n"
    yield (
        f"{facts['texts']:,} benchmark texts of {len(facts['sources'])} files are protected. A run of "
        f"{rules.gram_tokens} tokens of one removes the {rules.removes}; a text of 3 to {rules.gram_tokens - 1} tokens "
        f"that stands there whole removes the page. {facts['pages_that_quote']:,} distinct pages of the crawl quoted: "
        f"{facts['pages_removed']:,} went whole, {facts['pages_cut']:,} lost {facts['segments_removed']:,} segments."
    )
    for reason, counts in facts["let_through"].items():
        yield f"Let through as boilerplate ({reason}): {counts['passages']:,} passages on {counts['pages']:,} pages."
    yield (
        f"Self-test: {tested['found']:,} of {tested['planted']:,} planted texts found, "
        f"{len(tested['clean_pages_flagged'])} of {tested['clean_pages']:,} clean pages flagged.\n"
    )
    yield (
        "Not found: items that were rephrased, translated or whose formulas were written in another way. "
        "`decontamination.jsonl` lists each quotation, `decontamination.json` the files and the counts.\n"
    )


def _personal_data(config: CorpusConfig, kept: Mapping[str, Kept]) -> Iterator[str]:
    wanted = config.personal_data
    yield "## Personal data\n"
    emails, addresses = _state(wanted.mask_emails), _state(wanted.mask_ip_addresses)
    for name, one in kept.items():
        yield (
            f"- `{name}`: {one.emails:,} e-mail addresses ({emails}) and {one.ip_addresses:,} public IP addresses "
            f"({addresses}) on {one.pages_with_personal_data:,} pages"
        )
    yield "\nNames, telephone numbers and other personal data were not looked for.\n"


def _state(masked: bool) -> str:
    return "masked" if masked else "not masked"
