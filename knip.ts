import type { KnipConfig } from "knip";

/** The code of a Framework page: its fenced js blocks and inline expressions. */
function codeOfPage(text: string): string {
  const blocks = [...text.matchAll(/^```js.*\n([\s\S]*?)^```$/gm)].map((block) => block[1] ?? "");
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  const inline = [...prose.matchAll(/\$\{([^}]*)\}/g)].map((expression) => `void (${expression[1]});`);
  return [...blocks, ...inline].join("\n");
}

const config: KnipConfig = {
  entry: [
    "engine/cli/bench.ts",
    // What a part of the engine offers the others, and the reader.
    "engine/*/index.ts",
    // What a page loads of the engine, and what stands there in the place of files.
    "engine/studies/designer.ts",
    "engine/checks/shipped-browser.ts",
    // Spawned by a test, so that it can be killed.
    "tests/faults/slow-run.ts",
    // Started by hand, and the server it measures against.
    "tests/bench/{overhead,server,timings}.ts",
    "observablehq.config.ts",
    "src/**/*.md",
    "src/**/*.{parquet,json,js,csv,txt,md}.ts",
  ],
  project: ["engine/**/*.{ts,mjs}", "loaders/**/*.ts", "src/**/*.{ts,md}", "tests/**/*.ts", "*.{ts,js}"],
  // What a module exports and also uses itself is part of its own signatures, not dead.
  ignoreExportsUsedInFile: true,
  compilers: { md: codeOfPage },
  ignoreDependencies: [
    // The prefix of Framework's specifiers.
    "npm",
    // What Framework's own code asks for by name in a built page, answered from node_modules by loaders/npm-local.ts;
    // pinned here because only these versions were found to work together.
    "@observablehq/inputs",
    "apache-arrow",
    "d3",
    "d3-dsv",
    "htl",
    "isoformat",
    "@codemirror/*",
    "@lezer/highlight",
  ],
  // The package manager that brings Chromium to Debian; what tests make a full disk and a terminal with.
  ignoreBinaries: ["apt-get", "mount", "script", "umount"],
};

export default config;
