import { AssayError, printable } from "../../engine/canon/errors.ts";

/** More than any input of these sizes may take, on a busy machine. */
const LIMIT_MS = 1000;

/**
 * Whether `read` gives a value (true) or one typed error of one printable line (false), within the limit. Throws what
 * is neither: a crash, a raw error, a hang.
 */
export async function survives(read: () => unknown): Promise<boolean> {
  const start = performance.now();
  const valued = await outcome(read);
  const took = performance.now() - start;
  if (took > LIMIT_MS) throw new Error(`took ${Math.round(took)} ms`);
  return valued;
}

async function outcome(read: () => unknown): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof AssayError && error.message === printable(error.message)) return false;
    throw error;
  }
}
