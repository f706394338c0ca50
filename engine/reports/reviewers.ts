import type { Claim } from "../schema/verdict.ts";
import { emptyMatrix, type ReviewedItem } from "../validation/index.ts";
import { pairAgreement, type AgreedShare, type Coefficient, type PairAgreement } from "./pair-agreement.ts";

export interface ReviewerPair extends PairAgreement {
  a: string;
  b: string;
}

/** Each two reviewers over the items both labelled. Authored cases support counts only, so there nothing has an interval. */
export function reviewerAgreement(labelled: readonly ReviewedItem[], claim: Claim): ReviewerPair[] {
  const authors = [...new Set(labelled.flatMap(({ labels }) => labels.map(({ author }) => author)))].sort();
  return authors.flatMap((a, i) =>
    authors.slice(i + 1).flatMap((b) => {
      const table = emptyMatrix();
      let shared = 0;
      for (const { labels } of labelled) {
        const x = labels.find(({ author }) => author === a);
        const y = labels.find(({ author }) => author === b);
        if (x === undefined || y === undefined) continue;
        table[x.label][y.label] += 1;
        shared += 1;
      }
      if (shared === 0) return [];
      const pair = pairAgreement(table);
      return [{ a, b, ...(claim === "target_model_conversations" ? pair : withoutIntervals(pair)) }];
    }),
  );
}

function withoutIntervals(pair: PairAgreement): PairAgreement {
  const share = (agreed: AgreedShare): AgreedShare => ({ ...agreed, rate: null, ci: null });
  const bare = (value: Coefficient): Coefficient => ({ ...value, ci: null });
  const strip = <T extends Omit<PairAgreement, "table" | "baselines">>(row: T): T => ({
    ...row,
    agreed: share(row.agreed),
    kappa: bare(row.kappa),
    alpha: bare(row.alpha),
    ac1: bare(row.ac1),
  });
  return { ...strip(pair), baselines: pair.baselines.map(strip) };
}
