import { execFileSync, spawn } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { beforeAll, describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { buildProgram } from "../../engine/cli/main.ts";
import { schemaDocument } from "../../engine/tables/publish.ts";
import { escaped } from "../../loaders/docs/navigation.ts";
import { docNames, docPage, sections } from "../../loaders/docs/pages.ts";
import { startProvider } from "../provider/paid-scan.ts";
import { command, scratch } from "./bench.ts";

// The how-tos are run as they stand: every `sh` block that is not marked `skip`, over the files that the page has the
// reader save, and every line of output it shows. A provider's address is exchanged for a server of this process.
const directory = scratch();
const docs = join(packageRoot, "docs");

interface Block {
  info: string;
  text: string;
  before: string;
}

function blocks(markdown: string): Block[] {
  const found: Block[] = [];
  let from = 0;
  for (const match of markdown.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)) {
    found.push({ info: match[1] ?? "", text: match[2] ?? "", before: markdown.slice(from, match.index) });
    from = match.index + match[0].length;
  }
  return found;
}

/** `npx bench` and `bench`, as an installed package would give them. */
function shims(): string {
  const bin = join(directory, "bin");
  mkdirSync(bin);
  const bench = `exec "${process.execPath}" "${command}" "$@"\n`;
  writeFileSync(join(bin, "bench"), `#!/bin/sh\n${bench}`);
  writeFileSync(join(bin, "npx"), `#!/bin/sh\nshift\n${bench}`);
  for (const name of ["bench", "npx"]) chmodSync(join(bin, name), 0o755);
  return bin;
}

/** What import.md reads and does not show. */
const GIVEN: Record<string, Record<string, string>> = {
  "import.md": {
    "chats.jsonl": `${JSON.stringify({ id: "a", messages: ["user", "assistant"].map((role) => ({ role, content: `The ${role}.` })) })}\n`,
    "chats.csv": "thread,role,text\na,human,Hello.\na,bot,Good evening.\n",
  },
};

const HOW_TOS = readdirSync(docs).filter(
  (name) => name.endsWith(".md") && blocks(readFileSync(join(docs, name), "utf8")).some(isRun),
);
// The tutorial and the checking by hand have a test of their own beside this one.
const elsewhere = ["tutorial.md", "file-formats.md"];

function isRun({ info }: Block): boolean {
  return info === "sh";
}

