import { createReadStream, existsSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { AssayError } from "../engine/canon/errors.ts";

/** Write a file of the prepared site to stdout: the whole of a data loader. Errors go to stderr, and exit code 2. */
export async function emit(file: string): Promise<void> {
  try {
    const path = join(await siteDirectory(), file);
    if (!/^(?:[a-z]+\/)?[a-z0-9.-]+$/.test(file) || !existsSync(path))
      throw new AssayError("no_such_data", `the site holds no ${file}`, {
        fix: "see schema.json for tables and build.json for scans",
      });
    await pipeline(createReadStream(path), process.stdout);
  } catch (error) {
    process.stderr.write(`${error instanceof AssayError ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}

/** The directory that the building process prepared and named, else one prepared now. */
async function siteDirectory(): Promise<string> {
  const named = process.env["ASSAY_SITE"];
  if (named !== undefined && existsSync(named)) return named;
  const { prepareSite } = await import("./site.ts");
  return (await prepareSite()).directory;
}

/** Write a text to stdout, with errors as `emit` has them. */
export async function print(make: () => string): Promise<void> {
  try {
    const text = make();
    await new Promise<void>((done) => process.stdout.write(text, () => done()));
  } catch (error) {
    process.stderr.write(`${error instanceof AssayError ? error.message : String(error)}\n`);
    process.exitCode = 2;
  }
}

/** The value that Framework passes to a parameterised loader, such as `[name].parquet.ts`. */
export function parameter(name: string, argv: readonly string[] = process.argv.slice(2)): string {
  const { values } = parseArgs({ args: [...argv], options: { [name]: { type: "string" } }, strict: false });
  return String(values[name] ?? "");
}
