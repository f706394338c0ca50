import "./loaders/npm-local.ts";
import { footer, head, header } from "./src/shell.ts";

export default {
  root: "src",
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
};
