import { emit, parameter } from "../../../loaders/emit.ts";

await emit(`seals/${parameter("scan")}.json`);
