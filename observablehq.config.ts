import "./loaders/npm-local.ts";
import { relative } from "node:path";
import { readWorkbench } from "./engine/site/workbench.ts";
import { pagesRoot, refreshOutputs } from "./loaders/inputs.ts";
import { dynamicPaths } from "./loaders/paths.ts";
import { protectPages } from "./loaders/policy.ts";
import { prepareSite } from "./loaders/site.ts";
import { footer, head, header } from "./src/shell.ts";

const { title } = readWorkbench();
const site = await prepareSite();
// Loaders are processes of their own: this tells them that the work is done.
process.env["ASSAY_SITE"] = site.directory;
refreshOutputs(site);

const { publication, engine_version, tables_version, scans } = site.build;
const frame = { title, publication, made: { engine: engine_version, tables: tables_version, seals: scans } };

const output = process.env["ASSAY_DIST"] ?? "dist";
// Framework has no hook after its last file. A preview evaluates code that it sends to the page, which no policy allows.
if (process.argv.includes("build"))
  process.once("exit", (code) => {
    if (code === 0) protectPages(output);
  });

export default {
  root: relative(process.cwd(), pagesRoot()),
  output,
  // Links name files, so that the plainest static host can serve the site.
  preserveExtension: true,
  // Loaders run with the tsx that is installed here, whatever the PATH says.
  interpreters: { ".ts": [process.execPath, "--import", import.meta.resolve("tsx")] },
  title,
  head,
  header: header(frame),
  footer: footer(frame),
  sidebar: false,
  pager: false,
  toc: false,
  search: false,
  style: "style.css",
  globalStylesheets: [],
  duckdb: { extensions: { json: null, parquet: null } },
  dynamicPaths: dynamicPaths(site.build),
};
