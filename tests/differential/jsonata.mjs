// Random expressions on random documents: our engine against the reference. jsonata.mjs DRIVER [FIRST_SEED [COUNT]].
// A failure names the seed that repeats it.
import { spawnSync } from "node:child_process";
import { isDeepStrictEqual } from "node:util";
import jsonata from "jsonata";

const [driver, first = "1", count = "3000"] = process.argv.slice(2);

// mulberry32: small, and the same everywhere.
function generator(seed) {
  let state = seed * 0x9e3779b9;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const PATIENCE = 300; // milliseconds: some expressions grow beyond all bounds, and are not compared

const NAMES = ["a", "b", "c", "d", "name", "price", "items", "tags", "x y"];
const TEXTS = ["", "a", "abc", "b", "10", "2024-05-17", "Hello, World", "naïve 🎈 text", "a,b,,c", "x=1;y=2", "  two  words "];
const NUMBERS = [0, 1, 2, 3, -1, 10, 1.5, 0.1, 100, 1234.5678, -2.5, 1e21, 1e-7];

class Maker {
  constructor(seed) {
    this.random = generator(seed);
  }
  below(count) {
    return Math.floor(this.random() * count);
  }
  pick(list) {
    return list[this.below(list.length)];
  }
  chance(share) {
    return this.random() < share;
  }
  many(least, most, make) {
    return Array.from({ length: least + this.below(most - least + 1) }, make);
  }

  document(depth = 4) {
    const kind = depth === 0 ? this.below(4) : this.below(9);
    if (kind === 0) return this.pick([true, false, null]);
    if (kind === 1) return this.pick(TEXTS);
    if (kind <= 3) return this.pick(NUMBERS);
    if (kind <= 5) return this.many(0, 4, () => this.document(depth - 1));
    if (kind === 6) return this.records(depth - 1);
    return this.object(depth - 1);
  }
  object(depth) {
    return Object.fromEntries(this.many(1, 5, () => [this.pick(NAMES), this.document(depth)]));
  }
  // Objects that look alike, as most documents have them.
  records(depth) {
    const names = this.many(2, 4, () => this.pick(NAMES));
    return this.many(1, 6, () =>
      Object.fromEntries(names.map((name) => [name, this.chance(0.8) ? this.pick(this.chance(0.5) ? NUMBERS : TEXTS) : this.document(Math.min(depth, 1))])));
  }

  name() {
    const name = this.pick(NAMES);
    return name.includes(" ") ? `\`${name}\`` : name;
  }
  string() {
    return JSON.stringify(this.pick(TEXTS));
  }
  number() {
    return String(Math.abs(this.pick(NUMBERS)));
  }
  variable() {
    return this.pick(["$", "$$", "$v", "$w"]);
  }

  leaf() {
    const kind = this.below(12);
    if (kind < 5) return this.name();
    if (kind < 7) return this.number();
    if (kind < 8) return this.string();
    if (kind < 9) return this.pick(["true", "false", "null"]);
    if (kind < 11) return this.variable();
    return this.pick(["*", "**"]);
  }
  step(depth) {
    const kind = this.below(12);
    if (kind < 7) return this.name();
    if (kind === 7) return "*";
    if (kind === 8) return `(${this.expression(depth - 1)})`;
    if (kind === 9) return this.object_(depth - 1);
    if (kind === 10) return this.call(depth - 1);
    return this.pick(["$", "**", "%"]);
  }
  path(depth) {
    let path = this.chance(0.3) ? this.pick(["$", "$$"]) : this.name();
    for (let left = this.below(4); left > 0; left--) {
      if (this.chance(0.3)) path += `[${this.chance(0.3) ? this.pick(["0", "1", "-1", "[0..1]"]) : this.expression(depth - 2)}]`;
      if (this.chance(0.05)) path += "[]";
      if (this.chance(0.06)) path += this.pick(["#$i", "@$f"]);
      path += "." + this.step(depth - 1);
    }
    if (this.chance(0.12)) path += `^(${this.pick(["", "<", ">"])}${this.expression(depth - 2)})`;
    if (this.chance(0.2)) path += `[${this.expression(depth - 2)}]`;
    if (this.chance(0.06)) path += "[]";
    if (this.chance(0.1)) path += this.object_(depth - 1);
    return path;
  }
  object_(depth) {
    const pairs = this.many(0, 2, () => `${this.chance(0.6) ? this.string() : `$string(${this.name()})`}: ${this.expression(depth)}`);
    return `{${pairs.join(", ")}}`;
  }
  lambda(depth, parameters) {
    return `function(${parameters.join(", ")}){ ${this.expression(depth - 1).replace(/\$v\b/g, parameters[0])} }`;
  }
  regex() {
    return this.pick(["/a/", "/[a-c]+/i", "/(\\w)(\\w)/", "/,\\s*/", "/^\\s+|\\s+$/", "/o/", "/\\d+/"]);
  }
  call(depth) {
    const e = () => this.expression(depth - 1);
    const s = () => (this.chance(0.7) ? this.string() : e());
    const n = () => (this.chance(0.7) ? this.number() : e());
    const a = () => (this.chance(0.5) ? this.path(depth - 1) : `[${e()}, ${e()}, ${e()}]`);
    return this.pick([
      () => `$${this.pick(["sum", "count", "max", "min", "average", "reverse", "distinct", "sort", "zip", "merge"])}(${a()})`,
      () => `$${this.pick(["string", "boolean", "not", "exists", "type", "keys", "spread", "number"])}(${e()})`,
      () => `$${this.pick(["length", "trim", "uppercase", "lowercase", "base64encode", "encodeUrlComponent", "encodeUrl", "decodeUrl"])}(${s()})`,
      () => `$substring(${s()}, ${this.pick(["-2", "0", "1", "2"])}${this.chance(0.5) ? `, ${n()}` : ""})`,
      () => `$${this.pick(["substringBefore", "substringAfter", "contains", "split"])}(${s()}, ${s()})`,
      () => `$${this.pick(["contains", "split", "match"])}(${s()}, ${this.regex()})`,
      () => `$replace(${s()}, ${this.chance(0.5) ? this.regex() : s()}, ${this.pick(['"<$0>"', '"$2$1"', '"$$"', '""'])})`,
      () => `$replace(${s()}, ${this.regex()}, function($m){ $m.match & "!" })`,
      () => `$${this.pick(["match", "split"])}(${s()}, ${this.regex()}, ${this.pick(["0", "1", "2"])})`,
      () => `$replace(${s()}, ${this.regex()}, "-", ${this.pick(["0", "1", "2"])})`,
      () => `$contains(${s()}, function($s){ ${e()} })`,
      () => `$join(${a()}${this.chance(0.5) ? `, ${s()}` : ""})`,
      () => `$pad(${s()}, ${this.pick(["5", "-8", "20"])}${this.chance(0.5) ? ', "#-"' : ""})`,
      () => `$${this.pick(["floor", "ceil", "abs", "sqrt"])}(${n()})`,
      () => `$round(${n()}${this.chance(0.6) ? `, ${this.pick(["0", "1", "2", "-1"])}` : ""})`,
      () => `$power(${n()}, ${this.pick(["2", "-1", "0.5"])})`,
      () => `$formatNumber(${n()}, ${this.pick(['"#,##0.00"', '"0.0#"', '"#0%"', '"00.00e0"', '"(#);#"', '"##,##,##0"'])})`,
      () => `$formatBase(${n()}${this.pick(["", "", " * 12345678901234567"])}, ${this.pick(["2", "7", "8", "16", "30", "36"])})`,
      () => `$formatInteger(${n()}, ${this.pick(['"w"', '"Ww"', '"A"', '"#,##0"', '"0001"', '"1;o"', '"w;o"'])})`,
      () => `$parseInteger(${this.pick(['"twelve thousand"', '"XIV"', '"1,234"', '"aa"'])}, ${this.pick(['"w"', '"I"', '"#,##0"', '"a"'])})`,
      () => `$fromMillis(${this.pick(["0", "1521801216617", "-86400000", "1700000000000"])}${this.pick(["", ', "[Y]-[M01]-[D01]"', ', "[FNn], [D1o] [MNn] [Y0001] [H01]:[m01]:[s01] [P]"', ', "[X]-W[W01]-[F1] [w] [d]"', ', "[h#1]:[m] [PN] [Z]", "+0530"', ', "[YI,2] [Yw,2] [Y,2] [M01,1-1] [DWwo]"'])})`,
      () => `$toMillis(${this.pick(['"2018-03-23T10:33:36.617Z"', '"2018"', '"2018-03"', '"2018-03-23"', '"x"'])})`,
      () => `$toMillis("23/3/2018 10:33", "[D]/[M]/[Y0001] [H]:[m]")`,
      () => `$append(${e()}, ${e()})`,
      () => `$lookup(${e()}, ${s()})`,
      () => `$map(${a()}, ${this.chance(0.7) ? this.lambda(depth, this.pick([["$x"], ["$x", "$k"], ["$x", "$k", "$l"]])) : this.pick(["$string", "$uppercase", "$abs", "$not", "/a/"])})`,
      () => `$filter(${a()}, ${this.lambda(depth, this.pick([["$x"], ["$x", "$k"]]))})`,
      () => `$single(${a()}, ${this.lambda(depth, ["$x"])})`,
      () => `$reduce(${a()}, function($p, $q){ ${this.pick(["$p & $q", "$p + $q", "$q", "[$p, $q]"])} }${this.chance(0.5) ? `, ${e()}` : ""})`,
      () => `$each(${e()}, function($x, $k){ ${this.pick(["$k", "$x", '$k & "=" & $x'])} })`,
      () => `$sift(${e()}, function($x, $k){ ${this.pick(["$x", '$k = "a"', "$exists($x)"])} })`,
      () => `$sort(${a()}, function($p, $q){ ${this.pick(["$p > $q", "$string($p) > $string($q)", "$p.price > $q.price"])} })`,
      () => `$eval(${JSON.stringify(this.expression(Math.min(depth - 1, 2)))})`,
      () => `$clone(${e()})`,
      () => `${this.lambda(depth, ["$x"])}(${e()})`,
      () => `(function($h){ ${this.pick([`${this.name()}.$h()`, "$h()", `${this.name()}.$h($)`, "$map($, $h)"])} })($${this.pick(["string", "length", "sum", "keys", "boolean"])})`,
      () => `($h := $${this.pick(["map", "filter"])}(?, ${this.lambda(depth, ["$x"])}) ~> $${this.pick(["sum", "count", "string", "type"])}; $h([${e()}, ${e()}]))`,
      () => `$spread([${e()}, ${e()}])`,
      () => `$substring(?, 0, 2)(${this.string()})`,
      () => `$error(${s()})`,
      () => `$assert(${e()}, "no")`,
    ])();
  }
  expression(depth = 4) {
    if (depth <= 0) return this.leaf();
    const e = () => this.expression(depth - 1);
    const kind = this.below(30);
    if (kind < 8) return this.path(depth);
    if (kind < 13) return this.call(depth);
    if (kind < 16) return `${e()} ${this.pick(["+", "-", "*", "/", "%"])} ${e()}`;
    if (kind < 18) return `${e()} ${this.pick(["=", "!=", "<", "<=", ">", ">=", "in"])} ${e()}`;
    if (kind < 19) return `${e()} & ${e()}`;
    if (kind < 20) return `(${e()} ${this.pick(["and", "or"])} ${e()})`;
    if (kind < 21) return `(${e()} ? ${e()}${this.chance(0.7) ? ` : ${e()}` : ""})`;
    if (kind < 22) return `(${e()} ${this.pick(["?:", "??"])} ${e()})`;
    if (kind < 24) return `[${this.many(0, 3, e).join(", ")}]`;
    if (kind < 25) return `[${this.pick(["0", "1", "-2"])}..${this.pick(["0", "3", "5"])}]`;
    if (kind < 26) return this.object_(depth - 1);
    if (kind < 27) return `($v := ${e()}; $w := ${e()}; ${e()})`;
    if (kind < 28) return `(${e()} ~> ${this.pick(["$string", "$count", "$sum", "$keys", "$append(1)", "$map(function($x){ $x })"])})`;
    if (kind < 29) return `($ ~> |${this.path(2)}|${this.pick(['{"a": 1}', '{"b": $string(a)}', "{}"])}${this.pick(["", ', "c"', ', ["a", "b"]'])}|)`;
    return `-${this.leaf()}`;
  }
}

async function reference({ expression, data }) {
  try {
    const result = await jsonata(expression, { timeout: PATIENCE }).evaluate(data);
    if (result === undefined || typeof result === "function" || result?._jsonata_lambda || result?._jsonata_function) return {};
    return { result: JSON.parse(JSON.stringify(result)) };
  } catch (error) {
    // Failures of the reference itself have no code of the language; there is nothing to compare.
    return /^[STD]\d{4}$/.test(error.code) && error.code !== "D1012" ? { code: error.code, position: error.position, token: error.token } : null;
  }
}

// The reference evaluates the items of a constructor at once: which of several errors it tells is chance.
function agrees(ours, theirs, expression) {
  if (theirs.code) return ours.code === theirs.code || (ours.code !== undefined && /[[{]/.test(expression));
  return isDeepStrictEqual(ours, theirs);
}

const cases = [];
for (let seed = Number(first); seed < Number(first) + Number(count); seed++) {
  const maker = new Maker(seed);
  cases.push({ seed, data: maker.document(), expression: maker.expression() });
}
const lines = cases.map(({ data, expression }) => JSON.stringify({ data, expression }) + "\n").join("");
const ran = spawnSync(driver, { input: lines, encoding: "utf8", maxBuffer: 1 << 30 });
const answers = ran.stdout.trimEnd().split("\n");
let compared = 0;
let failures = 0;
const kinds = { results: 0, nothing: 0, errors: 0 };
for (const [index, one] of cases.entries()) {
  const theirs = await reference(one);
  if (!theirs) continue;
  compared++;
  kinds[theirs.code ? "errors" : "result" in theirs ? "results" : "nothing"]++;
  const ours = index < answers.length && answers[index] ? JSON.parse(answers[index]) : { code: "no answer" };
  if (agrees(ours, theirs, one.expression)) continue;
  failures++;
  if (failures <= 20)
    console.log(`seed ${one.seed}: ${one.expression}\n  on     ${JSON.stringify(one.data).slice(0, 600)}\n  theirs ${JSON.stringify(theirs).slice(0, 300)}\n  ours   ${JSON.stringify(ours).slice(0, 300)}`);
}
console.log(`${compared} expressions compared (${kinds.results} results, ${kinds.nothing} without, ${kinds.errors} errors), ${failures} differ`);
process.exit(failures > 0 || ran.status !== 0 || compared < cases.length / 2 ? 1 : 0);
