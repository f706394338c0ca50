import { AssayError } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { Adapter, DEFAULT_THRESHOLDS, JudgeSettings, type ContextPolicy, type Thresholds } from "../schema/judge.ts";
import { CONSTANTS, constantJudge } from "./constant.ts";
import type { Judge } from "./judge.ts";
import { lexiconJudge, loadLexicon } from "./lexicon.ts";
import { overlapJudge } from "./overlap.ts";
import { knownPrice } from "./prices.ts";
import { Pace } from "./wire/pace.ts";
import { promptSha256 } from "./wire/prompt.ts";
import { adapters, describeJudges, type AdapterFacts } from "./list.ts";

export { questionDigest } from "./digest.ts";
export { judgeList } from "./list.ts";
export type { Judge, JudgeAnswer } from "./judge.ts";

export interface JudgeOptions {
  context?: ContextPolicy | undefined;
  thresholds?: Thresholds | undefined;
  grouping?: "shared" | "one" | undefined;
  repeats?: number | undefined;
  baseUrl?: string | undefined;
  method?: string | undefined;
  /** USD per one million tokens; both or neither. */
  priceInput?: number | undefined;
  priceOutput?: number | undefined;
}

/** The settings a plan freezes, from `<adapter>` or `<adapter>:<model>`. Throws `bad_judge`, listing what exists. */
export function parseJudge(spec: string, options: JudgeOptions = {}): JudgeSettings {
  const colon = spec.indexOf(":");
  const adapter = Adapter.safeParse(colon === -1 ? spec : spec.slice(0, colon));
  const model = colon === -1 ? "" : spec.slice(colon + 1);
  if (!adapter.success) throw badJudge(spec, "is not a judge");
  const facts = adapters[adapter.data];
  if (facts.models === "none" ? model !== "" : model === "")
    throw badJudge(
      spec,
      facts.models === "none" ? `takes no model: write ${adapter.data}` : `needs a model: ${facts.example}`,
    );
  if (adapter.data === "constant" && !CONSTANTS.some((name) => name === model)) throw badJudge(spec, "is not a judge");
  if (adapter.data === "replay" && !/^[0-9a-f]{64}$/.test(model))
    throw badJudge(spec, "names its answers file by SHA-256: replay:<digest>");
  const settings = {
    name: spec,
    adapter: adapter.data,
    model: model === "" ? adapter.data : model,
    base_url: baseUrl(spec, facts, options.baseUrl),
    method: method(spec, facts, options.method),
    prompt_sha256: facts.kind === "provider" ? promptSha256() : undefined,
    lexicon_sha256: adapter.data === "lexicon" ? loadLexicon().sha256 : undefined,
    temperature: adapter.data === "chat" ? 0 : null,
    seed: null,
    max_output_tokens: adapter.data === "chat" ? 1024 : 0,
    grouping: options.grouping ?? facts.grouping,
    repeats: options.repeats ?? 1,
    context: options.context ?? "full",
    thresholds: options.thresholds ?? DEFAULT_THRESHOLDS,
    price: price(spec, facts, options),
  };
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return parseWith(JudgeSettings, given, { fix: "see bench judges list" }, "bad_judge");
}

export interface OpenOptions {
  /** Whole-call limit of a provider in ms. */
  timeoutMs?: number | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  /** Of a replay judge. */
  answersFile?: string | undefined;
}

const TIMEOUT_MS = 120_000;

/**
 * A judge ready to be asked. Provider SDKs are loaded only here, only for the adapter that needs them. Throws
 * `no_key` where a provider's key is not in the environment.
 */
export async function openJudge(settings: JudgeSettings, options: OpenOptions = {}): Promise<Judge> {
  const wire = { timeoutMs: options.timeoutMs ?? TIMEOUT_MS, env: options.env ?? process.env, pace: new Pace() };
  switch (settings.adapter) {
    case "lexicon":
      return lexiconJudge(settings);
    case "overlap":
      return overlapJudge(settings);
    case "constant":
      return constantJudge(settings);
    case "decisions":
      return keepingSecret((await import("./wire/decisions.ts")).decisionsJudge(settings, wire), wire.env);
    case "systemone":
      return keepingSecret((await import("./wire/systemone.ts")).systemoneJudge(settings, wire), wire.env);
    case "chat":
      return keepingSecret((await import("./chat/chat.ts")).chatJudge(settings, wire), wire.env);
    case "replay":
      return await (await import("./replay.ts")).replayJudge(settings, options.answersFile);
  }
}

/** A server may echo a key in a model's or a question's name, which errors quote. */
function keepingSecret(judge: Judge, env: NonNullable<OpenOptions["env"]>): Judge {
  const keys = Object.values(adapters).flatMap(({ key }) => (key === undefined ? [] : (env[key]?.trim() ?? [])));
  return {
    settings: judge.settings,
    async ask(request, signal, repeat) {
      try {
        const answer = await judge.ask(request, signal, repeat);
        const text = JSON.stringify([answer.model, answer.answers]);
        if (keys.some((key) => key !== "" && text.includes(key)))
          throw new AssayError("echoed_key", "the response holds the provider's key", { billed_usd: answer.cost_usd });
        return answer;
      } catch (error) {
        if (!(error instanceof AssayError) || !keys.some((key) => key !== "" && error.message.includes(key)))
          throw error;
        const message = keys.filter(Boolean).reduce((text, key) => text.replaceAll(key, "[key]"), error.message);
        throw new AssayError(error.code, message, error.details);
      }
    },
  };
}

function badJudge(spec: string, problem: string): AssayError {
  return new AssayError("bad_judge", `${JSON.stringify(spec)} ${problem}`, { fix: `judges: ${describeJudges()}` });
}

function baseUrl(spec: string, facts: AdapterFacts, given: string | undefined): string | undefined {
  if (given === undefined) return facts.baseUrl;
  if (facts.kind !== "provider") throw badJudge(spec, "asks no server, so it takes no base URL");
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw badJudge(spec, "needs an http or https base URL");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw badJudge(spec, "has a base URL with credentials, a query or a fragment; keys come from the environment");
  return given.replace(/\/+$/, "");
}

function method(spec: string, facts: AdapterFacts, given: string | undefined): string {
  if (given === undefined) return facts.methods[0];
  if (!facts.methods.includes(given))
    throw badJudge(spec, `has no method ${JSON.stringify(given)}; it has ${facts.methods.join(", ")}`);
  return given;
}

function price(
  spec: string,
  facts: AdapterFacts,
  { priceInput, priceOutput, baseUrl }: JudgeOptions,
): JudgeSettings["price"] {
  if (facts.kind !== "provider") {
    if (priceInput !== undefined || priceOutput !== undefined)
      throw badJudge(spec, "costs nothing, so it takes no price");
    return { input_usd_per_mtok: 0, output_usd_per_mtok: 0, source: "embedded: no provider is called" };
  }
  if (priceInput === undefined && priceOutput === undefined) return knownPrice(spec, facts.baseUrl, baseUrl);
  if (priceInput === undefined || priceOutput === undefined)
    throw badJudge(spec, "needs both prices, --price-input and --price-output");
  return { input_usd_per_mtok: priceInput, output_usd_per_mtok: priceOutput, source: "given on the command line" };
}
