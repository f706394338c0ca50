import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { bench, command, envelope, scratch } from "./bench.ts";

// The documents are run as they stand: each `npx bench` line of the tutorial, the YAML it has the reader save, and
// every line of output it shows.
const directory = scratch();
const read = (name: string): string => readFileSync(join(packageRoot, "docs", name), "utf8");

interface Block {
  kind: string;
  text: string;
  before: string;
}

function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  let from = 0;
  for (const match of markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    found.push({ kind: match[1]!, text: match[2]!, before: markdown.slice(from, match.index) });
    from = match.index + match[0].length;
  }
  return found;
}

const benchLines = (text: string): string[] => text.split("\n").filter((line) => line.startsWith("npx bench "));

/** What a line prints to both streams, run as a shell would; it must succeed. */
function shell(line: string, cwd: string): string {
  const script = `exec 2>&1; ${line.replace("npx bench", `"${process.execPath}" "${command}"`)}`;
  return execFileSync("bash", ["-c", script], { cwd, encoding: "utf8" });
}

describe("the README", () => {
  it("tours commands that work", () => {
    const tour = blocks(readFileSync(join(packageRoot, "README.md"), "utf8")).flatMap(({ text }) => benchLines(text));
    expect(tour.length).toBeGreaterThanOrEqual(7);
    const cwd = join(directory, "tour");
    mkdirSync(cwd);
    for (const line of tour) expect(shell(line, cwd)).not.toBe("");
  });
});

describe("the tutorial", () => {
  it("does what it says", () => {
    // A checkout's own checks, and its studies without the shipped one.
    cpSync(join(packageRoot, "checks"), join(directory, "checks"), { recursive: true });
    let output = "";
    const ran: string[] = [];
    for (const { kind, text, before } of blocks(read("tutorial.md"))) {
      if (kind === "yaml") {
        const file = join(directory, /Save this as `([^`]+)`/.exec(before)![1]!);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, text);
      } else if (kind === "sh") {
        output = "";
        for (const line of text
          .trimEnd()
          .split("\n")
          .filter((line) => line.startsWith("npx bench "))) {
          const result = bench(line.split(" ").slice(2), { cwd: directory });
          expect(result.code, `${line}\n${result.stderr}`).toBe(0);
          output += result.stdout + result.stderr;
          ran.push(line);
        }
      } else {
        for (const line of text.trimEnd().split("\n")) expect(output).toContain(line);
      }
    }
    expect(ran.length).toBeGreaterThanOrEqual(10);
  });

  it("and the reader can verify its result without the command", () => {
    const script = blocks(read("file-formats.md")).find(({ kind }) => kind === "sh")!.text;
    const run = () => execFileSync("bash", ["-c", script], { cwd: directory, encoding: "utf8" });
    const verified = envelope(bench(["scan", "verify", "results/life-lexicon", "--json"], { cwd: directory }));
    const said = /^seal ([0-9a-f]{64})\n$/.exec(run());
    expect(verified).toMatchObject({ data: { status: "sealed_ok", seal_sha256: said?.[1] } });
    const file = join(directory, "results/life-lexicon/judgments.jsonl");
    writeFileSync(file, readFileSync(file, "utf8").replace("PASS", "FAIL"));
    expect(run()).toMatch(/^changed: judgments\.jsonl\nseal /);
  });
});
