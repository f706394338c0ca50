import { emitModule } from "../../loaders/browser-module.ts";

await emitModule("engine/stats/index.ts");
