import { z } from "zod";
import { AssayError } from "../canon/errors.ts";
import { parseWith } from "../canon/json.ts";
import { conversationOf, isTool, roleOf } from "./conversation.ts";
import type { ImportedConversation, Reading } from "./imported.ts";
import { MAX_CONVERSATION, tooLarge } from "./limits.ts";
import { numberTurns, textOf, type Message } from "./messages.ts";
import { dropMembers, isEmpty } from "./tally.ts";

const LogMessage = z.looseObject({
  id: z.string().nullish(),
  role: z.string().min(1),
  content: z.unknown().optional(),
  source: z.string().nullish(),
});
type LogMessage = z.infer<typeof LogMessage>;

/** What a generation gave: its first choice, and why that ended. */
const Output = z.looseObject({
  choices: z.array(z.looseObject({ message: LogMessage, stop_reason: z.string().nullish() })).nullish(),
  error: z.string().nullish(),
});
type Output = z.infer<typeof Output>;
const ModelEvent = z.looseObject({ event: z.literal("model"), output: Output });

const Attachments = z.record(z.string(), z.string());

const Sample = z.looseObject({
  id: z.union([z.string().min(1), z.number().int()]),
  epoch: z.number().int(),
  messages: z.array(LogMessage),
  output: Output.nullish(),
  error: z.unknown().optional(),
  events: z.array(z.unknown()).nullish(),
  attachments: Attachments.nullish(),
  /** Where the first archives kept attachments and events. */
  transcript: z.looseObject({ content: Attachments.nullish() }).nullish(),
});
type Sample = z.infer<typeof Sample>;

const KEPT = new Set(["id", "epoch", "messages", "output", "error", "attachments"]);
const MESSAGE_KEPT = new Set(Object.keys(LogMessage.shape));
const ATTACHMENT = /^(?:attachment|tc):\/\/([0-9a-f]{32})$/;

/** Marks the last reply of a sample that an error ended. */
const SAMPLE_ERROR = "sample_error";
/** Marks the last reply where the provider reported an error with it. */
const OUTPUT_ERROR = "error";

/**
 * The conversation of one sample, or none where the model never replied. Its id is Inspect's own name of the sample,
 * `<id>_epoch_<epoch>`; its category the task. Replies carry the recorded stop reason.
 */
export function* readSample(
  reading: Reading,
  value: unknown,
  { model, task }: { model: string; task: string },
  file: string,
): Generator<ImportedConversation> {
  const { dropped } = reading;
  const sample = parseWith(Sample, value, { file }, "bad_record");
  dropMembers(dropped, sample, KEPT, "samples[].");
  const messages = messagesOf(reading, sample, file);
  const replied = messages.findLast(({ role }) => role === "assistant");
  if (replied === undefined) {
    dropped.add("samples without a reply");
    return;
  }
  if (!isEmpty(sample.error)) replied.finish_reason = SAMPLE_ERROR;
  const size = messages.reduce((sum, { content }) => sum + content.length, 0);
  if (size > MAX_CONVERSATION) throw tooLarge("the conversation", MAX_CONVERSATION, { file }, "leave this sample out");
  yield conversationOf(
    reading,
    { model, scenario_id: `${sample.id}_epoch_${sample.epoch}`, category: task, turns: numberTurns(messages) },
    { file },
  );
}

function messagesOf(reading: Reading, sample: Sample, file: string): Message[] {
  const { dropped } = reading;
  const attachments = { ...sample.transcript?.content, ...sample.attachments };
  const ended = endings(sample);
  const messages: Message[] = [];
  for (const [i, message] of sample.messages.entries()) {
    const role = roleOf(reading, message.role, { file });
    if (isTool(role)) {
      dropped.add(`messages[role=${role}]`);
      continue;
    }
    dropMembers(dropped, message, MESSAGE_KEPT, "messages[].");
    const text = textOf(message.content, dropped, "messages[].content");
    if (text === undefined)
      throw new AssayError("bad_record", `messages.${i} (${role}) has no content to read`, { file });
    const content = resolved(text, attachments, i, file);
    if (role !== "assistant") messages.push({ role, content });
    else if (content === "" && !isEmpty(message["tool_calls"]))
      dropped.add("messages[role=assistant] with tool calls and no text");
    else {
      const reason = ended(message, i);
      messages.push({ role, content, ...(reason === undefined ? {} : { finish_reason: reason }) });
    }
  }
  return messages;
}

/** A long text may be kept once and referred to. A judge that was shown the reference would judge another reply. */
function resolved(text: string, attachments: Record<string, string>, i: number, file: string): string {
  const hash = ATTACHMENT.exec(text)?.[1];
  if (hash === undefined) return text;
  const found = Object.hasOwn(attachments, hash) ? attachments[hash] : undefined;
  if (found === undefined)
    throw new AssayError("bad_record", `messages.${i} refers to an attachment that the sample does not hold`, {
      file,
      fix: "get the whole log",
    });
  return found;
}

/**
 * Why each reply ended: by the id of the message among the recorded generations, and for the sample's last output
 * also by its text, since old logs have no ids. Nothing recorded: undefined.
 */
function endings({ events, output, messages }: Sample): (message: LogMessage, i: number) => string | undefined {
  const byId = new Map<string, string>();
  const record = (given: Output): void => {
    const { id, reason } = endOf(given);
    if (id !== undefined && reason !== undefined) byId.set(id, reason);
  };
  for (const event of events ?? []) {
    const parsed = ModelEvent.safeParse(event);
    if (parsed.success) record(parsed.data.output);
  }
  if (output) record(output);
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  return (message, i) => {
    const known = message.id ? byId.get(message.id) : undefined;
    if (known !== undefined || i !== last || !output) return known;
    const { id, content, reason } = endOf(output);
    const same = id === undefined || !message.id ? JSON.stringify(content) === JSON.stringify(message.content) : false;
    return same ? reason : undefined;
  };
}

function endOf({ choices, error }: Output): { id?: string; content?: unknown; reason?: string } {
  const choice = choices?.[0];
  if (choice === undefined) return {};
  const reason = !isEmpty(error) && (choice.stop_reason ?? "stop") === "stop" ? OUTPUT_ERROR : choice.stop_reason;
  return {
    ...(choice.message.id ? { id: choice.message.id } : {}),
    content: choice.message.content,
    ...(reason ? { reason } : {}),
  };
}
