import {
  boundaries,
  flag,
  integer,
  nullable,
  options,
  real,
  table,
  text,
  texts,
  type RowOf,
  type Table,
} from "./columns.ts";
import { FOREIGN_TABLES } from "./foreign-schema.ts";

/** Part of every cached table's key: raise it when a column, its meaning or the order of rows changes. */
export const TABLES_VERSION = "assay-tables/2";

/*
 * Two scopes. `content` tables hold facts keyed by a digest (a study, a check, a turn): each row is there once, however
 * many scans froze it, so that a count over them is a count of things. `scan` tables hold one scan's rows and begin
 * with `scan_id`; two scans of one study are two sets of rows. Joins:
 *
 *   judgments, expectations, answers, evidence, effects, conversations -> scans        by scan_id
 *   judgments <-> expectations, evidence, effects, answers                             by scan_id, conversation, check_id
 *   conversations -> turns                                                             by transcript_sha256
 *   judgments -> checks -> questions                                                   by check_sha256
 *   scans -> studies -> cases, pairs                                                   by study_sha256; cases.case_id = scenario_id
 *   trivial_verdicts -> studies, cases, pairs                                          by study_sha256; -> conversations by run_id
 *   answers -> requests                                                                by scan_id, input_sha256, repeat
 *
 * The tables of other engines' judgments are in foreign-schema.ts. `conversation` is `<model_id>/<scenario_id>`, the same string in every scan of the same source run.
 */
const scan_id = text("The scan; also the name of its bundle directory");
const conversation = text("`<model_id>/<scenario_id>`");
const check_id = text("`<dimension>.<slug>`");
const layer = text("Folder above the dimension, such as safety or care");
const dimension = text("The part of the check id before the dot");
const check_sha256 = text("Digest of the parsed check definition");
const transcript_sha256 = text("Digest of the transcript file's bytes");
const claim = text("development_exemplars, frozen_validation_cases or target_model_conversations");
const is_fixture = flag("Authored fixture conversations: never part of a figure about target models");
const study_sha256 = text("Digest of the study as declared");
const role = text("Role of the turn");
const turn = integer("Turn number, from 1; unique with the role");
const key = text("Exact observation key, unique with conversation, role, turn");
const judgmentVerdict = nullable(text("PASS, FAIL, UNCLEAR or NOT_APPLICABLE; null where not judged"));