describe("the how-tos", () => {
  let bin: string;
  let url: string;
  beforeAll(async () => {
    bin = shims();
    ({ url } = await startProvider());
  });

  it("are found", () => {
    expect(HOW_TOS.length).toBeGreaterThanOrEqual(12);
  });

  it.each(HOW_TOS.filter((name) => !elsewhere.includes(name)))("%s does what it says", async (name) => {
    const cwd = join(directory, name.replace(".md", ""));
    for (const folder of ["checks", "studies"])
      cpSync(join(packageRoot, folder), join(cwd, folder), { recursive: true });
    for (const [file, text] of Object.entries(GIVEN[name] ?? {})) writeFileSync(join(cwd, file), text);
    let output = "";
    for (const block of blocks(readFileSync(join(docs, name), "utf8"))) {
      const saved = /Save this as `([^`]+)`:?\s*$/.exec(block.before)?.[1];
      if (saved !== undefined) {
        mkdirSync(dirname(join(cwd, saved)), { recursive: true });
        writeFileSync(join(cwd, saved), block.text);
      } else if (isRun(block)) output = await shell(atHome(block.text, url), cwd, bin);
      else if (block.info === "text")
        for (const line of block.text.trimEnd().split("\n")) expect(output).toContain(line);
    }
  });
});

/** The lines of a block with every provider's address exchanged. */
function atHome(script: string, url: string): string {
  return script
    .replace(/http:\/\/localhost:\d+(\/v1)?/g, url)
    .split("\n")
    .map((line) =>
      /--judge (decisions|chat):/.test(line) && !line.includes("--base-url") ? `${line} --base-url ${url}` : line,
    )
    .join("\n");
}

/** Both streams of a script that must succeed. The provider answers from this process, so it may not block. */
async function shell(script: string, cwd: string, bin: string): Promise<string> {
  const env = { PATH: `${bin}:${process.env["PATH"]}`, HOME: cwd, OPENAI_API_KEY: "x", TYPESAFE_API_KEY: "x" };
  const child = spawn("bash", ["-e", "-c", `exec 2>&1\n${script}`], { cwd, env });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  const code = await new Promise((done) => child.once("close", done));
  expect(code, `${script}\n${output}`).toBe(0);
  return output;
}

describe("the documentation as pages", () => {
  it("lists every page once, and each is reached", () => {
    const listed = sections().flatMap(({ pages }) => pages.map(({ name }) => name));
    expect(listed.toSorted()).toEqual(docNames().filter((name) => name !== "index"));
    expect(sections().map(({ title }) => title)).toEqual(["Tutorial", "How-to", "Reference", "Explanation"]);
  });

  it("links to pages and headings that are there", () => {
    const anchors = new Map(docNames().map((name) => [name, headings(docPage(name))]));
    for (const name of docNames())
      for (const [, target, hash] of docPage(name).matchAll(/\]\(\.\/([a-z-]+)(?:#([^)]+))?\)/g)) {
        expect(anchors.has(target ?? ""), `${name} -> ${target}`).toBe(true);
        if (hash !== undefined) expect(anchors.get(target ?? ""), `${name} -> ${target}#${hash}`).toContain(hash);
      }
  });

  it("has every command, with every argument and option, and its example", () => {
    const page = docPage("commands");
    const walk = (at: Command, path: string[]): void => {
      for (const child of at.commands) {
        const name = [...path, child.name()];
        const section = page.split(/^## /m).find((part) => part.startsWith(`bench ${name.join(" ")}\n`)) ?? "";
        expect(section, name.join(" ")).not.toBe("");
        for (const option of child.options) expect(section).toContain(`| \`${option.flags}\` |`);
        for (const argument of child.registeredArguments) expect(section).toContain(escaped(argument.description));
        if (child.commands.length === 0) expect(section).toMatch(/Examples?:\n {2}bench/);
        walk(child, name);
      }
    };
    walk(
      buildProgram(() => undefined),
      [],
    );
  });

  it("has every table and view, with every column", () => {
    const page = docPage("tables");
    const { tables, views } = schemaDocument();
    for (const { name, columns } of tables) {
      const section = page.split(/^## /m).find((part) => part.startsWith(`${name}\n`)) ?? "";
      for (const column of columns) expect(section, name).toContain(`| \`${column.name}\` |`);
    }
    for (const { name } of views) expect(page).toContain(`\n## ${name}\n`);
  });

  it("runs nothing: no live block and no expression", () => {
    for (const name of docNames()) {
      expect(docPage(name)).not.toMatch(/^```(js|jsx|ts|tsx|sql|html|svg|tex|dot|mermaid)$/m);
      expect(
        docPage(name)
          .replace(/^```[\s\S]*?^```$/gm, "")
          .replace(/`[^`]*`/g, ""),
      ).not.toContain("${");
    }
  });
});

/** Anchors as the site makes them of headings. */
function headings(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, text = ""]) =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s-]/gu, "")
      .trim()
      .replace(/\s+/g, "-"),
  );
}

describe("the repository's front page", () => {
  it("names documents that are there", () => {
    const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
    const linked = [...readme.matchAll(/\]\(((?!https?:)[^)#]+)/g)].map(([, path = ""]) => path);
    expect(linked.length).toBeGreaterThan(8);
    for (const path of linked) expect(() => execFileSync("ls", [join(packageRoot, path)])).not.toThrow();
  });
});
