import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { protectPages, withPolicy } from "../../loaders/policy.ts";
import { scratchDirectory } from "../helpers/made-scan.ts";

const page = (scripts: string): string =>
  `<!DOCTYPE html>\n<html>\n<head>\n<meta charset="utf-8">\n${scripts}</head></html>`;
const digest = (script: string): string => `'sha256-${createHash("sha256").update(script).digest("base64")}'`;
const directive = (html: string, name: string): string =>
  new RegExp(`content="[^"]*?(${name}[^;"]*)`).exec(html)?.[1] ?? "";

it("names the inline scripts of a page by their digests, and no other", () => {
  const html = withPolicy(
    page('<script type="module">\nlet a = "é";\n</script><script src="x.js"></script><script>b()</script>'),
  );
  expect(directive(html, "script-src")).toBe(
    `script-src 'self' 'wasm-unsafe-eval' ${digest('\nlet a = "é";\n')} ${digest("b()")}`,
  );
  expect(directive(html, "connect-src")).toBe("connect-src 'self'");
});

it("stands before the first script", () => {
  const html = withPolicy(page("<script>a()</script>"));
  expect(html.indexOf("Content-Security-Policy")).toBeGreaterThan(0);
  expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<script>"));
});

it("protects every page below a directory and leaves other files as they are", () => {
  const directory = scratchDirectory();
  mkdirSync(join(directory, "scans"));
  for (const name of ["index.html", "scans/a.html", "data.js"]) writeFileSync(join(directory, name), page(""));
  protectPages(directory);
  for (const name of ["index.html", "scans/a.html"])
    expect(readFileSync(join(directory, name), "utf8")).toContain("default-src 'none'");
  expect(readFileSync(join(directory, "data.js"), "utf8")).toBe(page(""));
});
