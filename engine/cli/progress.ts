import type { Progress } from "../scan/run.ts";

export interface ProgressOutput {
  write(text: string): void;
  isTTY: boolean;
}

const TTY_MS = 200;
const PLAIN_MS = 5000;

/**
 * A printer of run progress on stderr: one line that rewrites itself on a terminal, a line every few seconds
 * elsewhere. Call `end` before anything else is printed.
 */
export function progressPrinter(
  output: ProgressOutput = { write: (text) => process.stderr.write(text), isTTY: process.stderr.isTTY ?? false },
  now: () => number = () => performance.now(),
): { show: (progress: Progress) => void; end: () => void } {
  const started = now();
  let first: number | undefined;
  let shown = output.isTTY ? -Infinity : started;
  let open = false;
  return {
    show(progress) {
      first ??= progress.done - 1;
      const at = now();
      if (at - shown < (output.isTTY ? TTY_MS : PLAIN_MS)) return;
      shown = at;
      const line = progressLine(progress, (progress.done - first) / Math.max((at - started) / 1000, 1e-3));
      output.write(output.isTTY ? `\r\u001b[K${line}` : `${line}\n`);
      open = output.isTTY;
    },
    end() {
      if (open) output.write("\r\u001b[K");
      open = false;
    },
  };
}

/** done/planned, spent/ceiling, rate (answers a second), time left. */
export function progressLine({ done, planned, errors, spent_usd, ceiling_usd }: Progress, rate: number): string {
  const left = rate > 0 ? duration((planned - done) / rate) : "unknown";
  const failed = errors === 0 ? "" : `, ${errors} errors`;
  return `${done}/${planned} answered${failed}, ${usd(spent_usd)}/${usd(ceiling_usd)} USD, ${rate.toFixed(rate < 10 ? 1 : 0)}/s, ${left} left`;
}

function usd(amount: number): string {
  return amount === 0 ? "0" : amount.toFixed(4);
}

function duration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
