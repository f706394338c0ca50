import { afterAll, describe, expect, it } from "vitest";

const real = globalThis.fetch;
const { answerLocally, parseSpecifier } = await import("./npm-local.ts");
const { installedVersion } = await import("./packages.ts");
afterAll(() => {
  globalThis.fetch = real;
});

describe("packages answered from node_modules", () => {
  it("takes a specifier apart", () => {
    expect(parseSpecifier("d3")).toEqual({ name: "d3", path: "" });
    expect(parseSpecifier("d3@7/+esm")).toEqual({ name: "d3", path: "+esm" });
    expect(parseSpecifier("@duckdb/duckdb-wasm@1.29.0/dist/a.wasm")).toEqual({
      name: "@duckdb/duckdb-wasm",
      path: "dist/a.wasm",
    });
    expect(() => parseSpecifier("/x")).toThrow(expect.objectContaining({ code: "bad_specifier" }));
  });

  it("serves the installed version whatever was asked for, its dependencies as imports", async () => {
    const latest = await answerLocally(new URL("https://registry.npmjs.org/htl/latest"));
    expect(await latest?.json()).toEqual({ name: "htl", version: installedVersion("htl") });
    const module = await answerLocally(new URL("https://cdn.jsdelivr.net/npm/d3-dsv@0.0.1/+esm"));
    expect(module?.headers.get("content-type")).toBe("application/javascript");
    expect(await module?.text()).toContain("export");
    expect(await answerLocally(new URL("https://cdn.jsdelivr.net/npm/no-such-package@1/+esm"))).toBeUndefined();
  });

  it("refuses every other address", async () => {
    await expect(fetch("https://example.org/")).rejects.toMatchObject({ code: "no_network" });
  });
});
