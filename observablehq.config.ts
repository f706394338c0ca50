import "./loaders/npm-local.ts";
import { refreshOutputs } from "./loaders/inputs.ts";
import { dynamicPaths } from "./loaders/paths.ts";
import { prepareSite } from "./loaders/site.ts";
import { footer, head, header } from "./src/shell.ts";

const site = await prepareSite();
// Loaders are processes of their own: this tells them that the work is done.
process.env["ASSAY_SITE"] = site.directory;
refreshOutputs(site);

export default {
  root: "src",
  output: process.env["ASSAY_DIST"] ?? "dist",
  // Links name files, so that the plainest static host can serve the site.
  preserveExtension: true,
  title: "Assay",
  head,
  header,
  footer,
  sidebar: false,
  pager: false,
  toc: false,
  search: false,
  style: "style.css",
  globalStylesheets: [],
  duckdb: { extensions: { json: null, parquet: null } },
  dynamicPaths: dynamicPaths(site.build),
};
