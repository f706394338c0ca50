import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { markdown, quoted, visible } from "./escape.ts";

const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src=x onerror="alert(1)">',
  "<!-- commentary -->",
  "\n<!-- commentary -->\n",
  "[link](javascript:alert(1))",
  "![beacon](https://example.org/p.png)",
  "https://example.org and www.example.org",
  "| a | b |\n| --- | --- |",
  "# heading\n\n- list\n> quote\n```\ncode\n```",
  "**bold** _em_ ~~gone~~ `code` $x^2$",
  "&lt;b&gt; &#60;b&#62;",
  "\u001b[31mred\u001b[0m\u0007",
  "\u202eevil\u2066txt\u2069",
  "a\u200bb\ufeffc\u00ad",
  "\ud800 lone",
  "\\",
  "[^1]: note",
  "a\u0000b\r\nc",
];

describe("markdown", () => {
  it.each(HOSTILE)("keeps %j on one line without markup", (text) => {
    const shown = markdown(text);
    expect(shown).not.toMatch(/[<>\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
    expect(shown).not.toMatch(/(?:^|[^\\])(?:\\\\)*[`*_[\]|~#$]/);
    expect(shown).not.toMatch(/(?:https?:\/\/|www\.)/);
    expect(shown.isWellFormed()).toBe(true);
  });

  it("leaves ordinary prose alone", () => {
    const prose = "She said (twice): \"I can't sleep - it's 10:30 p.m.\", and 50% of it is true!";
    expect(markdown(prose)).toBe(prose);
    expect(markdown("👨‍👩‍👧")).toBe("👨‍👩‍👧");
  });

  it("never lets an active character through", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."\\`*_[]|~<>&$\n\u001b\u202ea ") }), (text) => {
        const bare = markdown(text)
          .replace(/\\[\\`*_[\]|~#$]/g, "")
          .replace(/&(?:amp|lt|gt|#64);/g, "");
        return !/[`*_[\]|~<>&$\p{Cc}\u202e]/u.test(bare.replace(/\\u\{[0-9a-f]+\}/g, ""));
      }),
    );
  });
});

describe("quoted", () => {
  it("says how much it left out, and does not cut a character in two", () => {
    expect(quoted("abcdef", 3)).toBe("“abc” (and 3 more characters)");
    expect(quoted("ab😀", 3)).toBe("“ab” (and 2 more characters)");
  });
});

describe("visible", () => {
  it("shows controls and bidi marks as escapes", () => {
    expect(visible("\u001b[1m\u202e\u061c")).toBe("\\u{1b}[1m\\u{202e}\\u{61c}");
  });
});
