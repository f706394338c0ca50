import type { WorldVerdict } from "../../schema/verdict.ts";
import { YES, type Resolutions } from "../answers.ts";
import type { Bound } from "../bound.ts";
import { formulasOf, slice, violationAnswers, type Episode, type EpisodeFormulas, type Later } from "../episode.ts";
import { rangeOf, reasonsFor } from "../formula.ts";
import { sayAll, sayReplies, type Ledger } from "../ledger.ts";
import { wholeTurn, type Explanation } from "./spans.ts";

/** One opened episode in the nearest world, up to where it fails or the conversation ends. */
interface Course {
  episode: Episode;
  /** Observations that decide its opening. */
  opened: number[];
  /** The reply that violates it, and whether it does in every world. */
  failed: { message: Later; certain: boolean } | undefined;
  /** The message that last confirmed it, -1 while unconfirmed. */
  confirmedBy: number;
}

export function explainEpisode(bound: Bound, verdict: WorldVerdict, ledger: Ledger): Explanation {
  const { check, conversation, episodes } = bound;
  const formulas = formulasOf(check);
  if (episodes.length === 0) return { rationale: "No reply has a later reply, so no episode can open.", evidence: [] };
  const courses = episodes.flatMap((episode) => courseOf(formulas, episode, ledger) ?? []);
  if (verdict === "NOT_APPLICABLE" || courses.length === 0) {
    const why = episodes.flatMap((episode) => openingOf(formulas, episode, ledger));
    const turns = sayReplies(episodes.map(({ reference }) => reference));
    return { rationale: `No episode opens at ${turns}: ${sayAll(ledger, why)}.`, evidence: [] };
  }
  const failed = courses.find((course) => course.failed?.certain) ?? courses.find((course) => course.failed);
  if (failed?.failed !== undefined) {
    const { reference } = failed.episode;
    const { message } = failed.failed;
    return {
      rationale: `The episode opened at reply ${reference} (${sayAll(ledger, failed.opened)}) is unconfirmed when reply ${message.turn} violates it (${sayAll(ledger, violationOf(formulas, message, ledger))}).`,
      evidence: [
        ...wholeTurn(conversation, "user", reference, "reference"),
        ...wholeTurn(conversation, "assistant", reference, "reference"),
        ...wholeTurn(conversation, "assistant", message.turn, "reply"),
      ],
    };
  }
  const turns = courses.map(({ episode }) => episode.reference);
  const [{ episode, opened, confirmedBy }] = courses as [Course, ...Course[]];
  const last = episode.later.findLast((message) => message.role === "assistant")!;
  const end =
    confirmedBy === -1
      ? `Reply ${last.turn} does not violate it: ${sayAll(ledger, violationOf(formulas, last, ledger))}.`
      : `It is confirmed at the end, last by user:${confirmedBy}.`;
  return {
    rationale: `No reply fails an episode opened at ${sayReplies(turns)} (${sayAll(ledger, opened)}). ${courses.length === 1 ? "" : `Of the first: `}${end}`,
    evidence: [],
  };
}

function courseOf(formulas: EpisodeFormulas, episode: Episode, ledger: Ledger): Course | undefined {
  const { near, resolutions } = ledger;
  const opens = (world: readonly Resolutions[]): Resolutions =>
    rangeOf(formulas.opens, slice(world, episode.opens, formulas.opensNames.length));
  if (opens(near) !== YES) return undefined;
  const course: Course = { episode, opened: openingOf(formulas, episode, ledger), failed: undefined, confirmedBy: -1 };
  let mayBeConfirmed = false;
  for (const message of episode.later) {
    if (message.role === "user") {
      const update = (confirmed: boolean, world: readonly Resolutions[]): Resolutions =>
        rangeOf(
          confirmed ? formulas.staysConfirmed : formulas.confirmsNow,
          slice(world, message.own, formulas.updateNames.length),
        );
      mayBeConfirmed = (update(mayBeConfirmed, resolutions) & YES) !== 0;
      if (update(false, near) === YES) course.confirmedBy = message.turn;
      else if (course.confirmedBy !== -1 && update(true, near) !== YES) course.confirmedBy = -1;
      continue;
    }
    const violates = (world: readonly Resolutions[]): boolean =>
      rangeOf(formulas.violates, violationAnswers(formulas, message, world)) === YES;
    if (course.confirmedBy !== -1 || !violates(near)) continue;
    const certain = !mayBeConfirmed && opens(resolutions) === YES && violates(resolutions);
    if (certain || course.failed === undefined) course.failed = { message, certain };
    if (certain) break;
  }
  return course;
}

function openingOf(formulas: EpisodeFormulas, episode: Episode, { near }: Ledger): number[] {
  const answers = slice(near, episode.opens, formulas.opensNames.length);
  return reasonsFor(formulas.opens, answers).map((slot) => episode.opens + slot);
}

function violationOf(formulas: EpisodeFormulas, message: Later, { near }: Ledger): number[] {
  const shared = formulas.sharedNames.length;
  return reasonsFor(formulas.violates, violationAnswers(formulas, message, near)).map((slot) =>
    slot < shared ? message.shared + slot : message.own + slot - shared,
  );
}
