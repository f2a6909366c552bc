"use strict";
// The sample browser of the report. What it shows comes from models and is hostile: text enters the page as text
// alone; the one markup that is put in is MathML that eval/formulas.py has made and checked.
(async () => {
  const root = document.getElementById("browser");
  const packed = Uint8Array.from(atob(document.getElementById("browser-data").textContent), (c) => c.charCodeAt(0));
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = JSON.parse(await new Response(unpacked).text());
  const formula = new RegExp(data.formula, "g");
  const PAGE = 50;
  const state = {run: data.runs[data.runs.length - 1], other: "", shown: PAGE};
  const fields = {};

  function make(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children);
    return element;
  }

  function drawn(text) {
    const box = make("div", {class: "text", dir: "auto"});
    let end = 0;
    for (const match of text.matchAll(formula)) {
      const markup = data.mathml[match[0]];
      if (!markup) continue;
      box.append(text.slice(end, match.index));
      const holder = document.createElement("template");
      holder.innerHTML = markup;
      box.append(holder.content);
      end = match.index + match[0].length;
    }
    box.append(text.slice(end));
    return box;
  }

  function choice(name, label, values) {
    const select = make("select", {id: `browser-${name}`});
    for (const [value, title] of values) select.append(make("option", {value}, title));
    select.addEventListener("change", () => { state.shown = PAGE; refresh(); });
    fields[name] = select;
    return make("label", {}, `${label} `, select);
  }

  function distinct(pick) {
    const found = new Set();
    for (const question of data.questions) {
      const value = pick(question);
      for (const one of Array.isArray(value) ? value : [value]) if (one) found.add(one);
    }
    return [["", "all"], ...[...found].sort().map((value) => [value, value.replaceAll("_", " ")])];
  }

  const outputs = (question, run) => question.outputs[run] || [];
  const correct = (question, run) => outputs(question, run).length > 0 && outputs(question, run)[0].verdict === "correct";

  function change(question) {
    const before = correct(question, state.other), after = correct(question, state.run);
    return before === after ? (after ? "both correct" : "both wrong") : after ? "gained" : "lost";
  }

  const read = new Map(); // what search looks into, by question and run: made once, since every key pressed asks for all
  function words(question) {
    return [state.run, state.other].some((run) => run && text(question, run).includes(state.search));
  }

  function text(question, run) {
    const key = `${run}\n${question.id}`;
    if (!read.has(key)) read.set(key, said(question, run));
    return read.get(key);
  }

  function said(question, run) {
    const parts = [question.id, question.question, question.gold];
    for (const one of outputs(question, run)) parts.push(one.output, one.answer || "");
    return parts.join("\n").toLowerCase();
  }

  function wanted(question) {
    const mine = outputs(question, state.run);
    const {verdict, benchmark, setting, level, flips, graders, search} = state;
    return mine.length > 0
      && (!benchmark || question.benchmark === benchmark)
      && (!setting || question.setting === setting)
      && (!level || question.level === level)
      && (!verdict || mine.some((one) => one.verdict === verdict))
      && (!graders || mine.some((one) => one.strict !== one.paper))
      && (!flips || (outputs(question, state.other).length > 0 && change(question) === flips))
      && (!search || words(question));
  }

  function badge(verdict) {
    return make("span", {class: `verdict ${verdict === "correct" ? "correct" : "not"}`}, verdict);
  }

  function output(one) {
    const grades = one.paper && one.paper !== one.strict ? [make("span", {class: "small"}, " paper's grader: "), badge(one.paper)] : [];
    const box = make("div", {class: "output"},
      make("p", {}, badge(one.verdict), ...grades, make("span", {class: "small"}, ` ${one.mode} ${one.sample}, ${one.finish}; answer: ${one.answer ?? "none"}; ${one.reason}`)),
      drawn(one.output));
    for (const run of one.programs) {
      box.append(make("p", {class: "small"}, `program: ${run.status}`), make("pre", {}, run.stdout || run.error));
    }
    return box;
  }

  function body(question) {
    const columns = make("div", {class: "outputs"});
    for (const run of [state.run, state.other]) {
      if (run) columns.append(make("div", {}, make("b", {}, run), ...outputs(question, run).map(output)));
    }
    const box = make("div", {}, drawn(question.question), make("p", {class: "small"}, `gold: ${question.gold}`));
    if (question.prompt) box.append(make("details", {}, make("summary", {}, "the prompt"), make("pre", {dir: "auto"}, question.prompt)));
    box.append(columns);
    return box;
  }

  function entry(question) {
    const badges = [badge(outputs(question, state.run)[0].verdict)];
    if (state.other && outputs(question, state.other).length) badges.unshift(badge(outputs(question, state.other)[0].verdict), " \u2192 ");
    const place = [question.benchmark.replaceAll("_", " "), question.setting, question.level].filter(Boolean).join(", ");
    const summary = make("summary", {}, ...badges, make("span", {class: "small"}, ` ${place} `), make("bdi", {}, question.question.slice(0, 140)));
    const box = make("details", {class: "question", "data-id": question.id}, summary);
    box.addEventListener("toggle", () => { if (box.open && box.children.length === 1) box.append(body(question)); });
    return box;
  }

  function refresh() {
    for (const [name, field] of Object.entries(fields)) state[name] = field.value;
    state.search = search.value.trim().toLowerCase();
    fields.flips.disabled = !state.other;
    if (!state.other) state.flips = "";
    const found = data.questions.filter(wanted);
    count.textContent = `${found.length.toLocaleString("en")} of ${data.questions.length.toLocaleString("en")} questions`;
    list.replaceChildren(...found.slice(0, state.shown).map(entry));
    more.hidden = found.length <= state.shown;
  }

  const runs = data.runs.map((run) => [run, run]);
  const search = make("input", {id: "browser-search", type: "search", placeholder: "search questions, answers, outputs"});
  search.addEventListener("input", () => { state.shown = PAGE; refresh(); });
  const controls = make("div", {class: "controls"}, search,
    choice("run", "run", [...runs].reverse()),
    choice("other", "beside", [["", "nothing"], ...runs]),
    choice("flips", "change", [["", "all"], ...["gained", "lost", "both correct", "both wrong"].map((name) => [name, name])]),
    choice("verdict", "verdict", distinct((question) => Object.values(question.outputs).flat().map((one) => one.verdict))),
    choice("benchmark", "benchmark", distinct((question) => question.benchmark)),
    choice("setting", "setting", distinct((question) => question.setting)),
    choice("level", "level", distinct((question) => question.level)),
    choice("graders", "graders", [["", "all"], ["disagree", "disagree"]]));
  const count = make("p", {class: "small", id: "browser-count"});
  const list = make("div", {id: "browser-list"});
  const more = make("button", {id: "browser-more", type: "button"}, "show more");
  more.addEventListener("click", () => { state.shown += PAGE; refresh(); });
  root.replaceChildren(controls, count, list, more);
  refresh();
  root.dataset.ready = "yes";
})();
