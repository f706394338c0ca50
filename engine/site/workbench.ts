import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../canon/files.ts";
import { parsePlaced, parsePlacedYaml } from "../canon/yaml.ts";
import { WORKBENCH_SCHEMA, Workbench } from "../schema/workbench.ts";

export const WORKBENCH_FILE = "workbench.yaml";

/** The settings of a working directory; the defaults where it has none. Throws `bad_workbench` with the place. */
export function readWorkbench(cwd: string = process.cwd()): Workbench {
  const file = join(cwd, WORKBENCH_FILE);
  if (!existsSync(file)) return Workbench.parse({ schema: WORKBENCH_SCHEMA });
  return parsePlaced(Workbench, parsePlacedYaml(readText(file), file, "bad_workbench"), "bad_workbench");
}
