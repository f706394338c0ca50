import { h } from "./dom.js";
import type { Claim } from "./rate.js";

const CLAIMS: Record<Claim, { number: number; name: string; says: string; not: string }> = {
  development_exemplars: {
    number: 1,
    name: "Development exemplars",
    says: "The saved answers still produce the authored rule outcomes.",
    not: "Nothing about a judge's quality: these rows were used to build the checks.",
  },
  frozen_validation_cases: {
    number: 2,
    name: "Frozen validation cases",
    says: "Agreement with the declared expectations, on their stated basis.",
    not: "Counts over constructed cases only. No rate over real conversations follows from them.",
  },
  target_model_conversations: {
    number: 3,
    name: "Target-model conversations",
    says: "Observed behaviour under the recorded conditions.",
    not: "No accuracy: nobody has established what the right verdicts are.",
  },
};

export const CLAIM_ORDER: readonly Claim[] = [
  "development_exemplars",
  "frozen_validation_cases",
  "target_model_conversations",
];

export function isClaim(value: unknown): value is Claim {
  return CLAIM_ORDER.some((claim) => claim === value);
}

/** Which of the three claims a page makes, and what it does not say. */
export function claimBanner(claim: Claim): HTMLElement {
  const { number, name, says, not } = CLAIMS[claim];
  return h(
    "aside",
    { class: "claim-banner", "aria-label": "What this page claims" },
    h("span", { class: "claim-number", "aria-hidden": "true" }, number),
    h(
      "div",
      {},
      h("p", { class: "claim-name" }, `Claim ${number} of 3: ${name}`),
      h("p", {}, says, " ", h("span", { class: "quiet" }, not)),
    ),
  );
}

/** The same in a few words, for a figure's caption. */
export function claimTag(claim: Claim): HTMLElement {
  const { number, name, says } = CLAIMS[claim];
  return h("span", { class: "claim-tag", title: says }, `Claim ${number} · ${name}`);
}

/** The three claims side by side. */
export function claimList(counts: Partial<Record<Claim, string>> = {}): HTMLElement {
  return h(
    "ol",
    { class: "claims" },
    CLAIM_ORDER.map((claim) => {
      const { name, says, not } = CLAIMS[claim];
      return h(
        "li",
        {},
        h("h3", {}, name),
        h("p", {}, says),
        h("p", { class: "quiet" }, not),
        counts[claim] !== undefined && h("p", { class: "claims-here" }, counts[claim]),
      );
    }),
  );
}
