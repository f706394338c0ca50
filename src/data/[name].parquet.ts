import { emit, nameParameter } from "../../loaders/emit.ts";

await emit(`${nameParameter()}.parquet`);
