import fc from "fast-check";
import { expect, it } from "vitest";
import { sha256 as inBrowser } from "./sha256-browser.ts";
import { sha256 } from "./sha256.ts";

it("digests alike in Node and in a browser", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.uint8Array({ maxLength: 300 })), (value) => {
      expect(inBrowser(value)).toBe(sha256(value));
    }),
  );
  expect(inBrowser("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
