import type { Answers } from "../scan/answers.ts";
import type { AnswerValue, RequestLine } from "../schema/request.ts";

interface Place {
  role: string;
  turn: number;
  key: string;
}

/** What a scan saved for each place of one conversation: its answers by repeat, undefined where never answered. */
export interface SavedValues {
  /** Empty where the conversation's plan does not ask there. */
  all(place: Place): readonly (AnswerValue | undefined)[];
  at(repeat: number): (place: Place) => AnswerValue | undefined;
}

export function savedValues(lines: readonly RequestLine[], answers: Answers, repeats: number): SavedValues {
  const saved = new Map<string, (AnswerValue | undefined)[]>();
  for (const { input_sha256, places } of lines) {
    const given = Array.from({ length: repeats }, (_, repeat) => answers.get(input_sha256, repeat)?.answers);
    places.forEach((place, i) => {
      const values = given.map((row) => row?.[`q${i + 1}`]);
      saved.set(placeOf(place), values);
    });
  }
  const all = (place: Place): readonly (AnswerValue | undefined)[] => saved.get(placeOf(place)) ?? [];
  return { all, at: (repeat) => (place) => all(place)[repeat] };
}

/** The request lines of each conversation of a plan in turn, empty ones included. */
export async function* linesByConversation(
  groups: AsyncGenerator<RequestLine[]>,
  conversations: number,
): AsyncGenerator<[index: number, lines: RequestLine[]]> {
  let group = await groups.next();
  for (let index = 0; index < conversations; index++) {
    const here = !group.done && group.value[0]?.conversation === index ? group.value : [];
    if (here.length > 0) group = await groups.next();
    yield [index, here];
  }
}

function placeOf({ role, turn, key }: Place): string {
  return `${turn} ${role} ${key}`;
}
