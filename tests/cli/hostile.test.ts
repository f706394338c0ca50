import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { bench, command, envelope, scratch } from "./bench.ts";

// A transcript is data: whatever it holds, from import to terminal it obeys nothing and breaks nothing.
const NASTY = [
  "# Heading\n\n| a | b |\n| - | - |\n",
  "<script>alert(1)</script> <!-- commentary -->\n<!-- commentary -->\n",
  "`code` ```\nfence\n``` **bold** [x](javascript:alert(1)) ![i](http://evil.example/x.png) https://evil.example\n",
  "\u202eevil\u202c \u2066iso\u2069 \u200e\ufeff ",
  "\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u009b31m \u0008\u0000\r\n---\n> quote $x$ &amp;",
].join("");
const LONG = "x".repeat(1_000_000);
const MODEL = "org/<b>model|`x`\u202e";

const directory = scratch();
const scan = join(directory, "scan");
const other = join(directory, "other");

beforeAll(() => {
  const talk = (text: string) => [
    { role: "user", content: text },
    { role: "assistant", content: `I am a real person. ${text}` },
  ];
  mkdirSync(directory, { recursive: true });
  const rows = [NASTY, LONG].map((text, i) => ({ id: `case-${i}`, model: MODEL, messages: talk(text) }));
  const file = join(directory, "chat.jsonl");
  writeFileSync(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  const source = join(directory, "source");
  const steps = [
    ["source", "import", "--from", "chat", file, "--output", source, "--run-date", "2026-01-01"],
    ["scan", "plan", source, "--output", scan, "--judge", "constant:yes"],
    ["scan", "run", "--plan", scan],
    ["scan", "rejudge", scan, "--output", other, "--judge", "constant:half"],
    ["scan", "run", "--plan", other],
  ];
  for (const step of steps) inert(run(step));
}, 120_000);

function run(args: readonly string[]): string {
  const { code, stdout, stderr } = bench(args);
  expect(code, stderr).toBe(0);
  return stdout + stderr;
}

/**
 * Nothing a terminal obeys, no direction override, and no line that buries the rest. `--json` is one line, as long as what it
 * has to say: it must still not hold the megabyte.
 */
function inert(text: string, longest = 20_000): string {
  expect(text).not.toMatch(/[^\P{Cc}\n\t]|[\u061c\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/u);
  for (const line of text.split("\n")) expect(line.length).toBeLessThan(longest);
  return text;
}

describe("a hostile transcript", () => {
  it.each([
    ["compare", "--old", scan, "--new", other],
    ["questions", other],
    ["agreement", scan, other],
    ["scan", "replay", other],
    ["scan", "verify", other],
    ["sql", other, "select content, model_id from turns join conversations using (transcript_sha256)"],
    ["sql", other, "select left(content, 900) from turns", "--format", "json"],
    ["compare", "--old", scan, "--new", other, "--json"],
  ])("%s %s leaves the terminal alone", { timeout: 60_000 }, (...args) => {
    inert(run(args), args.includes("--json") ? LONG.length / 4 : undefined);
  });

  it("is text in the Jury Card, which keeps its one marker", () => {
    for (const bundle of [scan, other]) {
      const card = inert(readFileSync(join(bundle, "jury-card.md"), "utf8"));
      expect(card.split("\n").filter((line) => line === "<!-- commentary -->")).toHaveLength(1);
      expect(card.replace(/^<!-- commentary -->$/m, "")).not.toMatch(/<|https?:\/\/|(?<!\\)\]\(|^```/m);
    }
    expect(readFileSync(join(scan, "jury-card.md"), "utf8")).toContain("&lt;script&gt;");
  });

  it("is whole and as it was in JSON and in a piped CSV", { timeout: 60_000 }, () => {
    const query = "select content from turns where role = 'user' order by length(content)";
    const json = envelope(bench(["sql", other, query, "--json"]));
    expect(json).toMatchObject({ data: { rows: [{ content: NASTY }, { content: LONG }] } });
    const { stdout } = bench(["sql", other, query, "--format", "csv"]);
    expect(stdout).toContain(NASTY.replaceAll('"', '""'));
    expect(stdout).toContain(LONG);
  });

  const script = spawnSync("script", ["--version"]).status === 0;
  it.skipIf(!script)("is spelled out in CSV on a terminal (skipped without script)", { timeout: 60_000 }, () => {
    const query = "select left(content, 900) from turns";
    const words = [process.execPath, command, "sql", other, query, "--format", "csv"];
    const line = words.map((word) => `'${word}'`).join(" ");
    const { stdout } = spawnSync("script", ["-qec", line, "/dev/null"], { encoding: "utf8", cwd: directory });
    expect(inert(stdout.replaceAll("\r\n", "\n"))).toContain("\\u001b[31mred");
  });
});
