import { emitModule } from "../../loaders/browser-module.ts";

await emitModule("engine/tables/saved-verdicts.ts");
