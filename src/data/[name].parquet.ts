import { emit, parameter } from "../../loaders/emit.ts";

await emit(`${parameter("name")}.parquet`);