/** What one scan's bundle gives. */
const SCAN_TABLES = {
  studies: table({
    description: "Preregistered studies, as frozen in the bundles",
    scope: "content",
    key: ["study_sha256"],
    sort: ["study_id", "study_sha256"],
    columns: {
      study_sha256,
      study_id: text("The study's name; a revised study has another"),
      title: text("Title"),
      claim: text("The one narrow claim under test, in the author's words"),
      author: text("Who declared it"),
      study_date: text("Date declared in the study, ISO 8601"),
      revises: nullable(text("The older study this one revises")),
      selection: text("How cases were chosen"),
      excluded: text("What was left out"),
      check_ids: texts("Checks under study, in the study's order"),
      judges: texts("Judges to be run, `<judge> <context>`, in the study's order"),
      boundaries: boundaries("What each boundary changes and should do, with its two control cases"),
      cases: integer("Number of cases", "cases"),
      pairs: integer("Number of pairs", "pairs"),
    },
  }),
  cases: table({
    description: "Constructed conversations of the studies",
    scope: "content",
    key: ["study_sha256", "case_id"],
    sort: ["study_id", "study_sha256", "position"],
    columns: {
      study_sha256,
      study_id: text("The study"),
      case_id: text("The case; equals scenario_id of its conversation"),
      position: integer("Place in the study, from 0"),
      title: text("Title"),
      ambiguous: nullable(text("Why no right verdict can be fixed; such cases expect UNCLEAR")),
      derived_from: nullable(text("The case this one is made from; null where written out in full")),
      ancestors: texts("Every case it derives from, nearest first"),
      operations: texts("The declared edits, each as canonical JSON, in order"),
      transcript_sha256,
      seen: nullable(
        flag(
          "It, or a case it derives from or revises, was answered outside the study's own first wave; null where no register says",
        ),
      ),
    },
  }),
  pairs: table({
    description: "Two cases one declared change apart, with what planning proved about them",
    scope: "content",
    key: ["study_sha256", "pair_id"],
    sort: ["study_id", "study_sha256", "position"],
    columns: {
      study_sha256,
      study_id: text("The study"),
      pair_id: text("The pair"),
      position: integer("Place in the study, from 0"),
      boundary_id: text("What the change tests"),
      boundary_change: text("The change, in words"),
      expected_effect: text("What the change is expected to do"),
      check_id,
      case_before: text("The case before the change"),
      case_after: text("The case after the change"),
      invariants: texts("Facts declared about the pair, each as canonical JSON"),
      proved: texts("Those that rendering proved from the bytes"),
    },
  }),
  trivial_verdicts: table({
    description:
      "The power of a study's battery: what judges that understand nothing, or see only the last exchange, say of every label",
    scope: "content",
    key: ["run_id", "judge", "context", "case_id", "check_id"],
    // Of equal keys the first row stays: one read from a finished scan, where there is one.
    sort: ["study_id", "run_id", "position", "case_id", "check_id", "scan_id"],
    columns: {
      run_id: text("The rendered study, `<study>@<digest>`; equals run_id of its conversations"),
      study_id: text("The study"),
      study_sha256,
      judge: text("constant:yes, constant:no, constant:half, overlap or lexicon"),
      context: text("full, or final_pair for the lexicon"),
      position: integer("Place among the trivial judges, from 0"),
      case_id: text("The case; equals scenario_id of its conversation"),
      check_id,
      expected: text("The declared verdict"),
      observed: text("The trivial judge's verdict under the default thresholds"),
      asked: integer("Observations asked for; 0: fixed without asking", "observations"),
      correct: flag("Observed equals expected"),
      counted: flag("Expects something other than UNCLEAR: part of headline counts"),
      scan_id: nullable(text("The finished scan it is read from; null: asked when the tables were derived")),
    },
  }),
  scans: table({
    description: "Finished, verified scans, with their totals",
    scope: "scan",
    key: ["scan_id"],
    sort: ["study_id", "judge_position", "scan_id"],
    columns: {
      scan_id,
      claim,
      claim_text: text("What the claim says, in a sentence"),
      is_fixture,
      judge: text("`<adapter>:<model>`, as named when planned"),
      adapter: text("decisions, systemone, chat, lexicon, overlap, constant or replay"),
      model: text("Model pinned by the judge; empty for some embedded judges"),
      context: text("full or final_pair"),
      method: text("How an answer is read from the judge"),
      grouping: text("shared or one"),
      question_order: text("Of questions that share a request: listed or reversed"),
      repeats: integer("Times each request is asked"),
      base_url: nullable(text("Where the judge was called")),
      threshold_low: real("At or below: no", "probability"),
      threshold_high: real("At or above: yes", "probability"),
      lexicon_sha256: nullable(text("Digest of the lexicon's patterns")),
      prompt_sha256: nullable(text("Digest of the prompt template")),
      is_baseline: flag("overlap or constant: what agreement costs without understanding"),
      is_shipped_lexicon: flag(
        "lexicon: its patterns are by the author of the shipped checks and studies, so development evidence only",
      ),
      study_id: nullable(text("The study its conversations render; null for other sources")),
      study_sha256: nullable(study_sha256),
      judge_position: nullable(
        integer("Place among the judges the study lists, from 0; null where it does not list it"),
      ),
      run_ids: texts("Source runs, in the plan's order"),
      run_date: text("Latest date recorded by a source run"),
      model_ids: texts("Target models, or `fixture/<study>`"),
      plan_sha256: text("Digest of the frozen plan"),
      seal_sha256: text("Digest of the seal: the whole bundle"),
      engine_version: text("Engine that planned it"),
      rules_version: text("Rules that derived it"),
      conversations: integer("Conversations planned", "conversations"),
      checks: integer("Checks planned", "checks"),
      judgments: integer("Judgments, not judged ones included", "judgments"),
      passes: integer("Judged PASS", "judgments"),
      fails: integer("Judged FAIL", "judgments"),
      unclears: integer("Judged UNCLEAR", "judgments"),
      not_applicables: integer("Judged NOT_APPLICABLE", "judgments"),
      not_judged: integer("Without a verdict, because a needed request ended in a technical error", "judgments"),
      not_asked: integer("Verdict fixed without asking the judge anything: no evidence about it", "judgments"),
      unclear_all_numerator: integer("UNCLEAR", "judgments"),
      unclear_all_denominator: integer("All with a verdict", "judgments"),
      unclear_applicable_numerator: integer("UNCLEAR", "judgments"),
      unclear_applicable_denominator: integer("All with a verdict other than NOT_APPLICABLE", "judgments"),
      requests: integer("Distinct requests times repeats", "requests"),
      observations: integer("Observations planned over all conversations", "observations"),
      answered_requests: integer("Requests with an answer", "requests"),
      valid_first_attempts: integer("Requests answered at the first attempt", "requests"),
      technical_attempts: integer("Attempts that ended in a technical error", "attempts"),
      uncovered_questions: integer("Asked questions an embedded judge has no pattern for", "questions"),
      input_tokens: real("Billed or counted input", "tokens"),
      output_tokens: real("Billed or counted output", "tokens"),
      cost_usd: real("Charged over all attempts", "USD"),
      estimated_cost_usd: nullable(real("Upper bound frozen in the plan; null where the price was unknown", "USD")),
      estimate_method: text("How the bound was made"),
      labeled_judgments: integer("Judgments with a bound expectation", "judgments"),
      mismatches: integer("Of these, with a verdict other than the expected one", "judgments"),
      expectations_agreed: integer("Labels expecting PASS, FAIL or NOT_APPLICABLE that were met", "judgments"),
      expectations_counted: integer("Labels expecting PASS, FAIL or NOT_APPLICABLE", "judgments"),
      attachment_status: text("absent, accepted or rejected: the labels frozen with the sources"),
      attachment_reason: nullable(text("Why they were rejected, whole")),
      suspect_turns: integer("Assistant turns marked as broken generations", "turns"),
      seen_numerator: nullable(
        integer("Cases answered before this plan and outside its wave; null where no register says", "cases"),
      ),
      seen_denominator: nullable(integer("Cases of its study; null where no register says", "cases")),
    },
  }),
  conversations: table({
    description: "Conversations as each scan froze them",
    scope: "scan",
    key: ["scan_id", "conversation"],
    sort: ["scan_id", "position"],
    columns: {
      scan_id,
      conversation,
      position: integer("Index in the plan, from 0"),
      claim,
      is_fixture,
      study_id: nullable(text("The study; null for other sources")),
      run_id: text("Source run"),
      harness: text("What produced the conversations"),
      mode: text("How it produced them; authored for fixtures"),
      run_date: text("Date recorded by the source run"),
      model: text("Display name of the target model"),
      model_id: text("Target model, or `fixture/<study>`"),
      scenario_id: text("Scenario, or the case of a study"),
      category: text("Category recorded by the source; may be empty"),
      transcript_sha256,
      evidence_context_sha256: text("Digest of transcript and memory context together"),
      persistent_memory: flag("The run declares memory"),
      turns: integer("Turns of all roles", "turns"),
      assistant_turns: integer("Replies", "turns"),
      seen: nullable(
        flag(
          "A case answered before this scan's plan and outside its wave; null for other sources, or where no register says",
        ),
      ),
      suspect_turns: texts("Broken generations accepted at planning, `<turn> <kind>: <detail>`"),
    },
  }),
  turns: table({
    description: "Turns of every transcript, in file order",
    scope: "content",
    key: ["transcript_sha256", "position"],
    columns: {
      transcript_sha256,
      position: integer("Line in the file, from 0"),
      role: text("user, assistant or another"),
      turn,
      content: text("The text as recorded: data, never markup"),
      task: nullable(text("The task stated with a user turn, as canonical JSON")),
      extra: nullable(text("Fields beyond role, turn, content and task, as canonical JSON")),
    },
  }),
  checks: table({
    description: "Check definitions, as frozen",
    scope: "content",
    key: ["check_sha256", "layer"],
    sort: ["layer", "check_id", "check_sha256"],
    columns: {
      check_sha256,
      check_id,
      layer,
      dimension,
      name: text("Name of the behaviour"),
      severity: text("S1 to S5"),
      summary: text("One public sentence"),
      basis: text("Requirement basis"),
      pass_meaning: text("What PASS does and does not establish"),
      rule: text("clauses, episode, task_completion or source_support"),
      reply_window: text("reply or after: what a cue opens"),
      cue_role: nullable(text("Role the cue is asked at; null without a cue")),
      cue_min: nullable(integer("Cue turns needed", "turns")),
      requires_assistant_turns: integer("Replies needed for the check to apply", "turns"),
      applies_if: texts("Clauses that all must hold at a turn for it to count, in words"),
      fail_if: texts("Clauses any of which fails, in words"),
      pass_if_any: texts("Clauses that must all hold at some turn, in words"),
      episode: nullable(text("opens, confirms, reopens and violates, as canonical JSON")),
      questions: integer("Questions, the cue included", "questions"),
      source_grounding: texts("Where the requirement comes from"),
      definition: text("The whole definition, as canonical JSON"),
    },
  }),
  questions: table({
    description: "Questions of every check, cue included",
    scope: "content",
    key: ["check_sha256", "question"],
    sort: ["check_id", "check_sha256", "question"],
    columns: {
      check_sha256,
      check_id,
      question: text("Name in the check; cue for the cue"),
      question_sha256: text("Digest of type, instructions and criteria: one question family wherever it is asked"),
      is_cue: flag("Asked to find where the check applies"),
      type: text("noul (yes or no) or choice"),
      unit: text("turn or sentence"),
      binds: nullable(text("Episodes: reference or reply")),
      memory: nullable(text("declared or undeclared, where asked in one memory state only")),
      inputs: nullable(texts("Evidence fields it may see; null: all")),
      instructions: text("The question as put"),
      count_as_yes: texts("What counts as yes"),
      count_as_no: texts("What counts as no"),
      criteria: options("yes/no: true and false; choice: every option"),
    },
  }),
  requests: table({
    description: "What was asked: one row per request and repeat",
    scope: "scan",
    key: ["scan_id", "input_sha256", "repeat"],
    columns: {
      scan_id,
      input_sha256: text("Digest of the canonical request: what the judge saw"),
      repeat: integer("From 0; verdicts use repeat 0"),
      bytes: integer("Length of the canonical request", "bytes"),
      questions: integer("Questions in it", "questions"),
      conversations: integer("Conversations it serves", "conversations"),
      answered: flag("An answer was saved"),
      attempts: integer("Attempts recorded", "attempts"),
      technical_attempts: integer("Attempts that ended in a technical error", "attempts"),
      last_error: nullable(text("Code of the last technical error")),
      model: nullable(text("Model that answered, as it names itself")),
      uncovered: integer("Questions an embedded judge has no pattern for", "questions"),
      input_tokens: real("Input of the answer", "tokens"),
      output_tokens: real("Output of the answer", "tokens"),
      cost_usd: real("Charged over all its attempts", "USD"),
    },
  }),
  answers: table({
    description: "Saved answers: one row per observation, repeat and option",
    scope: "scan",
    key: ["scan_id", "conversation", "role", "turn", "key", "repeat", "option"],
    sort: ["scan_id", "conversation", "check_id", "turn", "role", "key", "repeat", "option"],
    columns: {
      scan_id,
      conversation,
      check_id,
      question: text("Name in the check; cue for the cue"),
      role,
      turn,
      key,
      sentence: nullable(integer("Sentence of the reply, from 0")),
      reference_turn: nullable(integer("Turn that opened the episode")),
      detail: nullable(text("Task detail asked about, `<list>/<index>`")),
      type: text("noul or choice"),
      option: text("yes for a yes/no question; else an option of the choice"),
      probability: nullable(real("P(yes), or of this option; null where never answered", "probability")),
      band: nullable(text("yes, no or open; for options chosen, excluded or open; null where never answered")),
      resolved: flag("The answer settles the observation under the frozen thresholds"),
      uncovered: flag("The embedded judge has no pattern for this question; it answered 0.5"),
      repeat: integer("From 0; verdicts use repeat 0"),
      input_sha256: text("The request that asked it"),
    },
  }),
  judgments: table({
    description: "Derived verdicts: one row per conversation and check",
    scope: "scan",
    key: ["scan_id", "conversation", "check_id"],
    columns: {
      scan_id,
      conversation,
      check_id,
      layer,
      dimension,
      claim,
      is_fixture,
      study_id: nullable(text("The study; null for other sources")),
      model_id: text("Target model, or `fixture/<study>`"),
      scenario_id: text("Scenario, or the case of a study"),
      category: text("Category recorded by the source; may be empty"),
      verdict: judgmentVerdict,
      possible: texts("Verdicts some world consistent with the answers gives; empty where not judged"),
      asked: integer("Observations asked for; 0: fixed without asking, no evidence about the judge", "observations"),
      open: integer("Observations the answers leave unresolved", "observations"),
      rationale: text("Generated from the rule and the numbers"),
      spans: integer("Quotes cited", "quotes"),
      check_sha256,
      transcript_sha256,
      evidence_context_sha256: text("Digest of transcript and memory context together"),
    },
  }),
  evidence: table({
    description: "Exact quotes that judgments cite",
    scope: "scan",
    key: ["scan_id", "conversation", "check_id", "position"],
    columns: {
      scan_id,
      conversation,
      check_id,
      position: integer("Order in the judgment, from 0"),
      role,
      turn,
      span_start: integer("Offset in the turn's content", "UTF-16 code units"),
      span_end: integer("Offset after the quote", "UTF-16 code units"),
      quote: text("The exact text between them"),
      kind: text("reply, sentence, reference, cue or absence"),
    },
  }),
  expectations: table({
    description: "Verdicts declared before inference, as they bind to each scan",
    scope: "scan",
    key: ["scan_id", "conversation", "check_id", "position"],
    columns: {
      scan_id,
      conversation,
      check_id,
      position: integer("Order among the labels frozen with the sources, from 0"),
      study_id: nullable(text("The study; null for other sources")),
      model_id: text("Target model, or `fixture/<study>`"),
      scenario_id: text("Scenario, or the case of a study"),
      boundary_ids: texts("Boundaries this label tests, in the study's order"),
      expected: text("The declared verdict"),
      basis: text("controlled_fixture, source_evidence or independent_review"),
      source: text("Where the label comes from"),
      author: text("Who declared it"),
      reason: text("Why"),
      bound: flag("Transcript, evidence context and check are byte for byte those it was declared for"),
      differs: texts("What keeps it from binding"),
      observed: nullable(text("The scan's verdict; null where unbound or not judged")),
      asked: nullable(integer("Observations asked for the verdict; 0: fixed without asking", "observations")),
      mismatch: nullable(
        text("false_pass, false_fail, applicability, unresolved or decided; null where right or without a verdict"),
      ),
      correct: nullable(flag("Observed equals expected; null where there is no verdict")),
      counted: flag("Bound, and expects something other than UNCLEAR: part of headline counts"),
      check_sha256,
      transcript_sha256,
      evidence_context_sha256: text("Digest of transcript and memory context together"),
    },
  }),
  effects: table({
    description:
      "Unresolved observations whose resolution alone makes the possible verdicts strictly fewer, each way it can resolve",
    scope: "scan",
    key: ["scan_id", "conversation", "check_id", "role", "turn", "key", "resolution"],
    columns: {
      scan_id,
      conversation,
      check_id,
      question: text("Name in the check; cue for the cue"),
      role,
      turn,
      key,
      resolution: text("yes, no, or the option it resolves to"),
      possible_now: texts("Verdicts possible with the saved answers"),
      possible_then: texts("Verdicts possible once it resolves this way"),
      shrinks: flag("Fewer than now"),
      stake: text("possible_now joined by |; PASS|NOT_APPLICABLE is another question than PASS|FAIL"),
    },
  }),
} as const satisfies Record<string, Table>;

export const TABLES = { ...SCAN_TABLES, ...FOREIGN_TABLES } as const satisfies Record<string, Table>;

export type TableName = keyof typeof TABLES;
export type ScanTableName = keyof typeof SCAN_TABLES;
export type ForeignTableName = keyof typeof FOREIGN_TABLES;
export type Row<Name extends TableName> = RowOf<(typeof TABLES)[Name]>;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[];
export const SCAN_TABLE_NAMES = Object.keys(SCAN_TABLES) as ScanTableName[];
export const FOREIGN_TABLE_NAMES = Object.keys(FOREIGN_TABLES) as ForeignTableName[];

/** What sorts a table's files: the declared order, then what is left of the key, so that the order is total. */
export function orderOf(name: TableName): readonly string[] {
  const { key, sort = [] }: Table = TABLES[name];
  return [...new Set([...sort, ...key])];
}
