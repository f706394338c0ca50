import { refusePrivate } from "../engine/canon/private.ts";
import { openForeign } from "../engine/foreign/index.ts";
import { findForeign } from "../engine/site/bundles.ts";
import { foreignSetOf } from "../engine/tables/foreign.ts";
import { whyLeftOut, type LeftOut } from "./left-out.ts";

export interface ForeignSet {
  foreign_set: string;
  engine: string;
  judge: string;
  judgments: number;
}

/** The imported judgments of other engines that the site shows, each once, and those it cannot. */
export async function foreignSets(
  environment: NodeJS.ProcessEnv,
  own: string,
): Promise<{ sets: (ForeignSet & { directory: string })[]; left_out: LeftOut[] }> {
  const sets = new Map<string, ForeignSet & { directory: string }>();
  const left_out: LeftOut[] = [];
  for (const directory of findForeign(environment, own)) {
    try {
      refusePrivate(directory);
      const { manifest } = await openForeign(directory);
      const { engine, judge, judgments } = manifest;
      const foreign_set = foreignSetOf(manifest);
      sets.set(foreign_set, { foreign_set, engine, judge, judgments: judgments.rows, directory });
    } catch (error) {
      left_out.push(await whyLeftOut(error, directory));
    }
  }
  return { sets: [...sets.values()].sort((a, b) => (a.foreign_set < b.foreign_set ? -1 : 1)), left_out };
}
