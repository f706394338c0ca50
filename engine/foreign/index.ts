export { FOREIGN_FILE, FOREIGN_JUDGMENTS_FILE, isForeign, openForeign, type ForeignBundle } from "./bundle.ts";
export { readCheckMap, type CheckMap } from "./check-map.ts";
export { importForeign, type ForeignImport } from "./import.ts";
