import { buffer } from "node:stream/consumers";
import { crc32, inflateRawSync } from "node:zlib";
import { openPromise, type Entry, type ZipFile } from "yauzl";
import { AssayError } from "../canon/errors.ts";
import { decodeUtf8 } from "../canon/utf8.ts";
import { MAX_DOCUMENT, tooLarge } from "./limits.ts";
import { unzstd } from "./zstd.ts";

const MAX_ENTRIES = 200_000;
/** Deflate cannot pack closer than 1:1032, and text that does is made to. Small entries are let through. */
const MAX_RATIO = 1000;
const RATIO_FROM = 16 << 20;
/** Everything that is unpacked together, however many entries share the same packed bytes. */
const MAX_TOTAL = 16 * 2 ** 30;

/**
 * A zip archive whose entries are read into memory and never written anywhere. Stored, deflated and Zstandard
 * entries can be read. Every size is checked against what was declared, before and after unpacking.
 */
export class Archive {
  readonly #zip: ZipFile;
  readonly #file: string;
  readonly #entries: ReadonlyMap<string, Entry>;
  /** Entries that a later one of the same name replaces, as it does for every reader of zip files. */
  readonly superseded: number;
  #unpacked = 0;

  private constructor(zip: ZipFile, file: string, entries: ReadonlyMap<string, Entry>, superseded: number) {
    this.#zip = zip;
    this.#file = file;
    this.#entries = entries;
    this.superseded = superseded;
  }

  /** Throws `bad_archive` and `too_large`, naming the entry. */
  static async open(file: string): Promise<Archive> {
    const entries = new Map<string, Entry>();
    let superseded = 0;
    let zip: ZipFile | undefined;
    try {
      zip = await openPromise(file, { lazyEntries: true, autoClose: false, strictFileNames: true });
      if (zip.entryCount > MAX_ENTRIES) throw new Error(`holds ${zip.entryCount} entries, more than ${MAX_ENTRIES}`);
      for await (const entry of zip.eachEntry()) {
        if (entries.delete(entry.fileName)) superseded++;
        entries.set(entry.fileName, entry);
      }
      return new Archive(zip, file, entries, superseded);
    } catch (error) {
      zip?.close();
      throw broken(error, file);
    }
  }

  names(): string[] {
    return [...this.#entries.keys()];
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** An entry as text. Throws `bad_archive`, `too_large`, `not_utf8`, naming the entry. */
  async text(name: string): Promise<string> {
    const file = `${this.#file} (${name})`;
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new AssayError("bad_archive", "is not in the archive", { file });
    this.#check(entry, file);
    try {
      const stream = await this.#zip.openReadStreamPromise(entry, { decodeFileData: false });
      const packed = await buffer(stream);
      const bytes = unpack(packed, entry);
      if (bytes.length !== entry.uncompressedSize) throw new Error("unpacks to another size than declared");
      if (crc32(bytes) !== entry.crc32) throw new Error("has another checksum than declared");
      return decodeUtf8(bytes, file);
    } catch (error) {
      throw broken(error, file);
    }
  }

  close(): void {
    this.#zip.close();
  }

  #check({ uncompressedSize, compressedSize, generalPurposeBitFlag }: Entry, file: string): void {
    if ((generalPurposeBitFlag & 1) !== 0)
      throw new AssayError("bad_archive", "is encrypted", { file, fix: "write the log without a password" });
    if (Math.max(uncompressedSize, compressedSize) > MAX_DOCUMENT)
      throw tooLarge("the unpacked entry", MAX_DOCUMENT, { file }, "leave this sample out of the log");
    if (uncompressedSize > RATIO_FROM && uncompressedSize > MAX_RATIO * compressedSize)
      throw new AssayError("too_large", `declares ${uncompressedSize} bytes packed into ${compressedSize}`, {
        file,
        fix: `at most ${MAX_RATIO} times as many are unpacked`,
      });
    this.#unpacked += uncompressedSize;
    if (this.#unpacked > MAX_TOTAL)
      throw tooLarge("what the archive unpacks to", MAX_TOTAL, { file: this.#file }, "import fewer samples at a time");
  }
}

function unpack(packed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer {
  switch (compressionMethod) {
    case 0:
      return packed;
    case 8:
      // The limit is a number of bytes above zero.
      return inflateRawSync(packed, { maxOutputLength: uncompressedSize + 1 });
    case 93:
      return unzstd(packed, uncompressedSize);
    default:
      throw new Error(`is packed with method ${compressionMethod}; store, deflate and Zstandard can be read`);
  }
}

function broken(error: unknown, file: string): AssayError {
  if (error instanceof AssayError) return error;
  const said = error instanceof Error ? error.message : String(error);
  return new AssayError("bad_archive", `cannot be read as a zip archive: ${said.slice(0, 200)}`, {
    file,
    fix: "get an unchanged copy of the file",
  });
}
