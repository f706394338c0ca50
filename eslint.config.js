import js from "@eslint/js";
import tseslint from "typescript-eslint";

/** `engine/<part>` imports at most these other parts; tests beside a module may import anything. */
const mayImport = {
  schema: [],
  canon: ["schema"],
  stats: ["canon"],
  checks: ["canon", "schema", "rules", "evidence"],
  evidence: ["canon", "schema", "checks"],
  rules: ["canon", "schema", "evidence"],
  judges: ["canon", "schema", "checks", "evidence"],
  sources: ["canon", "schema", "checks", "evidence"],
  scan: ["canon", "schema", "checks", "evidence", "rules", "judges"],
  validation: ["canon", "schema", "checks", "evidence", "rules", "judges", "scan"],
  foreign: ["canon", "schema", "evidence", "scan"],
};
const parts = [...Object.keys(mayImport), "studies", "reports", "tables", "site", "cli"];
const upper = parts.filter((part) => part !== "cli");
for (const part of ["studies", "reports", "tables"]) mayImport[part] = upper.filter((other) => other !== "site");
mayImport.site = upper;

const site = {
  group: ["**/src/**", "**/loaders/**", "@observablehq/*"],
  message: "The engine knows nothing of the site.",
};
const pure = {
  regex: "^(node:)?(fs|net|http|https|http2|tls|dgram|dns|child_process|worker_threads|os|process|timers)(/|$)",
  message: "Rules and statistics are pure.",
};
const forbidden = (part) => {
  const others = parts.filter((other) => other !== part && !mayImport[part].includes(other));
  return { regex: `/(${others.join("|")})/`, message: `engine/${part} must not depend on this; see CONTRIBUTING.md.` };
};
const boundaries = Object.keys(mayImport).map((part) => ({
  files: [`engine/${part}/**/*.ts`],
  ignores: ["**/*.test.ts"],
  rules: {
    "no-restricted-imports": [
      "error",
      { patterns: [site, forbidden(part), ...(part === "rules" || part === "stats" ? [pure] : [])] },
    ],
  },
}));

export default tseslint.config(
  { ignores: ["build/", "build.*/", "dist/", "coverage/", "data/", "private/", "src/.observablehq/", "test-results/"] },
  js.configs.recommended,
  {
    files: ["**/*.{js,mjs}"],
    languageOptions: { globals: { process: "readonly", console: "readonly", URL: "readonly" } },
  },
  {
    files: ["**/*.ts"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/promise-function-async": "off",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/return-await": ["error", "error-handling-correctness-only"],
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_" }],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
      "@typescript-eslint/require-await": "off",
      eqeqeq: ["error", "always"],
      "no-console": "error",
    },
  },
  { files: ["engine/**/*.ts"], rules: { "no-restricted-imports": ["error", { patterns: [site] }] } },
  ...boundaries,
);
