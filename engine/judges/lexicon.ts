import { AssayError } from "../canon/errors.ts";
import { digestOf } from "../canon/json.ts";
import { shippedChecks } from "../checks/shipped.ts";
import type { Check } from "../schema/check.ts";
import type { JudgeSettings } from "../schema/judge.ts";
import type { AnswerValue } from "../schema/request.ts";
import { questionDigest } from "./digest.ts";
import type { Judge } from "./judge.ts";
import { advocacy } from "./lexicon/advocacy.ts";
import { attunement } from "./lexicon/attunement.ts";
import { autonomy } from "./lexicon/autonomy.ts";
import { belonging } from "./lexicon/belonging.ts";
import { crisis } from "./lexicon/crisis.ts";
import type { DimensionLexicon } from "./lexicon/entry.ts";
import { identity } from "./lexicon/identity.ts";
import { relational } from "./lexicon/relational.ts";
import { scope } from "./lexicon/scope.ts";
import { answerChoice, answerSign, type ChoiceSigns, type Sign } from "./lexicon/signs.ts";

const LEXICON_FORMAT = "assay-lexicon/1";

/** Authors write signs under check id and question name; the judge finds them by what the question says. */
const AUTHORED: DimensionLexicon = {
  ...crisis,
  ...scope,
  ...identity,
  ...autonomy,
  ...attunement,
  ...belonging,
  ...relational,
  ...advocacy,
};

interface Lexicon {
  signs: ReadonlyMap<string, Sign | ChoiceSigns>;
  sha256: string;
}
let loaded: Lexicon | undefined;

/** The signs by question digest, and the digest of all of them (`lexicon_sha256` in a judge's settings). */
export function loadLexicon(): Lexicon {
  return (loaded ??= resolve(
    AUTHORED,
    shippedChecks().map(({ check }) => check),
  ));
}

/** Throws `bad_lexicon` where signs are kept for a question that the shipped checks do not ask. */
export function resolve(authored: DimensionLexicon, checks: readonly Check[]): Lexicon {
  const known = new Map(checks.map((check) => [check.id, check]));
  const signs = new Map<string, Sign | ChoiceSigns>();
  for (const [id, entry] of Object.entries(authored)) {
    for (const [name, sign] of Object.entries(entry)) {
      const check = known.get(id);
      const question = name === "cue" ? check?.cue && { type: "noul" as const, ...check.cue } : check?.questions[name];
      if (question === undefined)
        throw new AssayError("bad_lexicon", `signs are kept for ${id}/${name}, which no shipped check asks`, {
          fix: "rename or remove them in engine/judges/lexicon",
        });
      signs.set(questionDigest(question), sign);
    }
  }
  return { signs, sha256: digestOf({ format: LEXICON_FORMAT, signs: Object.fromEntries(signs) }) };
}

/** Authored word patterns: deterministic, no network. A question it has no signs for answers 0.5, listed in `uncovered`. */
export function lexiconJudge(settings: JudgeSettings): Judge {
  const { signs, sha256 } = loadLexicon();
  if (settings.lexicon_sha256 !== sha256)
    throw new AssayError("lexicon_changed", "the plan was frozen with another lexicon than this engine ships", {
      fix: "run it with the engine that planned it, or plan again",
      planned: settings.lexicon_sha256,
      shipped: sha256,
    });
  return {
    settings,
    ask({ state, questions }) {
      const answers: Record<string, AnswerValue> = {};
      const uncovered: string[] = [];
      for (const question of questions) {
        const sign = signs.get(questionDigest(question));
        if (sign === undefined) uncovered.push(question.name);
        answers[question.name] =
          sign === undefined
            ? undecided(question.type, question.criteria)
            : "options" in sign
              ? answerChoice(sign, state, question)
              : answerSign(sign, state, question);
      }
      const answer = { model: settings.model, answers, input_tokens: 0, output_tokens: 0, cost_usd: 0 };
      return uncovered.length === 0 ? answer : { ...answer, uncovered };
    },
  };
}

function undecided(type: "noul" | "choice", criteria: Record<string, string> | undefined): AnswerValue {
  if (type === "noul") return 0.5;
  const options = Object.keys(criteria ?? {}).sort();
  return Object.fromEntries(options.map((option) => [option, 1 / options.length]));
}
