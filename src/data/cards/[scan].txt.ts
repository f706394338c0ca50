import { emit, parameter } from "../../../loaders/emit.ts";

await emit(`cards/${parameter("scan")}.txt`);
