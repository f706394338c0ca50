#!/usr/bin/env node
import { main } from "./main.ts";

// A reader that closes the pipe early (`bench sql ... | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});
await main(process.argv.slice(2));
