import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { AssayError } from "./errors.ts";
import { decodeUtf8 } from "./utf8.ts";

/** A file's bytes; a missing or unreadable file is a typed error that names it. */
export function readBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw fileError(error, path);
  }
}

/** A file as UTF-8 text; bytes that are not UTF-8 are refused, never replaced. */
export function readText(path: string): string {
  return decodeUtf8(readBytes(path), path);
}

/** A Node file system error as one of ours. */
export function fileError(error: unknown, path: string): AssayError {
  const code = (error as NodeJS.ErrnoException).code ?? "EIO";
  const said: Record<string, string> = {
    ENOENT: "does not exist",
    EISDIR: "is a directory, not a file",
    ENOTDIR: "is below something that is not a directory",
    EACCES: "may not be read or written",
    EROFS: "is on a read-only file system",
    ENOSPC: "no space is left on the disk",
  };
  return new AssayError(code === "ENOENT" ? "no_file" : "file_error", said[code] ?? `failed with ${code}`, {
    file: path,
    errno: code,
  });
}

/** Write, fsync, rename: a reader sees the old file or the whole new one. */
export function writeAtomic(path: string, data: string | Uint8Array): void {
  const temporary = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    const fd = openSync(temporary, "w");
    try {
      writeAll(fd, typeof data === "string" ? Buffer.from(data) : data);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    renameSync(temporary, path);
    syncDirectory(dirname(path));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw fileError(error, path);
  }
}

export function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
}

export function syncDirectory(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Make a directory that appears whole or not at all: `fill` writes into a sibling, which is renamed to
 * `directory` when it returns. Refuses a directory that exists; a failure leaves nothing behind.
 */
export async function newDirectory<T>(directory: string, fill: (staging: string) => Promise<T> | T): Promise<T> {
  const clean = directory.replace(/(?<=.)\/+$/, "");
  if (existsSync(clean))
    throw new AssayError("exists", "exists already", { file: directory, fix: "name a new directory" });
  const parent = dirname(clean);
  let made: string | undefined;
  let staging: string | undefined;
  const interrupted = (signal: NodeJS.Signals): void => {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    process.stderr.write(`interrupted; nothing was written to ${directory}\n`);
    process.exit(signal === "SIGINT" ? 130 : 143);
  };
  process.once("SIGINT", interrupted).once("SIGTERM", interrupted);
  try {
    made = mkdirSync(parent, { recursive: true });
    sweepStaging(parent, basename(clean));
    staging = mkdtempSync(join(parent, `${stagingPrefix(basename(clean))}${process.pid}-`));
    const result = await fill(staging);
    // mkdtemp makes it private; a scan is as readable as any other new directory.
    chmodSync(staging, 0o777 & ~process.umask());
    renameSync(staging, clean);
    syncDirectory(parent);
    return result;
  } catch (error) {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
    if (made !== undefined) rmSync(made, { recursive: true, force: true });
    throw error instanceof AssayError || !("code" in (error as object)) ? error : fileError(error, directory);
  } finally {
    process.off("SIGINT", interrupted).off("SIGTERM", interrupted);
  }
}

function stagingPrefix(name: string): string {
  return `.${name.slice(0, 80)}-staging-`;
}

/** A killed process leaves its staging directory; the next one for the same name clears it away. */
function sweepStaging(parent: string, name: string): void {
  for (const entry of readdirSync(parent)) {
    if (!entry.startsWith(stagingPrefix(name))) continue;
    const pid = Number.parseInt(entry.slice(stagingPrefix(name).length), 10);
    if (Number.isInteger(pid) && pid > 0 && !isAlive(pid))
      rmSync(join(parent, entry), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
