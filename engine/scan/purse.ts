import type { Ledger } from "./ledger.ts";

/**
 * A ledger that many calls share. A call that does not fit now may fit once another settles below its reservation,
 * so it waits while any is in flight; with none in flight the answer is no.
 */
export class Purse {
  readonly ledger: Ledger;
  #inFlight = 0;
  #waiting: (() => void)[] = [];

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  async reserve(nano: number, isStopped: () => boolean = () => false): Promise<boolean> {
    while (isStopped() || !this.ledger.reserve(nano)) {
      if (this.#inFlight === 0 || isStopped() || this.ledger.stopped !== undefined) return false;
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    this.#inFlight++;
    return true;
  }

  /** `billedNano` is undefined where the bill is not known. */
  settle(reservedNano: number, billedNano: number | undefined): void {
    this.ledger.settle(reservedNano, billedNano);
    this.#inFlight--;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
