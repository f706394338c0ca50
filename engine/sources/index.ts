export { importSource, type ImportReport } from "./import.ts";
export { IMPORTERS } from "./importers.ts";
export { parseOptions, type RawOptions } from "./options.ts";
