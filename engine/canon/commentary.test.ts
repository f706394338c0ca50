import { describe, expect, it } from "vitest";
import {
  cardWithoutCommentary,
  commentaryOf,
  countMarkers,
  registerNote,
  sealedCardBytes,
  withNoteOf,
} from "./commentary.ts";

describe("a card's commentary", () => {
  it.each([
    ["no marker at all\n", ""],
    ["# Card\n", "<!-- commentary -->\nMine.\n"],
    ["", "<!-- commentary -->"],
    ["quoted: <!-- commentary --> inside a line\n", "<!-- commentary -->\n<!-- commentary -->\n"],
    ["umlauts äöü\n", "<!-- commentary -->\nmore ü\n"],
  ])("begins at the first marker line: %j", (sealed, commentary) => {
    const card = sealed + commentary;
    expect(cardWithoutCommentary(card)).toBe(sealed);
    expect(commentaryOf(card)).toBe(commentary);
    expect(Buffer.from(sealedCardBytes(Buffer.from(card))).toString()).toBe(sealed);
  });

  it("is nothing where the marker is not a line of its own", () => {
    expect(cardWithoutCommentary("a\n<!-- commentary --> b\n")).toBe("a\n<!-- commentary --> b\n");
    expect(countMarkers("<!-- commentary -->\nx\n<!-- commentary -->")).toBe(2);
  });

  it("keeps every remark when the note of the register is written anew", () => {
    const fresh = `<!-- commentary -->\n\n${registerNote("2/2 cases, $& and $1")}## Commentary\n`;
    const old = `<!-- commentary -->\n\n${registerNote("0/2 cases")}## Commentary\n\nMine.\n`;
    expect(withNoteOf(fresh, old)).toBe(`${fresh}\nMine.\n`);
    expect(withNoteOf(fresh, "<!-- commentary -->\n\n## Commentary\n\nMine.\n")).toBe(`${fresh}\nMine.\n`);
    expect(withNoteOf("<!-- commentary -->\n", old)).toBe(old);
    expect(withNoteOf(fresh, "<!-- commentary -->")).toContain("2/2 cases, $& and $1");
  });
});
