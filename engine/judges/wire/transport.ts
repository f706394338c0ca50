import { z } from "zod";
import { AssayError } from "../../canon/errors.ts";
import { BodyTooLarge, MAX_BODY_BYTES } from "./http.ts";

/** What an SDK error object may carry, read without trusting its class: both SDKs name these fields alike. */
interface Failure {
  status?: number;
  headers?: Headers;
  code?: string;
}

/** Codes that arrive as 429 but never go away by waiting. */
const EXHAUSTED = /quota|credit|spend|billing/i;
const RETRYABLE_STATUS = new Set([408, 409, 429]);

/**
 * An SDK's or fetch's error as a technical error of ours. The message never quotes a header, a URL or a key.
 * `details.retryable` says whether waiting can help, `retry_after_ms` is the server's own delay where given, and
 * `unbilled` is true where the provider refused the call before doing any work.
 */
export function technicalError(error: unknown, timeoutMs: number, now: () => number = Date.now): AssayError {
  if (error instanceof AssayError) return error;
  if (chain(error).some((cause) => cause instanceof BodyTooLarge))
    return new AssayError("body_too_large", `the response body is over ${MAX_BODY_BYTES} bytes`, { retryable: false });
  const { status, headers, code } = failureOf(error);
  if (status !== undefined) {
    const exhausted = status === 429 && code !== undefined && EXHAUSTED.test(code);
    const retryable = !exhausted && (RETRYABLE_STATUS.has(status) || status >= 500);
    const retry_after_ms = headers === undefined ? undefined : retryAfter(headers, now());
    return new AssayError(
      status === 429 ? (exhausted ? "quota_exhausted" : "rate_limited") : `http_${status}`,
      `the provider answered ${status}${code === undefined ? "" : ` (${code})`}${
        retry_after_ms === undefined ? "" : `, asking for ${Math.ceil(retry_after_ms / 1000)} s`
      }`,
      {
        status,
        retryable,
        ...(status < 500 && status !== 408 ? { unbilled: true } : {}),
        ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
      },
    );
  }
  const names = chain(error).map((cause) => cause.constructor.name + cause.name);
  if (names.some((name) => /UserAbort/.test(name)))
    return new AssayError("aborted", "the call was stopped", { retryable: false });
  if (names.some((name) => /Timeout|AbortError/.test(name)))
    return new AssayError("timeout", `no whole answer within ${timeoutMs} ms`, {
      retryable: true,
      timeout_ms: timeoutMs,
    });
  if (names.some((name) => /SyntaxError/.test(name)))
    return new AssayError("malformed_answer", "the response body is not JSON", { retryable: false });
  return new AssayError("connection", "the connection failed or the body was cut", { retryable: true });
}

function chain(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error; at instanceof Error && causes.length < 8; at = at.cause) causes.push(at);
  return causes;
}

function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return {};
  const failure: Failure = {};
  if ("status" in error && typeof error.status === "number") failure.status = error.status;
  if ("headers" in error && error.headers instanceof Headers) failure.headers = error.headers;
  if ("code" in error && typeof error.code === "string") failure.code = error.code;
  // One SDK lifts the envelope's code to the error, the other leaves it in the body.
  const envelope = Envelope.safeParse("body" in error ? error.body : undefined);
  if (envelope.success) failure.code = envelope.data.error.code;
  // A server may echo what it was sent; only what looks like a code is quoted.
  if (failure.code !== undefined && !/^[a-z][a-z_]{0,59}$/.test(failure.code)) delete failure.code;
  return failure;
}

const Envelope = z.looseObject({ error: z.looseObject({ code: z.string() }) });

/**
 * The delay a server asks for, in milliseconds: `retry-after-ms`, else `Retry-After` as seconds or as an HTTP
 * date (RFC 9110, 10.2.3). Undefined where absent or not a time.
 */
export function retryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get("retry-after-ms") ?? NaN);
  if (Number.isFinite(ms)) return Math.max(0, ms);
  const text = headers.get("retry-after");
  if (text === null) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
