import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { packageRoot } from "../../engine/canon/root.ts";

const Packed = z.tuple([z.object({ files: z.array(z.object({ path: z.string() })) })]);

// An installed package judges and builds the site from what lies in it: pages, loaders and the engine they run.
it("the package holds everything that a workbench elsewhere is built from, and no more", { timeout: 60_000 }, () => {
  const words = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const listed = execFileSync("npm", words, {
    cwd: packageRoot,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const packed = Packed.parse(JSON.parse(listed))[0].files.map(({ path }) => path);
  const needed = ["src", "loaders", "engine", "checks", "studies", "docs"].flatMap((directory) =>
    readdirSync(join(packageRoot, directory), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(packageRoot.length + 1))
      .filter((path) => !path.endsWith(".test.ts") && !/(^|\/)\.(observablehq|DS_Store)/.test(path)),
  );
  expect(needed.filter((path) => !packed.includes(path))).toEqual([]);
  for (const path of ["build/bench.js", "observablehq.config.ts", "tsconfig.json", "LICENSE", "README.md"])
    expect(packed).toContain(path);
  const foreign = packed.filter((path) => /^(tests|data)\/|(^|\/)(private|\.observablehq)\/|\.test\.ts$/.test(path));
  expect(foreign).toEqual([]);
});
