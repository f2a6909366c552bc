"""The tool-integrated loop of evaluation and rewards (section 3.1): text, a program, what it printed, more text.

Knows no model: `tool_rounds` asks its caller for the text that goes on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from commons.prompts import fences, output_block, programs
from commons.sandbox import OK, ProgramRun, Sandbox, Session
from commons.sandbox_config import ToolConfig

# of a round: the text so far by place -> what follows it, and whether the model ended it before the length limit
GoOn = Callable[[int, Mapping[int, str]], Mapping[int, tuple[str, bool]]]


@dataclass(frozen=True, slots=True)
class ToolText:
    """One output with the blocks of program output that the runner put in, and the runs themselves."""

    text: str
    finished: bool
    rounds: int = 1
    runs: tuple[ProgramRun, ...] = ()


class Interpreter:
    """Runs the programs of one output in turn. With kept state it is one process, ended by `close`."""

    def __init__(self, sandbox: Sandbox, tools: ToolConfig) -> None:
        self._sandbox, self._tools = sandbox, tools
        self._session: Session | None = None

    def run(self, written: Sequence[str]) -> ProgramRun:
        """Run the last of the programs `written`; the others were run before."""
        if self._tools.state == "replayed":
            return self._sandbox.run(replayed(written))
        if self._session is None:
            self._session = self._sandbox.session(self._tools.rounds)
        return self._session.run(written[-1])

    def close(self) -> None:
        """End the process."""
        if self._session is not None:
            self._session.close()


def tool_rounds(
    sandbox: Sandbox, tools: ToolConfig, first: Sequence[tuple[str, bool]], go_on: GoOn, *, at_once: int
) -> list[ToolText]:
    """The outputs that start with `first` (text, finished), each after up to `tools.rounds` rounds.

    Where a new program is complete the text is cut, the program is run and what it printed is put in; the model goes
    on from there in the next round. At most `at_once` outputs are under way, so many processes keep their state."""
    found = [ToolText(text, finished) for text, finished in first]
    for start in range(0, len(found), at_once):
        places = range(start, min(start + at_once, len(found)))
        interpreters = {place: Interpreter(sandbox, tools) for place in places}
        try:
            _rounds(sandbox, tools, found, interpreters, go_on)
        finally:
            for interpreter in interpreters.values():
                interpreter.close()
    return found


def _rounds(
    sandbox: Sandbox, tools: ToolConfig, found: list[ToolText], interpreters: Mapping[int, Interpreter], go_on: GoOn
) -> None:
    waiting = list(interpreters)
    for number in range(1, tools.rounds + 1):
        if number > 1 and waiting:
            for place, (text, finished) in go_on(number, {place: found[place].text for place in waiting}).items():
                found[place] = replace(found[place], text=found[place].text + text, finished=finished, rounds=number)
        cuts = {place: end for place in waiting if (end := end_of_new_program(found[place])) is not None}
        calls = [partial(interpreters[place].run, programs(found[place].text[:end])) for place, end in cuts.items()]
        for (place, end), run in zip(cuts.items(), sandbox.batch(calls), strict=True):
            text = f"{found[place].text[:end]}\n{output_block(shown(run, tools.shown_characters, tools.errors))}"
            found[place] = replace(found[place], text=text, runs=(*found[place].runs, run))
        waiting = list(cuts)


def end_of_new_program(output: ToolText) -> int | None:
    """Where the first complete program ends that was not run yet."""
    complete = [fence for fence in fences(output.text) if fence.closed and fence.language in ("python", "py", "")]
    return complete[len(output.runs)].end if len(complete) > len(output.runs) else None


def replayed(sources: Sequence[str]) -> str:
    """The last program after all earlier ones without their printing lines: each run is a fresh process."""
    earlier = [line for source in sources[:-1] for line in source.splitlines() if "print(" not in line]
    return "\n".join([*earlier, sources[-1]])


def shown(run: ProgramRun, characters: int, errors: str = "last_line") -> str:
    """What the model reads of a run: its output, or how it failed, cut in the middle to `characters`."""
    if run.status == OK and run.stdout.strip():
        text = run.stdout.strip()
    elif errors == "traceback" and run.error:
        return f"Runtime errors: {_cut(run.error, characters)}"
    else:
        last = run.error.splitlines()[-1] if run.error else "nothing was printed"
        text = f"{run.status}: {last}" if run.status != OK else last
    return _cut(text, characters)


def _cut(text: str, characters: int) -> str:
    half = characters // 2
    return text if len(text) <= characters else f"{text[:half]}...{text[-half:]}"
