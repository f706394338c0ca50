import type { DesignDocument, Draft, Engine, ExaminedDraft, Path } from "./engine.js";
import { keep } from "./kept.js";

/** How long after the last edit the engine looks. */
const PAUSE_MS = 180;

type Listener = () => void;

/**
 * The draft on the page. Its text is the one truth: forms read values out of it and write them into it, so that what
 * is downloaded is what was looked at.
 */
export class DraftStore {
  readonly engine: Engine;
  readonly data: DesignDocument;
  draft: Draft;
  /** What the engine says of the draft as it was a moment ago; null before the first look. */
  examined: ExaminedDraft | null = null;
  isKept = true;
  #yaml: InstanceType<Engine["YamlText"]>;
  #read: { value: unknown } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #edit = 0;
  readonly #onExamined = new Set<Listener>();
  readonly #onShape = new Set<Listener>();

  constructor(engine: Engine, data: DesignDocument, draft: Draft) {
    this.engine = engine;
    this.data = data;
    this.draft = draft;
    this.#yaml = new engine.YamlText(draft.study);
  }

  /** Call `listener` when the engine has looked. */
  onExamined(listener: Listener): void {
    this.#onExamined.add(listener);
  }

  /** Call `listener` when parts came, went or moved, so that forms are no longer those of the draft. */
  onShape(listener: Listener): void {
    this.#onShape.add(listener);
  }

  /** The value at a path, of no schema; undefined where the text is broken or has none. */
  at(path: Path): unknown {
    let value = this.#value();
    for (const step of path) {
      if (typeof value !== "object" || value === null) return undefined;
      value = Object.hasOwn(value, step) ? (value as Record<string | number, unknown>)[step] : undefined;
    }
    return value;
  }

  text(path: Path): string {
    const value = this.at(path);
    return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }

  list(path: Path): unknown[] {
    const value = this.at(path);
    return Array.isArray(value) ? value : [];
  }

  /** Whether the text is YAML of fields, so that forms can show it. */
  get isReadable(): boolean {
    const value = this.#value();
    return typeof value === "object" && value !== null && !Array.isArray(value);
  }

  /** Put a value at a path; undefined removes it. */
  set(path: Path, value: unknown): void {
    this.#yaml.set(path, value);
    this.#written();
  }

  /** The same where the form has other fields afterwards. */
  reshape(change: (yaml: InstanceType<Engine["YamlText"]>) => void): void {
    change(this.#yaml);
    this.#written();
    for (const listener of this.#onShape) listener();
  }

  /** Replace the text of `study.yaml`. */
  setText(text: string): void {
    this.replace({ ...this.draft, study: text });
  }

  replace(draft: Draft): void {
    this.draft = draft;
    this.#yaml = new this.engine.YamlText(draft.study);
    this.#changed();
  }

  /** Another draft instead of this one, which stays to be brought back. */
  start(draft: Draft): void {
    keep(draft, this.draft);
    this.replace(draft);
    for (const listener of this.#onShape) listener();
  }

  async examine(): Promise<void> {
    const edit = ++this.#edit;
    const { draft, data } = this;
    const examined = await this.engine.examineDraft(draft, data.checks, data.register);
    if (edit !== this.#edit) return;
    this.examined = examined;
    for (const listener of this.#onExamined) listener();
  }

  #value(): unknown {
    this.#read ??= this.#parsed();
    return this.#read.value;
  }

  #parsed(): { value: unknown } {
    try {
      return { value: this.#yaml.isBroken ? undefined : this.#yaml.value() };
    } catch {
      return { value: undefined }; // an alias, which the engine refuses by name
    }
  }

  #written(): void {
    this.draft = { ...this.draft, study: this.#yaml.toString() };
    this.#changed();
  }

  #changed(): void {
    this.#read = undefined;
    this.isKept = keep(this.draft);
    this.#edit += 1;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.examine(), PAUSE_MS);
  }
}
