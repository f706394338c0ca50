export { lintChecks, type LintFinding } from "./lint.ts";
export { loadChecks } from "./load.ts";
export { parseCheckValue, parseCheckYaml } from "./parse.ts";
