import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countMarkers } from "../canon/commentary.ts";
import { packageRoot } from "../canon/root.ts";
import { judgment, label, plan, sha, smallStudy, view } from "../../tests/helpers/small-scan.ts";
import { cardOf } from "./card.ts";

const CASES = ["hers", "his", "odd"];
const CHECKS = ["a.one", "a.two"];
const LABELS = [
  label("hers", "a.one", "FAIL"),
  label("his", "a.one", "NOT_APPLICABLE"),
  label("odd", "a.one", "UNCLEAR"),
];

function example(text = "You should be ashamed.") {
  const scan = plan(CASES, CHECKS);
  scan.conversations[1]!.suspect_turns = [{ turn: 1, kind: "empty_content", detail: text }];
  const quote = { role: "assistant", turn: 1, start: 0, end: text.length, quote: text, kind: "reply" as const };
  const judgments = [
    judgment(scan, 0, 0, "FAIL", { evidence: [quote], rationale: text }),
    judgment(scan, 0, 1, "PASS"),
    judgment(scan, 1, 0, "PASS"),
    judgment(scan, 1, 1, "NOT_APPLICABLE", { asked: 0, observations: [] }),
    judgment(scan, 2, 0, "UNCLEAR"),
    judgment(scan, 2, 1, null),
  ];
  const labels = LABELS.map((row) => ({ ...row, reason: text, author: text, source: text }));
  return view(scan, judgments, { labels, study: smallStudy(CASES, CHECKS) });
}

describe("the Jury Card", () => {
  it("is the golden card", async () => {
    await expect(await cardOf(example(), sha("judgments"))).toMatchFileSnapshot(
      join(packageRoot, "tests/golden/compare/jury-card.md"),
    );
  });

  it("shows a rejected attachment, whole, and no agreement", async () => {
    const scan = example();
    scan.attachments[0] = { ...scan.attachments[0]!, status: "rejected", reason: "row 1: author: <b>", accepted: [] };
    const card = await cardOf(scan, sha("judgments"));
    expect(card).toContain("**Rejected.** The expectations of small&#64;000000000000 are rejected whole");
    expect(card).toContain("row 1: author: &lt;b&gt;");
    expect(card).not.toContain("**Accepted.**");
  });

  it("lists labels that do not bind", async () => {
    const scan = example();
    scan.attachments[0]!.accepted = [{ ...LABELS[0]!, check_sha256: sha("other") }, LABELS[1]!];
    expect(await cardOf(scan, sha("judgments"))).toMatch(
      /not bound to this scan\n\n[^|]*\n\n[^#]*\| hers \| a.one \| FAIL \| check\\_sha256 \|/,
    );
  });

  it("holds one marker and no markup, whatever the texts say", async () => {
    const clean = shape(await cardOf(example("x"), sha("judgments")));
    const hostile = fc
      .array(
        fc.constantFrom(
          "<!-- commentary -->",
          "\n",
          "\r\n",
          "# h",
          "| a |",
          "<img src=x onerror=1>",
          "`",
          "```",
          "**",
          "[a](b)",
          "\u001b[31m",
          "\u202e",
          "\u2028",
          "- x",
          "> q",
          "text",
          "\\",
          "https://a.b",
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(hostile, async (text) => {
        const card = await cardOf(example(text), sha("judgments"));
        expect(countMarkers(card)).toBe(1);
        const ours = /^<!-- (commentary|seen register|end of seen register) -->$/gm;
        expect(card.replace(ours, "").replaceAll("\n", "")).not.toMatch(/[<>\p{Cc}\u202e\u2028]|https:\/\//u);
        expect(shape(card)).toEqual(clean);
      }),
      { numRuns: 60 },
    );
  });
});

/** The card without its texts: each line's block marker and number of table cells. */
function shape(card: string): string[] {
  return card.split("\n").map((line) => {
    const cells = line.replace(/\\\\/g, "").replace(/\\\|/g, "").split("|").length;
    return `${/^(#+|\||-|```|>|)/.exec(line)![0]} ${cells}`;
  });
}
