/** Families whose name is also a person's or a word, so that only a version after it, or nothing else, gives it away. */
const FAMILIES =
  "claude|gemini|gemma|llama|mistral|mixtral|qwen|deepseek|grok|phi|kimi|glm|nova|opus|sonnet|haiku|command|jamba|falcon|yi|jev";
const ALWAYS = [
  /\b(?:chat)?gpt\b/i,
  /\bgpt-?[0-9]/i,
  /\bLLMs?\b/,
  /\bAI\b/,
  /\b(?:language|neural) model\b/i,
  /^(?:the |an? )?(?:model|assistant|bot|chatbot|judge|evaluator|agent)$/i,
  new RegExp(`^(?:${FAMILIES})$`, "i"),
  new RegExp(`\\b(?:${FAMILIES})[- ]?v?[0-9]`, "i"),
  /\bclaude[- ](?:opus|sonnet|haiku|code|instant)\b/i,
  /^(?:lexicon|overlap|constant|replay|decisions|systemone|chat)(?::|$)/i,
  /^o[1-9](?:-[a-z]+)?$/i,
  // <provider>/<model>
  /^[\w.-]+\/[\w.:-]+$/,
];

/**
 * Whether an author's name is that of a model: one the scan names, or by its pattern. It catches what says so; no
 * record can prove that a person wrote a label.
 */
export function isModelAuthor(author: string, models: readonly string[]): boolean {
  const name = author.trim();
  const same = (other: string): boolean => other.toLowerCase() === name.toLowerCase();
  return models.some(same) || ALWAYS.some((pattern) => pattern.test(name));
}
