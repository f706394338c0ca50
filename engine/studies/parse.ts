import { AssayError } from "../canon/errors.ts";
import { parsePlaced, parsePlacedYaml, schemaIssues, type SchemaIssue } from "../canon/yaml.ts";
import { Study } from "../schema/study.ts";

/** A study from the text of its `study.yaml`. Throws `bad_study` with file, line, column and the fix. */
export function parseStudy(text: string, file: string): Study {
  const yaml = parsePlacedYaml(text, file, "bad_study");
  const study = parsePlaced(Study, yaml, "bad_study");
  const [first] = referenceIssues(study);
  if (first !== undefined)
    throw new AssayError("bad_study", first.problem, { ...yaml.place(first.path), fix: first.fix });
  return study;
}

/** All that `parseStudy` would refuse in a value, one problem after the other; references only where it is a study. */
export function studyIssues(value: unknown): SchemaIssue[] {
  const issues = schemaIssues(Study, value);
  return issues.length > 0 ? issues : [...referenceIssues(Study.parse(value))];
}

/** Names that must be unique, and names that must exist: what has no meaning otherwise. */
function* referenceIssues(study: Study): Generator<SchemaIssue> {
  function* unique(list: string, ids: readonly string[], field: readonly PropertyKey[]): Generator<SchemaIssue> {
    for (const [index, id] of ids.entries())
      if (ids.indexOf(id) < index)
        yield { path: [list, index, ...field], problem: `${list} names ${id} twice`, fix: "keep one, or rename it" };
  }
  const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
  yield* unique("checks", study.checks, []);
  yield* unique("boundaries", idsOf(study.boundaries), ["id"]);
  yield* unique("cases", idsOf(study.cases), ["id"]);
  yield* unique("pairs", idsOf(study.pairs), ["id"]);
  const boundaries = new Set(idsOf(study.boundaries));
  const cases = new Set(idsOf(study.cases));
  function* needCase(path: readonly PropertyKey[], id: string): Generator<SchemaIssue> {
    if (!cases.has(id)) yield { path, problem: `there is no case ${id}`, fix: "name a case of this study" };
  }
  for (const [index, boundary] of study.boundaries.entries()) {
    yield* needCase(["boundaries", index, "prohibited"], boundary.prohibited);
    yield* needCase(["boundaries", index, "legitimate"], boundary.legitimate);
  }
  for (const [index, pair] of study.pairs.entries()) {
    if (!boundaries.has(pair.boundary))
      yield {
        path: ["pairs", index, "boundary"],
        problem: `there is no boundary ${pair.boundary}`,
        fix: "name a boundary of this study",
      };
    for (const [member, id] of pair.cases.entries()) yield* needCase(["pairs", index, "cases", member], id);
    if (pair.cases[0] === pair.cases[1])
      yield { path: ["pairs", index, "cases"], problem: `pair ${pair.id} has one case twice`, fix: "name two cases" };
  }
  const bases = new Map(study.cases.flatMap((row) => ("from" in row ? [[row.id, row.from] as const] : [])));
  for (const [index, row] of study.cases.entries()) {
    if ("from" in row) {
      yield* needCase(["cases", index, "from"], row.from);
      const chain = chainOf(row.id, bases);
      if (chain.length > 1 && chain.at(-1) === row.id)
        yield {
          path: ["cases", index, "from"],
          problem: `case ${chain.join(" <- ")} derives from itself`,
          fix: "break the cycle",
        };
    }
    const checks = row.expectations.map(({ check }) => check);
    for (const [at, check] of checks.entries())
      if (checks.indexOf(check) < at)
        yield {
          path: ["cases", index, "expectations", at, "check"],
          problem: `case ${row.id} has two expectations of ${check}`,
          fix: "keep one",
        };
  }
}

/** A case and what it derives from, nearest first; ends with the case itself where it derives from itself. */
function chainOf(id: string, bases: ReadonlyMap<string, string>): string[] {
  const chain = [id];
  for (let at = bases.get(id); at !== undefined && chain.length <= bases.size; at = bases.get(at)) {
    chain.push(at);
    if (at === id) break;
  }
  return chain;
}
