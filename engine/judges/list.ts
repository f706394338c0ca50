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
  key?: string;
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
    key: "OPENAI_API_KEY",
  },
  systemone: {
    kind: "provider",
    models: "required",
    example: "systemone:jev-1.13.0",
    description: "A decision model behind a SystemOne server.",
    grouping: "shared",
    methods: ["systemone"],
    key: "TYPESAFE_API_KEY",
  },
  chat: {
    kind: "provider",
    models: "required",
    example: "chat:llama3.1",
    description: "A chat model with structured output; probabilities from token logprobs, or verbalized.",
    grouping: "one",
    methods: ["logprobs", "verbalized"],
    baseUrl: "https://api.openai.com/v1",
    key: "OPENAI_API_KEY",
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
    description: "The saved answers of an earlier run, by input digest; give the file with --answers.",
    grouping: "shared",
    methods: ["replay"],
  },
};

export interface JudgeListing {
  /** As it is named on the command line; providers show an example model. */
  name: string;
  adapter: Adapter;
  description: string;
  /** The environment variable with the provider's key; a server on this machine needs none. */
  key?: string;
}

/** Every judge there is, embedded ones first. */
export function judgeList(): JudgeListing[] {
  const listed = ADAPTERS.flatMap((adapter) => {
    const { example, description, key } = adapters[adapter];
    const names = adapter === "constant" ? ["constant:yes", "constant:no", "constant:half"] : [example];
    return names.map((name) => ({ name, adapter, description, ...(key === undefined ? {} : { key }) }));
  });
  const embedded = ({ adapter }: JudgeListing): boolean => adapters[adapter].kind === "embedded";
  return [...listed.filter(embedded), ...listed.filter((judge) => !embedded(judge))];
}

export function describeJudges(): string {
  return judgeList()
    .map((judge) => judge.name)
    .join(", ");
}
