import { emit } from "../../loaders/emit.ts";

await emit("build.json");
