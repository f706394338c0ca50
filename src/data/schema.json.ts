import { emit } from "../../loaders/emit.ts";

await emit("schema.json");
