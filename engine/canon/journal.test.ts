import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { JournalEntry, NewJournalEntry } from "../schema/journal.ts";
import { AssayError } from "./errors.ts";
import { sha256 } from "./json.ts";
import { Journal, readJournal, type Span } from "./journal.ts";
import { SpanReader } from "./spans.ts";

const directory = mkdtempSync(join(tmpdir(), "assay-journal-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const PLAN = sha256("plan");
let path: string;
let made = 0;
beforeEach(() => {
  path = join(directory, `${++made}.jsonl`);
});

const opened: Journal[] = [];
afterEach(async () => {
  // Closing twice is an error of the file handle, and of no interest here.
  for (const journal of opened.splice(0)) await journal.close().catch(() => undefined);
});

function answer(name: string): NewJournalEntry {
  return {
    kind: "answer",
    input_sha256: sha256(name),
    repeat: 0,
    attempt: 1,
    model: "lexicon",
    answers: { q1: 0.5 },
    input_tokens: 0,
    output_tokens: 0,
    cost_usd: 0,
  };
}

async function open(
  sync?: (fd: number) => Promise<void>,
): Promise<{ journal: Journal; entries: JournalEntry[]; spans: Span[] }> {
  const entries: JournalEntry[] = [];
  const spans: Span[] = [];
  const visit = (entry: JournalEntry, span: Span): void => {
    entries.push(entry);
    spans.push(span);
  };
  const journal = await (sync === undefined ? Journal.open(path, PLAN, visit) : Journal.open(path, PLAN, visit, sync));
  opened.push(journal);
  return { journal, entries, spans };
}

async function filled(n: number): Promise<void> {
  const { journal } = await open();
  await Promise.all(Array.from({ length: n }, (_, i) => journal.append(answer(`a${i}`))));
  await journal.close();
}

async function codeOf(promise: Promise<unknown>): Promise<AssayError> {
  const error = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(AssayError);
  if (!(error instanceof AssayError)) throw new Error("unreachable");
  return error;
}

describe("a journal", () => {
  it("binds the plan first, and each line carries the digest of the one before", async () => {
    await filled(5);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    const parsed = lines.map(
      (line) => JSON.parse(line) as { seq: number; prev: string; kind: string; plan_sha256?: string },
    );
    expect(parsed[0]).toMatchObject({ kind: "plan", plan_sha256: PLAN, prev: "0".repeat(64), seq: 0 });
    for (let i = 1; i < lines.length; i++) expect(parsed[i]).toMatchObject({ seq: i, prev: sha256(lines[i - 1]!) });
  });

  it("gives back the place of each line", async () => {
    const { journal } = await open();
    const spans = await Promise.all(["x", "y", "z"].map((name) => journal.append(answer(name))));
    await journal.close();
    const reader = new SpanReader(path);
    const read = spans.map(
      (span) => (JSON.parse(reader.read(span).toString()) as { input_sha256: string }).input_sha256,
    );
    reader.close();
    expect(read).toEqual(["x", "y", "z"].map((name) => sha256(name)));
    expect((await open()).spans.slice(1)).toEqual(spans);
  });

  it("resolves an append only after its bytes are synced, and shares a sync", async () => {
    let durable = 0;
    let syncs = 0;
    const { journal } = await open(async () => {
      const size = statSync(path).size;
      await new Promise((done) => setTimeout(done, 5));
      durable = size;
      syncs++;
    });
    const before = syncs;
    await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const { offset, length } = await journal.append(answer(`s${i}`));
        expect(durable).toBeGreaterThanOrEqual(offset + length + 1);
      }),
    );
    expect(syncs - before).toBeLessThan(10);
    await journal.close();
  });

  it("says when a line is in the file, before it is synced, and never waits with that for a sync", async () => {
    let finish: () => void = () => undefined;
    let slow = false;
    const { journal } = await open(() => (slow ? new Promise((done) => (finish = done)) : Promise.resolve()));
    slow = true;
    let synced = 0;
    const appended: Promise<void>[] = [];
    for (const name of ["one", "two", "three"]) {
      await new Promise<void>((written) => {
        appended.push(journal.append(answer(name), written).then(() => void synced++));
      });
      expect(readFileSync(path, "utf8")).toContain(sha256(name));
    }
    expect(synced).toBe(0);
    finish();
    await appended[0];
    expect(synced).toBe(1);
    // The other two share the next sync.
    await new Promise((done) => setImmediate(done));
    finish();
    await Promise.all(appended);
    await journal.close();
  });

  it.each([1, 7, 50, 200])("cuts a last line torn after %i bytes and goes on", async (left) => {
    await filled(3);
    const lines = readFileSync(path, "utf8").split("\n");
    const whole = Buffer.byteLength(lines.slice(0, 3).join("\n")) + 1;
    truncateSync(path, whole + left);
    const { journal, entries } = await open();
    expect(entries).toHaveLength(3);
    await journal.append(answer("after"));
    await journal.close();
    const again = await open();
    expect(again.entries).toHaveLength(4);
    await again.journal.close();
  });

  it("starts over where not even the first line was whole", async () => {
    writeFileSync(path, '{"kind":"pl');
    const { journal } = await open();
    await journal.close();
    expect((await open()).entries).toMatchObject([{ kind: "plan" }]);
  });

  it("names the line of a corrupt middle and leaves the file alone", async () => {
    await filled(6);
    const bytes = readFileSync(path);
    const second = bytes.indexOf(10) + 1;
    for (const at of [second + 20, bytes.indexOf(10, second) + 30]) {
      const broken = Buffer.from(bytes);
      broken[at]! ^= 1;
      writeFileSync(path, broken);
      const error = await codeOf(open());
      expect(error.code).toBe("journal_corrupt");
      expect([2, 3, 4]).toContain(error.details.line);
      expect(readFileSync(path).equals(broken)).toBe(true);
    }
  });

  it("refuses a line taken out, put in twice, or another plan's", async () => {
    await filled(4);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    const rewrite = (kept: string[]): void => writeFileSync(path, `${kept.join("\n")}\n`);
    rewrite([...lines.slice(0, 2), ...lines.slice(3)]);
    expect((await codeOf(open())).code).toBe("journal_corrupt");
    rewrite([...lines, lines[4]!]);
    expect((await codeOf(open())).details.line).toBe(6);
    rewrite(lines);
    expect((await codeOf(Journal.open(path, sha256("other"), () => undefined))).code).toBe("journal_other_plan");
  });

  it("reports a torn end when it only reads", async () => {
    await filled(2);
    appendFileSync(path, "{");
    const end = await readJournal(path, PLAN, () => undefined);
    expect(end).toMatchObject({ seq: 3, torn: 1 });
  });

  it("stops for good when a sync fails", async () => {
    let fail = false;
    const { journal } = await open(() =>
      fail ? Promise.reject(Object.assign(new Error("io"), { code: "EIO" })) : Promise.resolve(),
    );
    await journal.append(answer("before"));
    fail = true;
    const [first, second] = [journal.append(answer("one")), journal.append(answer("two"))];
    expect((await codeOf(first)).code).toBe("journal_failed");
    expect((await codeOf(second)).code).toBe("journal_failed");
    fail = false;
    let written = 0;
    const third = journal.append(answer("three"), () => void written++);
    expect((await codeOf(third)).code).toBe("journal_failed");
    expect(written).toBe(0);
    await journal.close();
  });
});
