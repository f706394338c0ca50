import { describe, expect, it } from "vitest";
import { imported, refused, zip, type ZipEntry } from "../../tests/helpers/imports.ts";
import { unzstd } from "./zstd.ts";

const user = (content: unknown, more = {}) => ({ role: "user", content, source: "input", ...more });
const assistant = (content: unknown, more = {}) => ({ role: "assistant", content, source: "generate", ...more });
const output = (message: unknown, stop_reason = "stop", more = {}) => ({
  model: "m",
  choices: [{ message, stop_reason }],
  ...more,
});
const sample = (id: number | string, epoch: number, messages: unknown[], more = {}) => ({
  id,
  epoch,
  input: "q",
  target: "",
  messages,
  output: output(messages.at(-1)),
  scores: {},
  metadata: {},
  store: {},
  events: [],
  attachments: {},
  ...more,
});
const header = {
  version: 2,
  status: "success",
  eval: { run_id: "r", created: "2026-05-02T10:00:00+00:00", task: "clinic", model: "org/model", config: {} },
  plan: { name: "plan", steps: [], config: { temperature: 0.5 } },
  results: { total_samples: 1 },
  stats: { model_usage: { "org/model": { total_tokens: 3, total_cost: 0.25 } } },
};
const short = [{ role: "system", content: "s" }, user("Open?"), assistant("Yes.")];
const log = (...samples: unknown[]): string => JSON.stringify({ ...header, samples });
const archive = (...samples: { id: number | string; epoch: number }[]): ZipEntry[] => [
  { name: "_journal/start.json", data: JSON.stringify({ version: 2, eval: header.eval, plan: header.plan }) },
  ...samples.map((one) => ({ name: `samples/${one.id}_epoch_${one.epoch}.json`, data: JSON.stringify(one) })),
  { name: "summaries.json", data: "[]" },
  { name: "header.json", data: JSON.stringify(header) },
];

/** The second sample, packed by the reference implementation of Zstandard. */
const PACKED =
  "KLUv/WT3ADUGAPLKIB1wSdMGpehJ2JgsZvLDTij+gzkpFyJUhEUC6AnnBYW1DOuYikw5SHL1Nufp0kAOKxL5sipvY1gHUMQmWs/oFSyi1VNFNgttMZNiquxI5YuBz9UOSNUQOyhob3OBJDgXiGwSUIGKMKbRknQ6vCPZjLUOrErwbhPgcyNlYrd5Iux9XtyXGAAyAVA+UEFjCfnmgtsesSGXasHErEEg4KJFbY0f0EYQW8GvbQyNLsfYnPQBYdDN1LARsyyEBYEAr6h/eGs+AY9ndQ4=";
const packed = Buffer.from(PACKED, "base64");

