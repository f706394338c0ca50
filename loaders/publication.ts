import { readPlan } from "../engine/scan/index.ts";
import { studyOf } from "../engine/studies/seen.ts";

/** What a published site says of its one study, as frozen in the scans it shows. */
export interface Publication {
  study_id: string;
  title: string;
  author: string;
  date: string;
  licence: string | null;
  study_sha256: string;
}

/** The study that the first of these bundles froze; all of a publication's are of one. */
export function publicationOf([first]: readonly string[]): Publication | undefined {
  if (first === undefined) return undefined;
  const { directory, plan } = readPlan(first);
  const rendered = studyOf(directory, plan);
  if (rendered === undefined) return undefined;
  const { id, title, author, date, licence = null } = rendered.study;
  return { study_id: id, title, author, date, licence, study_sha256: rendered.study_sha256 };
}
