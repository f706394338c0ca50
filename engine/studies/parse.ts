import { AssayError } from "../canon/errors.ts";
import { parsePlaced, parsePlacedYaml, type PlacedYaml } from "../canon/yaml.ts";
import { Study } from "../schema/study.ts";

/** A study from the text of its `study.yaml`. Throws `bad_study` with file, line, column and the fix. */
export function parseStudy(text: string, file: string): Study {
  const yaml = parsePlacedYaml(text, file, "bad_study");
  const study = parsePlaced(Study, yaml, "bad_study");
  checkReferences(study, yaml);
  return study;
}

/** Names that must be unique, and names that must exist: what has no meaning otherwise. */
function checkReferences(study: Study, yaml: PlacedYaml): void {
  const fail = (path: readonly PropertyKey[], problem: string, fix: string): never => {
    throw new AssayError("bad_study", problem, { ...yaml.place(path), fix });
  };
  const unique = (list: string, ids: readonly string[], field: readonly PropertyKey[]): Set<string> => {
    ids.forEach((id, index) => {
      if (ids.indexOf(id) < index) fail([list, index, ...field], `${list} names ${id} twice`, "keep one, or rename it");
    });
    return new Set(ids);
  };
  unique("checks", study.checks, []);
  const boundaries = unique("boundaries", study.boundaries.map(({ id }) => id), ["id"]);
  const cases = unique("cases", study.cases.map(({ id }) => id), ["id"]);
  unique("pairs", study.pairs.map(({ id }) => id), ["id"]);
  const needCase = (path: readonly PropertyKey[], id: string): void => {
    if (!cases.has(id)) fail(path, `there is no case ${id}`, "name a case of this study");
  };
  study.boundaries.forEach((boundary, index) => {
    needCase(["boundaries", index, "prohibited"], boundary.prohibited);
    needCase(["boundaries", index, "legitimate"], boundary.legitimate);
  });
  study.pairs.forEach((pair, index) => {
    if (!boundaries.has(pair.boundary))
      fail(["pairs", index, "boundary"], `there is no boundary ${pair.boundary}`, "name a boundary of this study");
    pair.cases.forEach((id, member) => needCase(["pairs", index, "cases", member], id));
    if (pair.cases[0] === pair.cases[1])
      fail(["pairs", index, "cases"], `pair ${pair.id} has one case twice`, "name two cases");
  });
  const bases = new Map(study.cases.flatMap((row) => ("from" in row ? [[row.id, row.from] as const] : [])));
  study.cases.forEach((row, index) => {
    if ("from" in row) {
      needCase(["cases", index, "from"], row.from);
      const chain = [row.id];
      for (let at = bases.get(row.id); at !== undefined; at = bases.get(at)) {
        chain.push(at);
        if (at === row.id) fail(["cases", index, "from"], `case ${chain.join(" <- ")} derives from itself`, "break the cycle");
        if (chain.length > cases.size) break;
      }
    }
    const checks = row.expectations.map(({ check }) => check);
    checks.forEach((check, at) => {
      if (checks.indexOf(check) < at)
        fail(["cases", index, "expectations", at, "check"], `case ${row.id} has two expectations of ${check}`, "keep one");
    });
  });
}
