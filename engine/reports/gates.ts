import { AssayError } from "../canon/errors.ts";
import { MISMATCH_KINDS } from "../schema/expectation.ts";
import type { Comparison } from "./comparison.ts";

const GATES = [...MISMATCH_KINDS, "mismatches", "inconsistent_pairs", "not_judged", "changed_verdicts"] as const;
type GateName = (typeof GATES)[number];

export interface Gate {
  name: GateName;
  /** The highest count of the new scan that still passes. */
  most: number;
}

export interface GateResult extends Gate {
  observed: number;
  met: boolean;
}

/** `false_pass=0,unresolved=2` as gates. Throws `bad_gate`, which lists what can be gated. */
export function parseGates(text: string): Gate[] {
  return text.split(",").map((part) => {
    const [, name, most] = /^\s*([a-z_]+)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    const known = GATES.find((gate) => gate === name);
    if (known === undefined || most === undefined)
      throw new AssayError("bad_gate", `the gate ${JSON.stringify(part)} is not <count>=<most>`, {
        fix: `gate one of ${GATES.join(", ")} with a whole number, e.g. false_pass=0`,
      });
    return { name: known, most: Number(most) };
  });
}

/**
 * Whether the new scan stays within each gate. A gate on labels without any label is `gate_without_labels`: a
 * count of nothing must not pass.
 */
export function applyGates(gates: readonly Gate[], comparison: Comparison): GateResult[] {
  const agreement = comparison.expectation_agreement.new;
  const unlabeled = gates.find(({ name }) => name !== "changed_verdicts" && name !== "not_judged");
  if (unlabeled !== undefined && agreement.labeled_judgments === 0)
    throw new AssayError("gate_without_labels", `the new scan has no labelled judgment to gate ${unlabeled.name} on`, {
      fix: "name labels that bind to it with --expectations <file.jsonl>",
    });
  return gates.map((gate) => {
    const observed = count(gate.name, comparison);
    return { ...gate, observed, met: observed <= gate.most };
  });
}

function count(name: GateName, comparison: Comparison): number {
  if (name === "changed_verdicts") return comparison.changed_verdicts.numerator;
  if (name === "not_judged") return comparison.new.not_judged;
  if (name === "inconsistent_pairs")
    return comparison.studies.new.reduce(
      (sum, { pairs_consistent: { numerator, denominator } }) => sum + denominator - numerator,
      0,
    );
  return comparison.expectation_agreement.new[name];
}
