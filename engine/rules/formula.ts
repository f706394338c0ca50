import type { Formula } from "../schema/check.ts";
import { EITHER, NO, YES, type Resolutions } from "./answers.ts";

type Node = { slot: number } | { not: Node } | { all: Node[] } | { any: Node[] };

/** A formula over `slots`: the positions of its question names in a list of yes/no resolutions. */
export interface CompiledFormula {
  readonly root: Node;
  /** Slots that occur more than once: while open, such a leaf is the same answer at every occurrence. */
  readonly repeated: readonly number[];
}

/** Compile over `names`, which holds at least the formula's own names. */
export function compileFormula(formula: Formula, names: readonly string[]): CompiledFormula {
  const uses = new Map<number, number>();
  const compile = (part: Formula): Node => {
    if (typeof part === "string") {
      const slot = names.indexOf(part);
      uses.set(slot, (uses.get(slot) ?? 0) + 1);
      return { slot };
    }
    if ("not" in part) return { not: compile(part.not) };
    return "all" in part ? { all: part.all.map(compile) } : { any: part.any.map(compile) };
  };
  const root = compile(formula);
  return { root, repeated: [...uses].filter(([, count]) => count > 1).map(([slot]) => slot) };
}

/**
 * The values a formula may take while its open slots resolve freely, exactly. Bounds are exact where every open leaf
 * occurs once; a repeated open leaf is split into its two answers, and only where the bounds leave both values.
 * `values` is used as scratch space and restored.
 */
export function rangeOf(formula: CompiledFormula, values: Resolutions[]): Resolutions {
  const bounds = boundsOf(formula.root, values);
  if (bounds !== EITHER) return bounds;
  const slot = formula.repeated.find((repeated) => values[repeated] === EITHER);
  if (slot === undefined) return bounds;
  values[slot] = NO;
  let range = rangeOf(formula, values);
  if (range !== EITHER) {
    values[slot] = YES;
    range |= rangeOf(formula, values);
  }
  values[slot] = EITHER;
  return range;
}

function boundsOf(node: Node, values: readonly Resolutions[]): Resolutions {
  if ("slot" in node) return values[node.slot]!;
  if ("not" in node) {
    const inner = boundsOf(node.not, values);
    return ((inner & NO) << 1) | ((inner & YES) >> 1);
  }
  if ("all" in node) {
    let no = 0;
    let yes = YES;
    for (const part of node.all) {
      const inner = boundsOf(part, values);
      no |= inner & NO;
      yes &= inner;
    }
    return no | yes;
  }
  let no = NO;
  let yes = 0;
  for (const part of node.any) {
    const inner = boundsOf(part, values);
    no &= inner;
    yes |= inner & YES;
  }
  return no | yes;
}

/** The leaves that fix the value of a formula whose slots are all resolved: enough of them to see why. */
export function reasonsFor(formula: CompiledFormula, values: readonly Resolutions[]): number[] {
  const slots = new Set<number>();
  const visit = (node: Node): void => {
    if ("slot" in node) slots.add(node.slot);
    else if ("not" in node) visit(node.not);
    else {
      const parts = "all" in node ? node.all : node.any;
      const deciding = "all" in node ? NO : YES;
      if (boundsOf(node, values) === deciding) visit(parts.find((part) => boundsOf(part, values) === deciding)!);
      else parts.forEach(visit);
    }
  };
  visit(formula.root);
  return [...slots].sort((a, b) => a - b);
}
