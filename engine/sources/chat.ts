import { basename, extname } from "node:path";
import { z } from "zod";
import { AssayError, type ErrorDetails } from "../canon/errors.ts";
import { parseLine } from "../canon/json.ts";
import { conversationOf, isTool, roleOf, runDateOf } from "./conversation.ts";
import type { FileFacts, ImportedConversation, Reading } from "./imported.ts";
import { MAX_CONVERSATION } from "./limits.ts";
import { cappedLines } from "./lines.ts";
import { numberTurns, textOf, type Message } from "./messages.ts";
import { dropMembers, isEmpty } from "./tally.ts";

const ChatMessage = z.looseObject({
  role: z.string().min(1),
  content: z.unknown().optional(),
  refusal: z.string().nullish(),
  finish_reason: z.string().nullish(),
  stop_reason: z.string().nullish(),
});
type ChatMessage = z.infer<typeof ChatMessage>;

const Chat = z.looseObject({
  id: z.union([z.string().min(1), z.number().int()]).optional(),
  model: z.string().min(1).nullish(),
  model_id: z.string().min(1).nullish(),
  category: z.string().nullish(),
  scenario: z.string().nullish(),
  messages: z.array(ChatMessage).min(1),
});

const CHAT_FIELDS = new Set(Object.keys(Chat.shape));
const MESSAGE_FIELDS = new Set(Object.keys(ChatMessage.shape));
/** What a provider that writes `stop_reason` calls a reply that ended by itself. */
const ENDED = new Set(["end_turn", "stop_sequence"]);

/** JSONL, one conversation a line, in the shape that chat interfaces take and fine-tuning files have. */
export async function* readChat(reading: Reading): AsyncGenerator<ImportedConversation, FileFacts> {
  const { file, dropped, assumed } = reading;
  const run_date = runDateOf(reading);
  const stem = basename(file, extname(file));
  for await (const { text, number } of cappedLines(file, MAX_CONVERSATION)) {
    const where = { file, line: number };
    const chat = parseLine(text, Chat, where);
    dropMembers(dropped, chat, CHAT_FIELDS, "");
    if (chat.id === undefined) assumed.add("id made of the file's name and the line");
    const messages = chat.messages.flatMap((message, i) => messageOf(reading, message, i, where));
    yield conversationOf(
      reading,
      {
        model: chat.model ?? undefined,
        model_id: chat.model_id ?? undefined,
        scenario_id: chat.id === undefined ? `${stem}-${number}` : String(chat.id),
        category: chat.category ?? undefined,
        scenario: chat.scenario ?? undefined,
        turns: numberTurns(messages),
      },
      where,
    );
  }
  return { run_dates: [run_date], cost_usd: null, version: null, about: {} };
}

/** The message to keep, or none: tool results and replies that only call tools are counted and left out. */
function messageOf(reading: Reading, message: ChatMessage, i: number, where: ErrorDetails): Message[] {
  const { dropped } = reading;
  const role = roleOf(reading, message.role, where);
  if (isTool(role)) {
    dropped.add(`messages[role=${role}]`);
    return [];
  }
  dropMembers(dropped, message, MESSAGE_FIELDS, "messages[].");
  const refusal = message.refusal ?? undefined;
  let content = textOf(message.content, dropped, "messages[].content");
  if (content === undefined || content === "") content = refusal ?? content;
  else if (!isEmpty(refusal)) dropped.add("messages[].refusal");
  const reason = message.finish_reason ?? message.stop_reason ?? undefined;
  if (role !== "assistant") {
    if (content === undefined) throw noContent(i, message.role, where);
    if (reason !== undefined) dropped.add(`messages[role=${role}].finish_reason`);
    return [{ role, content }];
  }
  if (isEmpty(content) && (!isEmpty(message["tool_calls"]) || !isEmpty(message["function_call"]))) {
    dropped.add("messages[role=assistant] with tool calls and no text");
    return [];
  }
  // A reply without content is a broken generation, for planning to find; content of a wrong kind is a broken file.
  if (content === undefined && !isEmpty(message.content)) throw noContent(i, message.role, where);
  return [
    {
      role,
      content: content ?? "",
      ...(reason === undefined ? {} : { finish_reason: ENDED.has(reason) ? "stop" : reason }),
    },
  ];
}

function noContent(i: number, role: string, where: ErrorDetails): AssayError {
  return new AssayError("bad_record", `messages.${i} (${role.slice(0, 80)}) has no content to read`, {
    ...where,
    fix: "content is a text, or a list of parts",
  });
}
