export { IMPORTERS, importSource, type ImportReport } from "./import.ts";
