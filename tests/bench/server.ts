import { createServer } from "node:http";
import { z } from "zod";

// The provider of the overhead benchmark, in a process of its own: answers at once, or after the milliseconds in its
// first argument. Speaks Decisions, and chat completions for a comparison. Prints its port.
const latencyMs = Number(process.argv[2] ?? 0);
const Asked = z.object({
  model: z.string(),
  questions: z
    .array(
      z.object({
        type: z.string(),
        name: z.string(),
        choices: z.array(z.object({ value: z.string() })).optional(),
      }),
    )
    .optional(),
});

function answer(text: string): string {
  const { model, questions } = Asked.parse(JSON.parse(text));
  if (questions === undefined) {
    const message = { role: "assistant", content: "yes", refusal: null };
    const usage = { prompt_tokens: 100, completion_tokens: 1, total_tokens: 101 };
    return JSON.stringify({
      id: "made",
      object: "chat.completion",
      model,
      choices: [{ index: 0, finish_reason: "stop", message }],
      usage,
    });
  }
  const answers = questions.map(({ type, name, choices = [] }) => {
    if (type === "predicate") return { type, name, probability: 0.9 };
    const probabilities = choices.map(({ value }, i) => ({ value, probability: i === 0 ? 1 : 0 }));
    return { type, name, choice: choices[0]?.value, confidence: 1, probabilities };
  });
  return JSON.stringify({ model, answers, usage: { input_tokens: 100, output_tokens: 1, total_tokens: 101 } });
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = answer(Buffer.concat(chunks).toString());
    const send = (): unknown => response.writeHead(200, { "content-type": "application/json" }).end(body);
    if (latencyMs > 0) setTimeout(send, latencyMs);
    else send();
  });
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") process.stdout.write(`${address.port}\n`);
});
