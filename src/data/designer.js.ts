import { emitModule } from "../../loaders/browser-module.ts";

await emitModule("engine/studies/designer.ts");
