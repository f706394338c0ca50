import { ADAPTERS, type Adapter } from "../schema/judge.ts";

/** What the command line needs to know of an adapter before it is opened. */
export interface AdapterFacts {
  kind: "embedded" | "provider";
  models: "none" | "required";
  example: string;
  description: string;
  grouping: "shared" | "one";
  methods: readonly [string, ...string[]];
  baseUrl?: string;
}

export const adapters: Record<Adapter, AdapterFacts> = {
  decisions: {
    kind: "provider",
    models: "required",
    example: "decisions:gpt-6-luna",
    description: "A decision model behind the Decisions API.",
    grouping: "shared",
    methods: ["decisions"],
    baseUrl: "https://api.openai.com/v1",
  },
  systemone: {
    kind: "provider",
    models: "required",
    example: "systemone:jev-1.13.0",
    description: "A decision model behind a SystemOne server.",
    grouping: "shared",
    methods: ["systemone"],
  },
  chat: {
    kind: "provider",
    models: "required",
    example: "chat:llama3.1",
    description: "A chat model with structured output; probabilities from token logprobs, or verbalized.",
    grouping: "one",
    methods: ["logprobs", "verbalized"],
    baseUrl: "https://api.openai.com/v1",
  },
  lexicon: {
    kind: "embedded",
    models: "none",
    example: "lexicon",
    description: "Authored word patterns for the shipped checks; no network.",
    grouping: "shared",
    methods: ["patterns"],
  },
  overlap: {
    kind: "embedded",
    models: "none",
    example: "overlap",
    description: "Baseline: bag-of-words similarity of the evidence with each criterion.",
    grouping: "shared",
    methods: ["cosine"],
  },
  constant: {
    kind: "embedded",
    models: "required",
    example: "constant:yes, constant:no or constant:half",
    description: "Baseline: the same answer to every question.",
    grouping: "shared",
    methods: ["constant"],
  },
  replay: {
    kind: "embedded",
    models: "required",
    example: "replay:<sha256 of the answers file>",
    description: "The saved answers of an earlier run, by input digest.",
    grouping: "shared",
    methods: ["replay"],
  },
};

export interface JudgeListing {
  /** As it is named on the command line; providers show an example model. */
  name: string;
  adapter: Adapter;
  description: string;
  /** False: it parses, but this version cannot open it. */
  available: boolean;
}

const OPEN: readonly Adapter[] = ["lexicon", "overlap", "constant", "decisions", "systemone", "chat"];

/** Every judge there is, embedded ones that can be opened first. */
export function judgeList(): JudgeListing[] {
  const listed = ADAPTERS.flatMap((adapter) => {
    const { example, description } = adapters[adapter];
    const names = adapter === "constant" ? ["constant:yes", "constant:no", "constant:half"] : [example];
    return names.map((name) => ({ name, adapter, description, available: OPEN.includes(adapter) }));
  });
  return [...listed.filter((judge) => judge.available), ...listed.filter((judge) => !judge.available)];
}

export function describeJudges(kind?: "embedded"): string {
  return judgeList()
    .filter((judge) => kind === undefined || judge.available)
    .map((judge) => judge.name)
    .join(", ");
}
