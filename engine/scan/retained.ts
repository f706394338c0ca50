import { basename, dirname, join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { isDirectory } from "../canon/files.ts";
import { PLAN_FILE, readPlan, type Bundle } from "./bundle.ts";
import { requireSealed } from "./seal.ts";
import { loadSource, type LoadedSource } from "./source.ts";
import { statSync } from "node:fs";

/** A source run and which of its conversations to plan: all of them, or those that a scan retained. */
export interface SelectedSource {
  source: LoadedSource;
  /** Keys by `conversationKey`; undefined: all. */
  only?: ReadonlySet<string>;
}

export function conversationKey({ model_id, scenario_id }: { model_id: string; scenario_id: string }): string {
  return JSON.stringify([model_id, scenario_id]);
}

/**
 * The source runs that a path names: a source run itself, or every run a scan retained (the scan's directory or
 * its `inputs/`), then narrowed to the conversations of that scan.
 */
export async function openSources(path: string): Promise<SelectedSource[]> {
  const directory = retainedBy(path);
  if (directory === undefined) return [{ source: loadSource(path) }];
  await requireSealed(directory);
  const bundle = readPlan(directory);
  return bundle.plan.sources.map((_, index) => retained(bundle, index));
}

function retainedBy(path: string): string | undefined {
  const holds = (directory: string): boolean =>
    isDirectory(directory) && statSync(join(directory, PLAN_FILE), { throwIfNoEntry: false }) !== undefined;
  if (holds(path)) return path;
  const clean = path.replace(/(?<=.)\/+$/, "");
  return basename(clean) === "inputs" && holds(dirname(clean)) ? dirname(clean) : undefined;
}

function retained({ directory, plan }: Bundle, index: number): SelectedSource {
  const planned = plan.sources[index]!;
  const source = loadSource(join(directory, planned.root));
  const conversations = plan.conversations.filter((conversation) => conversation.source === index);
  const frozen = new Map(
    [planned.manifest, planned.summary, ...planned.files, ...conversations.map((row) => row.transcript)].map((file) => [
      file.path,
      file.sha256,
    ]),
  );
  for (const { path, sha256 } of everyFile(source)) {
    const name = `${planned.root}/${path}`;
    if (frozen.get(name) !== sha256)
      throw new AssayError("digest_mismatch", "is not the file that the scan froze", {
        file: join(directory, name),
        fix: "restore the scan from a copy; bench scan verify names every difference",
      });
  }
  return { source, only: new Set(conversations.map(conversationKey)) };
}

/** Every file of a run with its digest, manifest and summary first; paths relative to the run. */
export function everyFile(source: LoadedSource): { path: string; sha256: string }[] {
  return [
    source.manifestFile,
    source.summaryFile,
    ...source.files,
    ...source.conversations.map(({ transcript }) => transcript),
  ];
}
