import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { scopeOf } from "../engine/tables/publish.ts";
import { SCAN_TABLE_NAMES, TABLE_NAMES } from "../engine/tables/schema.ts";
import { docNames } from "./docs/pages.ts";
import { pagesRoot } from "./inputs.ts";
import type { BuildDocument } from "./site.ts";

/**
 * Pages and files that exist once for each study, scan, check or table and that no page names literally. Data files come
 * at addresses without a digest in them, for downloads and for queries that choose their scan at run time.
 */
export function dynamicPaths({ scans, checks }: Pick<BuildDocument, "scans" | "checks">): string[] {
  const studies = [...new Set(scans.flatMap(({ study_id }) => study_id ?? []))].sort();
  const pages = [
    ...(hasPage("studies") ? studies.map((study) => `/studies/${study}`) : []),
    ...(hasPage("checks") ? checks.map((check) => `/checks/${check}`) : []),
    ...(hasPage("docs") ? docNames().map((name) => `/docs/${name}`) : []),
    ...(hasPage("scans") ? scans.map(({ scan_id }) => `/scans/${scan_id}`) : []),
  ];
  const files = [
    "/data/build.json",
    "/data/schema.json",
    ...TABLE_NAMES.map((table) => `/data/${table}.parquet`),
    ...scans.flatMap(({ scan_id }) => [
      `/data/cards/${scan_id}.txt`,
      `/data/seals/${scan_id}.json`,
      ...SCAN_TABLE_NAMES.filter((table) => scopeOf(table) === "scan").map(
        (table) => `/data/${table}-${scan_id}.parquet`,
      ),
    ]),
  ];
  return [...pages, ...files];
}

function hasPage(folder: string): boolean {
  const directory = join(pagesRoot(), folder);
  return existsSync(directory) && readdirSync(directory).some((name) => /^\[[a-z_]+\]\.md(\.ts|\.js)?$/.test(name));
}
