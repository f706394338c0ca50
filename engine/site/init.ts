import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { writeAtomic } from "../canon/files.ts";
import { parseJson, parseWith } from "../canon/json.ts";
import { engineVersion, packageRoot } from "../canon/root.ts";
import { WORKBENCH_SCHEMA } from "../schema/workbench.ts";
import { newStudy, type NewStudyOptions } from "../studies/new.ts";
import { WORKBENCH_FILE } from "./workbench.ts";

const Manifest = z.looseObject({ scripts: z.record(z.string(), z.string()).default({}) });

const IGNORED = ["node_modules/", "dist/", "data/bundles/", "results/", "private/"];

export interface Initialized {
  study: string;
  /** What was written, in order, relative to the directory. */
  made: string[];
  /** What was there and stays as it is. */
  kept: string[];
}

/**
 * A workbench of one's own in `directory`: check definitions to edit, a first study, settings and npm scripts. What
 * is there already is kept. Throws `exists` where the study is, `own_checkout`, `bad_study`.
 */
export function initWorkbench(id: string, directory: string, study: Omit<NewStudyOptions, "directory">): Initialized {
  if (resolve(directory) === packageRoot)
    throw new AssayError("own_checkout", "is the checkout of Assay itself", {
      file: directory,
      fix: `bench study new ${id}`,
    });
  const file = newStudy(id, { ...study, directory: join(directory, "studies") });
  const made = [relative(directory, file)];
  const kept: string[] = [];
  const once = (name: string, make: (path: string) => void): void => {
    const path = join(directory, name);
    if (existsSync(path)) kept.push(name);
    else {
      make(path);
      made.push(name);
    }
  };
  once("checks", (path) => cpSync(join(packageRoot, "checks"), path, { recursive: true }));
  once(WORKBENCH_FILE, (path) => writeFileSync(path, settings(id)));
  once(".gitignore", (path) => writeFileSync(path, IGNORED.map((name) => `${name}\n`).join("")));
  const manifest = join(directory, "package.json");
  if (addScripts(manifest, id)) made.push("package.json");
  else kept.push("package.json");
  return { study: id, made, kept };
}

function settings(title: string): string {
  return `schema: ${WORKBENCH_SCHEMA}
# What the site is called.
title: ${JSON.stringify(title)}
# Directories whose scans the site shows, beside data/bundles.
data: [results]
`;
}

/** Scripts that are not there yet, in a manifest that is made where there is none; false where nothing was missing. */
function addScripts(file: string, id: string): boolean {
  const fresh = { name: id, private: true, type: "module", devDependencies: { "assay-bench": engineVersion } };
  const before: unknown = existsSync(file) ? parseJson(readFileSync(file, "utf8"), { file }) : fresh;
  const manifest = parseWith(Manifest, before, { file });
  const scripts = {
    start: "bench demo && bench site preview",
    build: "bench site build",
    test: `bench checks lint && bench exemplars verify && bench study lint ${id}`,
  };
  // npm's own placeholder is no test of anybody's.
  const own = Object.entries(manifest.scripts).filter(([, script]) => !script.includes("no test specified"));
  const merged = { ...scripts, ...Object.fromEntries(own) };
  if (existsSync(file) && Object.keys(scripts).every((name) => Object.hasOwn(Object.fromEntries(own), name)))
    return false;
  writeAtomic(file, `${JSON.stringify({ ...manifest, scripts: merged }, null, 2)}\n`);
  return true;
}
