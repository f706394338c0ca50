#!/usr/bin/env node
import { main } from "./main.ts";

// A reader of the progress or the result that closes its pipe early is not an error.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    if (stream === process.stdout) process.exit(0);
  });
await main(process.argv.slice(2));
