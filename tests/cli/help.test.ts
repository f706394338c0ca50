import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { buildProgram } from "../../engine/cli/main.ts";
import { bench } from "./bench.ts";

function walk(command: Command, path: string[] = []): string[][] {
  return [path, ...command.commands.flatMap((child) => walk(child, [...path, child.name()]))];
}
const commands = walk(buildProgram(() => undefined));

describe("every command's --help", () => {
  it("covers what the documentation lists", () => {
    const names = commands.map((path) => path.join(" "));
    for (const name of [
      "checks list",
      "checks show",
      "checks lint",
      "exemplars verify",
      "source import",
      "study list",
      "study lint",
      "study show",
      "study plan",
      "study new",
      "study seen",
      "scan plan",
      "scan run",
      "scan replay",
      "scan verify",
      "scan status",
      "compare",
      "card",
      "questions",
      "judgments import",
      "agreement",
      "labels export",
      "labels import",
      "judges list",
      "tables",
      "sql",
      "demo",
    ])
      expect(names).toContain(name);
  });

  it.each(commands.map((path) => [["bench", ...path].join(" "), path] as const))("%s", (_, path) => {
    let best = Infinity;
    // Up to five tries for the time: the machine may be busy with something else.
    for (let i = 0; i < 5 && best >= 500; i++) {
      const { code, stdout, stderr, ms } = bench([...path, "--help"]);
      expect(code).toBe(0);
      expect(stderr).toBe("");
      expect(stdout).toMatch(/^Usage: bench/);
      expect(stdout).toMatch(/\nExamples?:\n {2}bench/);
      expect(stdout).toContain(["bench", ...path].join(" "));
      best = Math.min(best, ms);
    }
    expect(best).toBeLessThan(500);
  });
});