describe("importing logs of Inspect AI", () => {
  it("reads JSON and archives to the same conversations", async () => {
    const samples = [sample(1, 1, short), sample(1, 2, short), sample("a/b", 1, short)];
    const runs = [
      await imported("inspect", {}, log(...samples)),
      await imported("inspect", {}, zip(archive(...samples))),
      await imported("inspect", {}, zip(archive(...samples).map((entry) => ({ ...entry, method: 0 })))),
    ];
    for (const { report, turns, source } of runs) {
      expect(report).toMatchObject({ conversations: 3, turns: 9, suspect_turns: 0, assumed: [] });
      expect(Object.keys(turns)).toEqual(["1_epoch_1", "1_epoch_2", "a/b_epoch_1"]);
      expect(turns["a/b_epoch_1"]).toEqual([
        { role: "system", turn: 1, content: "s" },
        { role: "user", turn: 1, content: "Open?" },
        { role: "assistant", turn: 1, content: "Yes.", finish_reason: "stop" },
      ]);
      expect(source.manifest).toMatchObject({
        run_date: "2026-05-02T10:00:00+00:00",
        model_ids: ["org/model"],
        imported_from: [{ status: "success", task: "clinic", temperature: 0.5, cost_usd: 0.25 }],
      });
      expect(source.summary).toMatchObject({ actual_cost_usd: 0.25 });
      expect(source.conversations[0]?.entry.category).toBe("clinic");
      expect(report.dropped.map(({ field }) => field)).toEqual(["results", "samples[].input"]);
    }
  });
  it("reads entries packed with Zstandard", async () => {
    const text = unzstd(packed, 503).toString();
    expect(unzstd(Buffer.concat([packed, packed]), 1006).toString()).toBe(text + text);
    const [start, ...rest] = archive();
    const entries = [start!, ...rest, { name: "samples/two_epoch_1.json", data: text, method: 93, packed }];
    const { turns } = await imported("inspect", {}, zip(entries));
    expect(turns["two_epoch_1"]?.[1]?.content).toBe("The clinic is open on Monday, the clinic is not open on Sunday.");
  });
  it("takes a log that was broken off, and says so", async () => {
    const entries = archive(sample(1, 1, short)).filter(({ name }) => name !== "header.json");
    const { source } = await imported("inspect", {}, zip(entries));
    expect(source.manifest).toMatchObject({ imported_from: [{ status: "started" }] });
  });
  it("marks replies by the recorded stop reason, error of the output and error of the sample", async () => {
    const first = assistant("one", { id: "m1" });
    const last = assistant("two", { id: "m2" });
    const messages = [user("a"), first, user("b"), last];
    const events = [
      { event: "model", output: output(first, "max_tokens") },
      { event: "info", data: 1 },
    ];
    const { report, turns } = await imported(
      "inspect",
      {},
      log(
        sample("events", 1, messages, { events, output: output(last, "content_filter") }),
        sample("error", 1, messages, { output: output(last, "stop", { error: "moderated" }) }),
        sample("halted", 1, messages, { error: { message: "boom", traceback: "" } }),
        sample("other", 1, messages, { output: output(assistant("three", { id: "m3" }), "max_tokens") }),
        sample("none", 1, [user("a")], { output: { model: "m", choices: [] }, error: { message: "boom" } }),
      ),
    );
    const reasons = (id: string) =>
      turns[`${id}_epoch_1`]?.flatMap(({ role, finish_reason }) =>
        role === "assistant" ? [finish_reason ?? null] : [],
      );
    expect(reasons("events")).toEqual(["max_tokens", "content_filter"]);
    expect(reasons("error")).toEqual([null, "error"]);
    expect(reasons("halted")).toEqual([null, "sample_error"]);
    expect(reasons("other")).toEqual([null, null]);
    expect(report.suspect_turns).toBe(4);
    expect(report.dropped).toContainEqual({ file: "in-0.inspect", field: "samples without a reply", count: 1 });
  });
  it("leaves out reasoning, tools and images, resolves attachments, reads Python's numbers", async () => {
    const hash = "0123456789abcdef0123456789abcdef";
    const messages = [
      user(`attachment://${hash}`),
      assistant("", { tool_calls: [{ id: "t", function: "f", arguments: {} }] }),
      { role: "tool", content: "r", tool_call_id: "t" },
      assistant([
        { type: "reasoning", reasoning: "hm" },
        { type: "text", text: "Yes," },
        { type: "text", text: "no." },
      ]),
    ];
    const text = log(
      sample(1, 1, messages, { attachments: { [hash]: "long" }, metadata: { score: "NAN", 'say \\"NaN': 0 } }),
    );
    const { report, turns } = await imported("inspect", {}, text.replace('"NAN"', "NaN").replace("0.25", "-Infinity"));
    expect(turns["1_epoch_1"]).toEqual([
      { role: "user", turn: 1, content: "long" },
      { role: "assistant", turn: 1, content: "Yes,\nno.", finish_reason: "stop" },
    ]);
    expect(report.dropped.map(({ field, count }) => [field, count])).toEqual([
      ["messages[].content[type=reasoning]", 1],
      ["messages[].tool_calls", 1],
      ["messages[role=assistant] with tool calls and no text", 1],
      ["messages[role=tool]", 1],
      ["numbers that are NaN or infinite", 2],
      ["results", 1],
      ["samples[].input", 1],
      ["samples[].metadata", 1],
    ]);
  });
  const one = sample(1, 1, short);
  const lie = (entry: Partial<ZipEntry>) =>
    zip([...archive(), { name: "samples/1_epoch_1.json", data: "{}", ...entry }]);
  const zeros = Buffer.alloc(20 << 20);
  const frame = (descriptor: number[], ...body: number[]) =>
    Buffer.from([0x28, 0xb5, 0x2f, 0xfd, ...descriptor, ...body]);
  it.each([
    ["another JSON", "{}", "bad_source", /in-0.*eval/],
    ["a newer version", JSON.stringify({ ...header, version: 3, samples: [] }), "bad_source", /version 3/],
    ["no samples", JSON.stringify(header), "bad_source", /samples/],
    ["samples without replies", log(sample(1, 1, [user("a")])), "no_conversations", /no conversation/],
    ["the same sample twice", log(one, one), "duplicate_conversation", /1_epoch_1/],
    ["a broken sample", log(one, { id: 1 }), "bad_record", /sample 2.*epoch/],
    ["a broken message", log({ ...one, messages: [user(5)] }), "bad_record", /sample 1.*messages\.0/],
    [
      "a lost attachment",
      log(sample(1, 1, [user(`attachment://${"0".repeat(32)}`), assistant("a")])),
      "bad_record",
      /messages\.0 refers/,
    ],
    ["broken JSON", "{NaN", "bad_json", /not JSON/],
    ["__proto__", log(one).replace('"store":{}', '"store":{"__proto__":{}}'), "bad_json", /__proto__/],
    ["no header", zip([{ name: "a.json", data: "{}" }]), "bad_source", /header\.json/],
    ["no archive", "PK\x03\x04 nothing", "bad_archive", /zip archive/],
    ["a cut archive", zip(archive(one)).subarray(0, 300), "bad_archive", /zip archive/],
    [
      "a sample in pieces",
      zip([...archive(), { name: "samples/1_epoch_1/sample.json", data: "{}" }]),
      "bad_source",
      /in pieces/,
    ],
    ["a path out of the archive", lie({ name: "../samples/1_epoch_1.json" }), "bad_archive", /\.\.\/samples/],
    ["an absolute path", lie({ name: "/samples/1_epoch_1.json" }), "bad_archive", /absolute/],
    ["a wrong checksum", lie({ crc: 1 }), "bad_archive", /1_epoch_1.*checksum/],
    ["more bytes than declared", lie({ declaredSize: 1 }), "bad_archive", /1_epoch_1/],
    ["fewer bytes than declared", lie({ declaredSize: 9 }), "bad_archive", /1_epoch_1/],
    ["an encrypted entry", lie({ flags: 1 }), "bad_archive", /encrypted/],
    ["another method", lie({ method: 14 }), "bad_archive", /method 14/],
    ["a declared bomb", lie({ declaredSize: 1 << 30 }), "too_large", /256 MiB/],
    ["a bomb by ratio", lie({ data: zeros }), "too_large", /packed into/],
    ["a bomb that lies", lie({ data: zeros, declaredSize: 100 }), "bad_archive", /1_epoch_1/],
    ["Zstandard: nothing", lie({ method: 93, packed: Buffer.alloc(0) }), "bad_archive", /Zstandard/],
    [
      "Zstandard: a dictionary",
      lie({ method: 93, packed: frame([3, 0, 0, 0, 0, 0], 1, 0, 0) }),
      "bad_archive",
      /dictionary/,
    ],
    ["Zstandard: a huge window", lie({ method: 93, packed: frame([0, 0xa0], 1, 0, 0) }), "bad_archive", /window/],
    [
      "Zstandard: a huge size",
      lie({ method: 93, packed: frame([0xe0, 0, 0, 0, 0, 1, 0, 0, 0], 1, 0, 0) }),
      "bad_archive",
      /window/,
    ],
    ["Zstandard: a reserved block", lie({ method: 93, packed: frame([0, 0], 7, 0, 0) }), "bad_archive", /broken block/],
    ["Zstandard: cut", lie({ method: 93, packed: packed.subarray(0, 200) }), "bad_archive", /too early/],
    [
      "Zstandard: many frames",
      lie({
        method: 93,
        packed: Buffer.concat([frame([0, 0], 1, 0, 0), frame([0, 0], 1, 0, 0), frame([0, 0], 1, 0, 0)]),
      }),
      "bad_archive",
      /too many frames/,
    ],
    [
      "Zstandard: a bomb",
      lie({
        method: 93,
        packed: frame([0, 0x50], ...Array.from({ length: 400 }, () => [2, 0, 16, 0]).flat(), 3, 0, 16, 0),
      }),
      "bad_archive",
      /declared|broken/,
    ],
  ])("refuses %s", async (_name, content, code, message) => {
    const error = await refused("inspect", {}, content);
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
  });
  it("takes the later of two entries with one name, as zip readers do, and says so", async () => {
    const entries = [...archive(one), ...archive(sample(1, 1, [user("q"), assistant("later")])).slice(1, 2)];
    const { report, turns } = await imported("inspect", {}, zip(entries));
    expect(turns["1_epoch_1"]?.at(-1)?.content).toBe("later");
    expect(report.dropped[0]).toEqual({
      file: "in-0.inspect",
      field: "archive entries replaced by a later one",
      count: 1,
    });
  });
  it("refuses a model that the log names itself", async () => {
    expect((await refused("inspect", { modelId: "m" }, log(one))).code).toBe("unused_option");
  });
});
