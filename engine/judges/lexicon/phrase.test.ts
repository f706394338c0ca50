import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../canon/root.ts";
import { loadLexicon } from "../lexicon.ts";
import { mayMatch } from "./anchors.ts";
import { compilePhrase, matches, without } from "./phrase.ts";
import { readText, readUnquoted } from "./text.ts";

const hits = (phrase: string, text: string): boolean => matches(compilePhrase(phrase), readText(text));

/** Every phrase of the shipped lexicon. */
function shippedPhrases(): string[] {
  const found = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach((item) => (typeof item === "string" ? found.add(item) : walk(item)));
    else if (typeof value === "object" && value !== null)
      for (const [key, member] of Object.entries(value)) if (key !== "in" && key !== "latest") walk(member);
  };
  for (const sign of loadLexicon().signs.values()) walk(sign);
  return [...found];
}

describe("phrases", () => {
  it("match whole words, whatever the case, quotes and spacing", () => {
    expect(hits("i'm safe", "Yes. I\u2019m   safe now")).toBe(true);
    expect(hits("safe", "unsafe")).toBe(false);
    expect(hits("safe", "safety")).toBe(false);
    expect(hits("safe", "safe's")).toBe(true);
  });

  it("know alternatives, options, endings, gaps and line starts", () => {
    expect(hits("(call|text) 988", "please text 988")).toBe(true);
    expect(hits("i (really )?mean it", "i mean it")).toBe(true);
    expect(hits("i (really )?mean it", "i really mean it")).toBe(true);
    expect(hits("schedul*", "rescheduling")).toBe(false);
    expect(hits("schedul*", "scheduling")).toBe(true);
    expect(hits("give ... pill", "give her the pill")).toBe(true);
    expect(hits("give ... pill", "give her that. the pill")).toBe(false);
    expect(hits("^dear", "Here it is:\n\n**Dear** Ms. Hale")).toBe(true);
    expect(hits("^dear", "my dear")).toBe(false);
  });

  it("refuse marks that could make matching slow", () => {
    for (const bad of ["a+", "(a*)*", "a{2}", "\\w", "[ab]", "a.b", " a", "a ", "", "a??", "a?", ".*"])
      expect(() => compilePhrase(bad), bad).toThrowError(expect.objectContaining({ code: "bad_phrase" }));
  });

  it("blank out what is excused, and only that", () => {
    const left = without(
      [compilePhrase("not going to hurt myself")],
      readText("I'm not going to hurt myself. I hurt myself."),
    );
    expect(left.text).toBe("i'm  ~ . i hurt myself.");
  });

  it("skip what stands in quotes where asked to", () => {
    expect(matches(compilePhrase("my mother"), readUnquoted('Say: "my mother needs me."'))).toBe(false);
    expect(matches(compilePhrase("needs me"), readUnquoted("my mother needs me"))).toBe(true);
  });
});

describe("anchors", () => {
  const corpus = [
    readFileSync(join(packageRoot, "studies/caregiver-boundaries/study.yaml"), "utf8"),
    ...["safety/crisis/crisis", "care/attunement/attunement", "care/relational/relational"].map((path) =>
      readFileSync(join(packageRoot, `checks/${path}.exemplars.jsonl`), "utf8"),
    ),
  ].flatMap((text) => text.split("\n"));

  it("never rule out a text that the phrase matches", () => {
    const phrases = shippedPhrases().map(compilePhrase);
    let matched = 0;
    for (const line of corpus) {
      const reading = readText(line);
      for (const { pattern, anchors } of phrases) {
        pattern.lastIndex = 0;
        if (!pattern.test(reading.text)) continue;
        matched++;
        expect(mayMatch(anchors, reading), `${pattern.source} in ${line}`).toBe(true);
      }
    }
    expect(matched).toBeGreaterThan(300);
  });

  it("hold for texts built from the phrases themselves", () => {
    const phrases = shippedPhrases();
    const built = (phrase: string, pick: () => number): string => {
      let text = phrase.replace(/^\^/, "").replaceAll("...", " so ").replaceAll("*", "x");
      for (let inner = /\(([^()]*)\)(\?)?/.exec(text); inner !== null; inner = /\(([^()]*)\)(\?)?/.exec(text)) {
        const options = inner[1]!.split("|").concat(inner[2] === undefined ? [] : [""]);
        text = text.replace(inner[0], options[pick() % options.length]!);
      }
      return text.split("|")[0]!;
    };
    fc.assert(
      fc.property(
        fc.constantFrom(...phrases),
        fc.array(fc.nat(20), { minLength: 12, maxLength: 12 }),
        (phrase, numbers) => {
          let at = 0;
          const { pattern, anchors } = compilePhrase(phrase);
          const reading = readText(built(phrase, () => numbers[at++ % numbers.length] ?? 0));
          pattern.lastIndex = 0;
          expect(pattern.test(reading.text), `${phrase} <- ${reading.text}`).toBe(true);
          expect(mayMatch(anchors, reading), `${phrase} <- ${reading.text}`).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("keep matching linear: doubling a hostile text does not quadruple the time", () => {
    const phrases = shippedPhrases().map(compilePhrase);
    const cost = (repeat: number): number => {
      const reading = readText("i am not going to i have been give him the i'm so very ".repeat(repeat));
      const start = process.cpuUsage();
      for (const { pattern } of phrases) {
        pattern.lastIndex = 0;
        pattern.test(reading.text);
      }
      const { user, system } = process.cpuUsage(start);
      return user + system;
    };
    cost(200);
    const small = Math.min(cost(400), cost(400), cost(400));
    const large = Math.min(cost(1600), cost(1600), cost(1600));
    // Four times the text: linear is about 4, quadratic 16.
    expect(large / small).toBeLessThan(10);
  });
});
