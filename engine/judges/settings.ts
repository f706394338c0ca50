import { AssayError } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { Adapter, DEFAULT_THRESHOLDS, JudgeSettings, type ContextPolicy, type Thresholds } from "../schema/judge.ts";
import { CONSTANTS } from "./constant.ts";
import { loadLexicon } from "./lexicon.ts";
import { adapters, describeJudges, type AdapterFacts } from "./list.ts";
import { knownPrice } from "./prices.ts";
import { promptSha256 } from "./wire/prompt.ts";

export interface JudgeOptions {
  context?: ContextPolicy | undefined;
  thresholds?: Thresholds | undefined;
  grouping?: "shared" | "one" | undefined;
  questionOrder?: "listed" | "reversed" | undefined;
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
    question_order: questionOrder(spec, options.grouping ?? facts.grouping, options.questionOrder),
    repeats: options.repeats ?? 1,
    context: options.context ?? "full",
    thresholds: options.thresholds ?? DEFAULT_THRESHOLDS,
    price: price(spec, facts, options),
  };
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
  return parseWith(JudgeSettings, given, { fix: "see bench judges list" }, "bad_judge");
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

/** A question asked alone has no order, so a plan that claims one would compare a judge with itself. */
function questionOrder(
  spec: string,
  grouping: "shared" | "one",
  order: JudgeOptions["questionOrder"],
): "reversed" | undefined {
  if (order !== "reversed") return undefined;
  if (grouping === "one")
    throw badJudge(spec, "asks each question alone, so they have no order; add --grouping shared");
  return order;
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
