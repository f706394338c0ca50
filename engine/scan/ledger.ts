import { AssayError } from "../canon/errors.ts";
import { fromNano, toNano } from "../canon/money.ts";

/**
 * The money of one scan, over all attempts and restarts. A call may be sent only after `reserve` said yes, so
 * settled + reserved never passes the ceiling. A reservation that is never settled (a crash, a timeout whose bill
 * is unknown) stays charged in full. A bill above its reservation is recorded as billed and stops the scan: the
 * reservation was not the bound it claimed to be, so none of the others is trusted either.
 */
export class Ledger {
  readonly ceilingNano: number;
  private settledNano: number;
  private reservedNano = 0;
  private overrun: { reserved_usd: number; billed_usd: number } | undefined;

  constructor(ceilingUsd: number, settledUsd = 0) {
    this.ceilingNano = toNano(ceilingUsd);
    this.settledNano = toNano(settledUsd);
  }

  /** Billed, or charged because the bill is unknown. */
  get spentUsd(): number {
    return fromNano(this.settledNano);
  }

  /** Spent and reserved. */
  get committedUsd(): number {
    return fromNano(this.settledNano + this.reservedNano);
  }

  get stopped(): AssayError | undefined {
    if (this.overrun === undefined) return undefined;
    const { billed_usd, reserved_usd } = this.overrun;
    return new AssayError("overbilled", `a call was billed ${billed_usd} USD, above its bound of ${reserved_usd} USD`, {
      ...this.overrun,
      fix: "the scan stopped; check the price and the provider's bill before running it again",
    });
  }

  /** False where the call could pass the ceiling, or where an earlier bill broke its bound. */
  reserve(nano: number): boolean {
    if (!Number.isSafeInteger(nano) || nano < 0)
      throw new RangeError(`a reservation is whole nano-dollars, not ${nano}`);
    if (this.overrun !== undefined || this.settledNano + this.reservedNano + nano > this.ceilingNano) return false;
    this.reservedNano += nano;
    return true;
  }

  /** The bill of a reserved call. */
  settle(reservedNano: number, billedNano: number): void {
    this.reservedNano -= reservedNano;
    this.settledNano += billedNano;
    if (billedNano > reservedNano)
      this.overrun = { reserved_usd: fromNano(reservedNano), billed_usd: fromNano(billedNano) };
  }

  /** The call's bill is unknown: charge the whole reservation. */
  charge(reservedNano: number): void {
    this.settle(reservedNano, reservedNano);
  }

  /** The call was never sent, or the provider refused it unbilled. */
  release(reservedNano: number): void {
    this.settle(reservedNano, 0);
  }
}
