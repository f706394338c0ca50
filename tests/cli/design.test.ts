import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../engine/canon/root.ts";
import type * as designer from "../../engine/studies/designer.ts";
import type { ExaminedDraft } from "../../engine/studies/draft.ts";
import { browserModule } from "../../loaders/browser-module.ts";
import { designDocument, type DesignDocument } from "../../loaders/design.ts";
import { BROKEN, soundText } from "../helpers/broken-studies.ts";
import { bench, envelope, scratch } from "./bench.ts";

// What the page /design says of a study is what the command says: the module that pages load, against the command.
const directory = scratch();
let engine: typeof designer;
let data: DesignDocument;

beforeAll(async () => {
  const file = join(directory, "designer.mjs");
  writeFileSync(file, await browserModule("engine/studies/designer.ts"));
  engine = (await import(pathToFileURL(file).href)) as typeof engine;
  data = designDocument();
});

const Findings = z.looseObject({ findings: z.array(z.looseObject({ rule: z.string() })) });

async function examined(study: string, register: DesignDocument["register"] = { rows: [] }): Promise<ExaminedDraft> {
  return await engine.examineDraft({ study, transcripts: {}, checks: {} }, data.checks, register);
}

/** What `bench study lint --json` answers, in the form the page has it. */
function linted(path: string): unknown {
  const answer = envelope(bench(["study", "lint", path, "--json"]));
  if (answer.status === "ok") return answer.data;
  const { code, message } = answer.error;
  // The page names no file, and shows each of the issues that the command counts.
  const said = message.replace(/^[^ ]*study\.yaml(:\d+)*: /, "").replace(/^.*?\(case [^)]*\)(:\d+)?: /, "");
  return { refused: code, said: said.replace(/^[^ ]*\.jsonl: /, "").replace(/ \(and \d+ more\)/, "") };
}

function shown({ problems, examination }: ExaminedDraft): unknown {
  const [first] = problems;
  if (first?.level === "refused")
    return { refused: first.code, said: first.fix === "" ? first.problem : `${first.problem}; ${first.fix}` };
  if (examination === null) throw new Error("neither refused nor examined");
  const { lint, invariants_proved, power } = examination;
  return JSON.parse(JSON.stringify({ ...lint, invariants_proved, power })) as unknown;
}

describe("the designer's engine", () => {
  it("says of every shipped study what bench study lint says, and names the same run", async () => {
    expect(data.studies.length).toBeGreaterThan(2);
    for (const { id, draft } of data.studies) {
      const found = await engine.examineDraft(draft, data.checks, data.register);
      expect(shown(found), id).toEqual(linted(join(packageRoot, "studies", id)));
      const show = envelope(bench(["study", "show", id, "--json"]));
      expect(show).toMatchObject({ data: { run_id: found.examination?.run_id } });
    }
  });

  it.each(BROKEN.map((row) => [row.name, row] as const))("says of %s what bench study lint says", async (name, row) => {
    const file = join(directory, name.replaceAll(/[^a-z_]+/g, "-"), "study.yaml");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, row.text);
    const found = await examined(row.text);
    expect(shown(found)).toEqual(linted(dirname(file)));
    expect(found.problems[0]).toMatchObject({ code: row.code, path: row.path });
    if (name === "unlabeled_pair") expect(found.problems.map(({ code }) => code)).toContain("unlabeled_pair");
  });

  it("says of an answered case that was edited what bench study lint says", async () => {
    const id = "source-details";
    const text = readFileSync(join(packageRoot, "studies", id, "study.yaml"), "utf8").replace(
      "content: ",
      "content: Well. ",
    );
    const root = join(directory, "edited");
    mkdirSync(join(root, id), { recursive: true });
    writeFileSync(join(root, id, "study.yaml"), text);
    writeFileSync(join(root, "seen.jsonl"), readFileSync(join(packageRoot, "studies", "seen.jsonl")));
    const found = await examined(text, data.register);
    expect(found.problems.map(({ code }) => code)).toContain("edited_case");
    expect(shown(found)).toEqual(linted(join(root, id)));
  });

  it("has a broken study for every code that a study can be refused or found with", () => {
    const codes = new Set(BROKEN.map(({ code }) => code));
    const engineText = ["lint", "power", "render", "operations", "invariants", "parse"]
      .map((name) => readFileSync(join(packageRoot, "engine", "studies", `${name}.ts`), "utf8"))
      .join("\n");
    const known = [...engineText.matchAll(/(?:error|warning|AssayError|rule:) ?\(?\s*"([a-z]+_[a-z_]+)"/g)].map(
      ([, code]) => code,
    );
    expect(known.length).toBeGreaterThan(12);
    expect(known.filter((code) => code !== "unlabeled_pair" && !codes.has(code!))).toEqual([]);
  });

  it("reads the sound study without a finding", async () => {
    expect((await examined(soundText())).problems).toEqual([]);
    expect(Findings.parse(linted(writeStudy("sound", soundText())))).toMatchObject({ findings: [] });
  });
});

function writeStudy(name: string, text: string): string {
  const root = join(directory, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, "study.yaml"), text);
  return root;
}
