import { scanTables } from "../engine/tables/derive.ts";

// One bundle's tables, in a process of its own; what goes wrong is met again, and reported, by the process that asked.
const [directory = "", cache = "", salt = ""] = process.argv.slice(2);
await scanTables(directory, { cache, salt }).catch(() => (process.exitCode = 1));
