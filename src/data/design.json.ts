import { designDocument } from "../../loaders/design.ts";
import { print } from "../../loaders/emit.ts";

await print(() => `${JSON.stringify(designDocument())}\n`);
