import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, resolve } from "node:path";
import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { fileError } from "../canon/files.ts";

const LOCK_FILE = /^\.run-[0-9]+-[0-9a-z]+\.lock$/;
const held = new Set<string>();
const Owner = z.object({ pid: z.number().int().min(1), start: z.string(), host: z.string() });
type Owner = z.infer<typeof Owner>;

export function isLockFile(name: string): boolean {
  return LOCK_FILE.test(name);
}

/**
 * Take a scan's run lock; returns what releases it. An owner that no longer runs is taken over.
 *
 * Each runner writes a lock file of its own name, then looks for others: of two that start together at least one
 * sees the other and steps back, and nobody ever removes a file that a living runner relies on. With one shared
 * file, two takers of a dead lock could each remove the other's new one. Throws `locked`.
 */
export function lockScan(directory: string): () => void {
  const own: Owner = { pid: process.pid, start: startOf(process.pid) ?? "unknown", host: hostname() };
  const name = `.run-${own.pid}-${own.start}.lock`;
  const file = resolve(directory, name);
  if (held.has(file)) throw locked(file, own);
  try {
    writeFileSync(file, `${JSON.stringify(own)}\n`);
  } catch (error) {
    throw fileError(error, file);
  }
  held.add(file);
  const release = (): void => {
    held.delete(file);
    rmSync(file, { force: true });
  };
  try {
    for (const other of readdirSync(directory)) {
      if (other === name || !isLockFile(other)) continue;
      const owner = ownerOf(join(directory, other));
      if (owner === undefined) continue;
      if (isAlive(owner)) throw locked(join(directory, other), owner);
      rmSync(join(directory, other), { force: true });
    }
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** The runner of a scan, where one is alive. */
export function runnerOf(directory: string): number | undefined {
  for (const name of readdirSync(directory)) {
    const owner = isLockFile(name) ? ownerOf(join(directory, name)) : undefined;
    if (owner !== undefined && isAlive(owner)) return owner.pid;
  }
  return undefined;
}

function locked(file: string, owner: Owner): AssayError {
  const elsewhere = owner.host !== hostname();
  return new AssayError("locked", `process ${owner.pid}${elsewhere ? ` on ${owner.host}` : ""} is running this scan`, {
    file,
    fix: elsewhere ? "if that machine no longer runs it, remove this file" : "wait for it, or stop it",
    pid: owner.pid,
  });
}

/** A lock that a crash left empty says nothing of its owner but what its name does. */
function ownerOf(file: string): Owner | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    return Owner.parse(JSON.parse(text));
  } catch {
    const [, pid, start] = /\.run-([0-9]+)-([0-9a-z]+)\.lock$/.exec(file) ?? [];
    return { pid: Number(pid), start: start ?? "unknown", host: hostname() };
  }
}

function isAlive({ pid, start, host }: Owner): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return false;
  }
  const now = startOf(pid);
  return now === undefined || start === "unknown" || now === start;
}

/** When a process started, in the kernel's ticks, so that a reused process id is not taken for its old owner. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // A zombie still has an entry but runs nothing.
    return fields[0] === "Z" ? "zombie" : fields[19];
  } catch {
    return undefined;
  }
}
