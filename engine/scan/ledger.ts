import { AssayError } from "../canon/errors.ts";
import { fromNano, toNano } from "../canon/money.ts";

/**
 * For every call whose bill is not known, its reservation is held back once more: a provider may bill a call above
 * its bound (another tokenizer, a price that doubles for long inputs), and the client learns of it only afterwards,
 * when others are already on their way.
 */
export const HEADROOM = 2;

/** Money that a journal says is gone. */
export interface Spent {
  /** As billed, in nano-dollars. */
  billedNano: number;
  /** Reservations whose bill never came (a crash, a timeout, a cut body), charged in full. */
  unknownNano: number;
}

/**
 * The money of one scan, over all attempts and restarts. A call may be sent only after `reserve` said yes: bills,
 * and twice every reservation whose bill is not known, never pass the ceiling. So while no bill is more than twice
 * its reservation, what the provider billed never passes it either, with any concurrency, crash and retry. A bill
 * above its reservation is recorded as billed and stops the run.
 */
export class Ledger {
  readonly ceilingNano: number;
  #billedNano: number;
  #unknownNano: number;
  #reservedNano = 0;
  #overrun: { reserved_usd: number; billed_usd: number } | undefined;

  constructor(ceilingUsd: number, { billedNano, unknownNano }: Spent = { billedNano: 0, unknownNano: 0 }) {
    this.ceilingNano = toNano(ceilingUsd);
    this.#billedNano = billedNano;
    this.#unknownNano = unknownNano;
  }

  get stopped(): AssayError | undefined {
    if (this.#overrun === undefined) return undefined;
    const { billed_usd, reserved_usd } = this.#overrun;
    return new AssayError("overbilled", `a call was billed ${billed_usd} USD, above its bound of ${reserved_usd} USD`, {
      ...this.#overrun,
      fix: "the run stopped, its answers are saved; check the price and the provider's bill before running it again",
    });
  }

  /** False where the call could pass the ceiling, or where an earlier bill broke its bound. */
  reserve(nano: number): boolean {
    if (!Number.isSafeInteger(nano) || nano < 0)
      throw new RangeError(`a reservation is whole nano-dollars, not ${nano}`);
    const open = this.#unknownNano + this.#reservedNano + nano;
    if (this.#overrun !== undefined || this.#billedNano + HEADROOM * open > this.ceilingNano) return false;
    this.#reservedNano += nano;
    return true;
  }

  /** The bill of a reserved call; undefined where it is not known, and the reservation stays charged. */
  settle(reservedNano: number, billedNano: number | undefined): void {
    this.#reservedNano -= reservedNano;
    if (billedNano === undefined) this.#unknownNano += reservedNano;
    else this.#billedNano += billedNano;
    if (billedNano !== undefined && billedNano > reservedNano)
      this.#overrun = { reserved_usd: fromNano(reservedNano), billed_usd: fromNano(billedNano) };
  }
}
