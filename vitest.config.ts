import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["{engine,loaders,src}/**/*.test.ts", "tests/{unit,fuzz}/**/*.test.ts"],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "cli",
          include: ["tests/{cli,faults,provider}/**/*.test.ts"],
          globalSetup: "tests/cli/setup.ts",
          // Start-up times are measured and runs are killed here: one file at a time.
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: "site",
          include: ["tests/site/**/*.test.ts"],
          globalSetup: "tests/site/setup.ts",
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
