import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../../engine/canon/errors.ts";
import { readText } from "../../engine/canon/files.ts";
import { packageRoot } from "../../engine/canon/root.ts";
import { commandsPage } from "./commands.ts";
import { forSite } from "./markdown.ts";
import { navigation, type Section } from "./navigation.ts";
import { tablesPage } from "./tables.ts";

const DOCS = join(packageRoot, "docs");

/** Pages made from code when the site is built; a document that links to the code links to them. */
const GENERATED: Record<string, { source: string; make: () => string }> = {
  commands: { source: "../engine/cli/main.ts", make: commandsPage },
  tables: { source: "../engine/tables/schema.ts", make: tablesPage },
};

/** Every page below /docs/, by the name in its address; `index` is docs/README.md. */
export function docNames(): string[] {
  const written = readdirSync(DOCS).filter((name) => name.endsWith(".md"));
  return [...written.map(pageName), ...Object.keys(GENERATED)].sort();
}

/** A page of the documentation as a Framework page. Throws `no_such_doc`. */
export function docPage(name: string): string {
  const source = GENERATED[name]?.make() ?? written(name);
  return forSite(source, { here: name, nav: name === "index" ? "" : navigation(sections(), name), nameOf });
}

/** What docs/README.md lists, in its order: the site's navigation is that list. */
export function sections(): Section[] {
  const found: Section[] = [];
  for (const line of readText(join(DOCS, "README.md")).split("\n")) {
    const heading = /^## (.+)$/.exec(line)?.[1];
    if (heading !== undefined) found.push({ title: heading, pages: [] });
    const [, title, target] = /^- \[([^\]]+)\]\(([^)#]+)\)/.exec(line) ?? [];
    const name = target === undefined ? undefined : nameOf(target);
    if (title !== undefined && name !== undefined) found.at(-1)?.pages.push({ title, name });
  }
  return found;
}

/** Write every page where Framework keeps what page loaders printed: a process for each would take half a minute. */
export function writeDocs(directory: string): void {
  mkdirSync(directory, { recursive: true });
  for (const name of docNames()) writeFileSync(join(directory, `${name}.md`), docPage(name));
}

function written(name: string): string {
  const file = join(DOCS, name === "index" ? "README.md" : `${name}.md`);
  if (!/^[a-z-]+$/.test(name) || !existsSync(file))
    throw new AssayError("no_such_doc", `there is no docs/${name}.md`, { fix: "see docs/README.md" });
  return readText(file);
}

/** The page that a link of docs/ leads to; undefined where it is a file of the repository. */
function nameOf(target: string): string | undefined {
  const made = Object.entries(GENERATED).find(([, { source }]) => source === target);
  if (made !== undefined) return made[0];
  const name = pageName(target);
  return docNames().includes(name) ? name : undefined;
}

function pageName(file: string): string {
  return file === "README.md" ? "index" : file.replace(/\.md$/, "");
}
