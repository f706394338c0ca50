import { existsSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../canon/errors.ts";
import { refusePrivate } from "../canon/private.ts";
import type { RenderedStudy } from "../schema/study.ts";
import type { Share } from "../validation/index.ts";
import { studyRoots } from "./load.ts";
import { readRegister, SEEN_FILE, type Register } from "./register.ts";
import { frozenStudy, seenIn } from "./seen-cases.ts";

/** Whether the cases of a study were seen before a plan: a result on seen cases is no fresh validation. */
export interface SeenLabel {
  study_id: string;
  /** Seen cases, of all the study has; null where no register says. */
  seen: Share | null;
  seen_cases: string[];
  /** Why no register says; empty where one does. */
  unknown: string;
}

/**
 * By the register beside the study of that id, of the working directory or the package. A register that is absent,
 * private or damaged says nothing, and never stands in a scan's way.
 */
export function seenLabel(rendered: RenderedStudy, plan_sha256: string, cwd?: string): SeenLabel {
  return labelOf(rendered, () => plan_sha256, cwd);
}

/** The same for the study itself: cases answered outside its own first wave. Without a wave, cases answered at all. */
export function seenOutsideWave(rendered: RenderedStudy, cwd?: string): SeenLabel {
  const { id } = rendered.study;
  return labelOf(rendered, ({ waves }) => waves.find(({ study }) => study === id)?.plans[0]?.plan_sha256, cwd);
}

function labelOf(
  rendered: RenderedStudy,
  planIn: (register: Register) => string | undefined,
  cwd: string = process.cwd(),
): SeenLabel {
  const study_id = rendered.study.id;
  const unknown = (reason: string): SeenLabel => ({ study_id, seen: null, seen_cases: [], unknown: reason });
  const root = studyRoots(cwd).find((directory) => existsSync(join(directory, study_id)));
  if (root === undefined) return unknown("the study is not in this workbench");
  if (!existsSync(join(root, SEEN_FILE))) return unknown("there is no register");
  try {
    refusePrivate(root, cwd);
    const register = readRegister(root);
    const cases = seenIn(frozenStudy(rendered), register, planIn(register));
    const seen_cases = cases.flatMap(({ case_id, seen }) => (seen ? [case_id] : []));
    const seen = { numerator: seen_cases.length, denominator: cases.length };
    return { study_id, seen, seen_cases, unknown: "" };
  } catch (error) {
    if (!(error instanceof AssayError)) throw error;
    return unknown(error.code === "private_data" ? "the register is private" : "the register cannot be read");
  }
}
