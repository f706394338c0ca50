import { flag, integer, nullable, table, text, texts, type Table } from "./columns.ts";

const foreign_set = text("The imported judgments: engine, judge and digest");
const conversation = text("`<model_id>/<scenario_id>`");
const foreign_id = text("What was judged, as the other engine names it");
const transcript_sha256 = text("Digest of the transcript file's bytes");

/**
 * Other engines' judgments, beside the tables of scans and never among them: other definitions, kept as given. Joins:
 * foreign_judgments -> check_map by foreign_id, -> judgments by check_id, conversation and transcript_sha256.
 */
export const FOREIGN_TABLES = {
  foreign_judgments: table({
    description: "Verdicts of another engine over conversations we hold; never derived again",
    scope: "content",
    key: ["foreign_set", "conversation", "foreign_id"],
    columns: {
      foreign_set,
      judge: text("Who judged, as the other engine names it"),
      engine: text("The other engine"),
      conversation,
      model_id: text("Target model"),
      scenario_id: text("Scenario"),
      transcript_sha256,
      foreign_id,
      verdict: text("PASS, FAIL, UNCLEAR or NOT_APPLICABLE, as given"),
      scorer: text("What inside the other engine decided; empty where it does not say"),
      repeats: texts("The same judge asked again; empty where not recorded"),
      split: flag("Two or more repeats, not all the same"),
      quotes: integer("Quotes given", "quotes"),
      unfound: integer("Of these, not an exact part of the turn they cite", "quotes"),
    },
  }),
  foreign_quotes: table({
    description: "What another engine quoted; only found quotes are evidence",
    scope: "content",
    key: ["foreign_set", "conversation", "foreign_id", "position"],
    columns: {
      foreign_set,
      conversation,
      transcript_sha256,
      foreign_id,
      position: integer("Order in the judgment, from 0"),
      role: text("Role of the turn cited"),
      turn: integer("Turn cited"),
      found: flag("The text is an exact part of that turn"),
      span_start: nullable(integer("Offset in the turn's content; null where unfound", "UTF-16 code units")),
      span_end: nullable(integer("Offset after the quote; null where unfound", "UTF-16 code units")),
      quote: text("The text as given, found or not"),
    },
  }),
  check_map: table({
    description: "Which foreign definition someone declares to be about the same thing as which check",
    scope: "content",
    key: ["foreign_id", "check_id"],
    columns: {
      foreign_id,
      check_id: text("`<dimension>.<slug>`"),
      author: text("Who says so"),
      reason: text("Why"),
    },
  }),
} as const satisfies Record<string, Table>;
