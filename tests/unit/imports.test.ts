import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";

// The real import graph, dynamic and type-only imports included, read from the files: what the lint rule says file by
// file is proved here for every path through the engine.
const root = join(packageRoot, "engine");
const files = readdirSync(root, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
  .map((file) => file.replaceAll("\\", "/"));

const graph = new Map(
  files.map((file) => {
    const found = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true).importedFiles;
    return [file, found.map(({ fileName }) => (fileName.startsWith(".") ? within(file, fileName) : fileName))] as const;
  }),
);

function within(file: string, target: string): string {
  return relative(root, resolve(root, dirname(file), target)).replaceAll("\\", "/");
}

const partOf = (file: string): string => (file.includes("/") ? file.slice(0, file.indexOf("/")) : "");
const filesOf = (...parts: string[]): string[] => files.filter((file) => parts.includes(partOf(file)));

/** Everything reachable from `start`, each with the path that leads there. */
function reach(start: string): Map<string, string[]> {
  const seen = new Map([[start, [start]]]);
  for (const [at, path] of seen)
    for (const next of graph.get(at) ?? []) if (!seen.has(next)) seen.set(next, [...path, next]);
  return seen;
}

function pathsFrom(parts: string[], forbidden: (target: string) => boolean): string[] {
  return filesOf(...parts).flatMap((file) =>
    [...reach(file)].filter(([target]) => forbidden(target)).map(([, path]) => path.join(" -> ")),
  );
}

describe("the import graph of the engine", () => {
  it("is read whole: every relative import is a file", () => {
    expect(files.length).toBeGreaterThan(50);
    const missing = [...graph].flatMap(([file, targets]) =>
      targets.filter((target) => target.endsWith(".ts") && !graph.has(target)).map((target) => `${file} -> ${target}`),
    );
    expect(missing).toEqual([]);
    // One that is only loaded when its command runs.
    expect(graph.get("cli/judges.ts")).toContain("judges/list.ts");
  });

  it("keeps labels from the judge: scan, judges, rules, evidence and checks never reach validation or what uses it", () => {
    const above = ["validation", "foreign", "studies", "reports", "tables", "cli"];
    expect(
      pathsFrom(["scan", "judges", "rules", "evidence", "checks"], (target) => above.includes(partOf(target))),
    ).toEqual([]);
  });

  it("keeps validation below studies, reports and tables, and everything below the command line", () => {
    const above = ["studies", "reports", "tables"];
    expect(pathsFrom(["validation"], (target) => above.includes(partOf(target)))).toEqual([]);
    const parts = [...new Set(files.map(partOf))].filter((part) => part !== "cli");
    expect(pathsFrom(parts, (target) => partOf(target) === "cli")).toEqual([]);
  });

  it("keeps rules and statistics free of input and output", () => {
    const inputOutput = /^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|os)(\/|$)/;
    expect(pathsFrom(["rules", "stats"], (target) => inputOutput.test(target))).toEqual([]);
  });

  it("keeps schema and canon leaves", () => {
    const inner = (target: string) => files.includes(target) && !["schema", "canon"].includes(partOf(target));
    expect(pathsFrom(["schema", "canon"], inner)).toEqual([]);
    expect(pathsFrom(["schema"], (target) => partOf(target) === "canon")).toEqual([]);
  });

  it("keeps the site out of the engine", () => {
    const parts = [...new Set(files.map(partOf))];
    expect(pathsFrom(parts, (target) => target.startsWith("../") || target.startsWith("@observablehq/"))).toEqual([]);
  });
});
