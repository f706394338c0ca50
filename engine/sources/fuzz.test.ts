import fc from "fast-check";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, it } from "vitest";
import { zip } from "../../tests/helpers/imports.ts";
import { edited, edits } from "../../tests/helpers/mutate.ts";
import { AssayError } from "../canon/errors.ts";
import { loadSource } from "../scan/source.ts";
import { importSource } from "./index.ts";

const options = { model_id: "m", run_date: "unknown" };
const messages = [
  { role: "system", content: "s" },
  { role: "user", content: [{ type: "text", text: "q" }] },
  { role: "assistant", content: "r", id: "m", finish_reason: "stop" },
];
const sample = { id: 1, epoch: 1, messages, output: { choices: [{ message: messages[2], stop_reason: "stop" }] } };
const log = { version: 2, status: "success", eval: { model: "m", created: "2026", task: "t" } };
/** A Zstandard frame with one block that is not packed. */
function rawFrame(value: unknown): Buffer {
  const text = Buffer.from(JSON.stringify(value));
  const block = (text.length << 3) | 1;
  return Buffer.concat([
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0x50, block & 255, (block >> 8) & 255, block >> 16]),
    text,
  ]);
}
const seeds: Record<string, Buffer[]> = {
  chat: [Buffer.from(`${JSON.stringify({ id: 1, messages })}\n${JSON.stringify({ id: "b", messages })}\n`)],
  inspect: [
    Buffer.from(JSON.stringify({ ...log, samples: [sample] })),
    zip([
      { name: "header.json", data: JSON.stringify(log) },
      { name: "samples/1_epoch_1.json", data: JSON.stringify(sample) },
    ]),
    zip([
      { name: "header.json", data: JSON.stringify(log), method: 0 },
      { name: "samples/1_epoch_1.json", data: JSON.stringify(sample), method: 93, packed: rawFrame(sample) },
    ]),
  ],
  csv: [Buffer.from('conversation_id,role,content,turn\na,user,"q ""x""\r\ny",1\na,assistant,r,1\nb,assistant,r,2\n')],
  parquet: [],
};

beforeAll(async () => {
  const file = join(mkdtempSync(join(tmpdir(), "assay-fuzz-")), "x.parquet");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  await connection.run(
    `copy (select i // 2 as conversation_id, if(i % 2 = 0, 'user', 'assistant') as role, 'text' as content from range(20) t(i)) to '${file}' (format parquet)`,
  );
  seeds["parquet"] = [readFileSync(file)];
});

/** Either a run that loads, or one typed error of one line and nothing left; anything else throws. */
async function survives(from: string, content: Uint8Array): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "assay-fuzz-"));
  try {
    const path = join(directory, "in");
    writeFileSync(path, content);
    const output = join(directory, "out");
    try {
      await importSource(from, [path], output, options);
    } catch (error) {
      if (!(error instanceof AssayError) || error.message.includes("\n")) throw error;
      if (readdirSync(directory).length !== 1)
        throw new Error(`left something behind: ${error.message}`, { cause: error });
      return;
    }
    loadSource(output);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe("hostile inputs give a run or a typed error", () => {
  it.each(Object.keys(seeds))("%s: bytes changed, cut, inserted, repeated", async (from) => {
    const choices = seeds[from] ?? [];
    await fc.assert(
      fc.asyncProperty(fc.nat(choices.length - 1), edits, (i, changes) => survives(from, edited(choices[i]!, changes))),
      { numRuns: from === "parquet" ? 60 : 300 },
    );
  });
  it.each(["chat", "inspect"])("%s: any JSON in any place", async (from) => {
    const key = fc.constantFrom("id", "epoch", "messages", "role", "content", "output", "choices", "type", "error");
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.constantFrom<unknown>("user", "assistant", "", 1, -0, 1e300, null, true, "\ud800", "attachment://x"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 6 }),
      ),
    }));
    await fc.assert(
      fc.asyncProperty(value, fc.constantFrom("row", "messages", "message"), (made, place) => {
        const broken =
          place === "row" ? made : { ...sample, messages: place === "messages" ? made : [...messages, made] };
        return survives(
          from,
          Buffer.from(JSON.stringify(from === "chat" ? broken : { ...log, samples: [broken] }) ?? ""),
        );
      }),
      { numRuns: 300 },
    );
  });
  it("arrays nested too deep", async () => {
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    for (const text of [deep, `{"messages":${deep},"\\u005f":1}`, `{"samples":${deep}`])
      for (const from of ["chat", "inspect"]) await survives(from, Buffer.from(text));
  });
});
