import { basename } from "node:path";
import { AssayError } from "../engine/canon/errors.ts";
import { readPlan, scanIdOf, statusOf } from "../engine/scan/index.ts";
import { isEmbedded, type DemoScan } from "../engine/studies/demo.ts";

/** Something that the site was given, names, and shows no result of. */
export interface LeftOut {
  name: string;
  status: "planned" | "running" | "unfinished" | "failed" | "superseded" | "duplicate";
  /** One line; no path of the machine. */
  reason: string;
  answered?: number;
  planned?: number;
}

/** Why the tables of a bundle could not be made. One bad bundle never takes the others with it. */
export async function whyLeftOut(error: unknown, directory: string): Promise<LeftOut> {
  const name = basename(directory);
  if (!(error instanceof AssayError && error.code === "unfinished_scan"))
    return { name, status: "failed", reason: reasonOf(error, directory) };
  try {
    const { status, answered, planned } = await statusOf(directory);
    return {
      name,
      status: status === "sealed" ? "unfinished" : status,
      reason: `${answered} of ${planned} requests answered`,
      answered,
      planned,
    };
  } catch (broken) {
    return { name, status: "failed", reason: reasonOf(broken, directory) };
  }
}

/** An error's line without the machine's paths: a published page shows it. */
export function reasonOf(error: unknown, directory = ""): string {
  const said = error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error);
  const own = directory === "" ? said : said.replaceAll(`${directory}/`, "").replaceAll(directory, basename(directory));
  return own.replace(/(^|[\s'"(])\/(?:[^\s:;'")]+\/)+/g, "$1");
}

/** A scan this site once made of a study of its own, by a judge still listed, whose plan would be another today. */
export function isSuperseded(directory: string, demo: readonly DemoScan[]): boolean {
  const { plan, plan_sha256 } = readPlan(directory);
  if (!isEmbedded(plan.judge) || basename(directory) !== scanIdOf(plan, plan_sha256)) return false;
  if (demo.some((scan) => scan.scan_id === basename(directory))) return false;
  const prefix = (id: string): string => id.slice(0, -8);
  return demo.some((scan) => prefix(scan.scan_id) === prefix(basename(directory)));
}
