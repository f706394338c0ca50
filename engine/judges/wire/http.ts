import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Pace } from "./pace.ts";

/** Answers are small; a body beyond this is not one. */
export const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Shorter than servers usually keep an idle connection, so that none is reused just as its server closes it. */
const IDLE_MS = 4000;

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

export class BodyTooLarge extends Error {
  constructor(readonly size: number) {
    super(`body over ${MAX_BODY_BYTES} bytes`);
  }
}

/**
 * A fetch that returns only whole bodies. Both provider SDKs apply their timeout to the headers alone, and an abort
 * while a body stalls can end the process with an unhandled rejection; reading the body inside the call makes a
 * stall a timeout and a cut body a connection error.
 *
 * Over node:http, at a third of the processor time the global fetch takes for a small body, and without its own limit
 * of 300 s. Redirects are not followed: a key goes to the address that the plan froze and to no other.
 */
export function wholeBodyFetch(pace: Pace): Fetch {
  const options = { keepAlive: true, timeout: IDLE_MS, scheduling: "lifo" } as const;
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return async (url, init = {}) => {
    await pace.ready(init.signal);
    const response = await exchange(new URL(url instanceof Request ? url.url : url), init, agents);
    pace.observe(response.headers);
    return response;
  };
}

function exchange(url: URL, init: RequestInit, agents: { http: HttpAgent; https: HttpsAgent }): Promise<Response> {
  const { method = "GET", headers, body, signal } = init;
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("only text is sent to a provider");
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const secure = url.protocol === "https:";
    const options = { method, headers: Object.fromEntries(new Headers(headers)), ...(signal ? { signal } : {}) };
    const sent = secure
      ? httpsRequest(url, { ...options, agent: agents.https })
      : httpRequest(url, { ...options, agent: agents.http });
    const failed = (error: Error): void => {
      reject(signal?.aborted === true && signal.reason instanceof Error ? signal.reason : error);
    };
    sent.on("error", failed);
    sent.on("response", (received) => {
      const chunks: Buffer[] = [];
      let size = 0;
      received.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > MAX_BODY_BYTES) received.destroy(new BodyTooLarge(size));
      });
      received.on("error", failed);
      received.on("end", () => {
        resolve(new WholeResponse(Buffer.concat(chunks), received));
      });
    });
    sent.end(body ?? undefined);
  });
}

/** A response whose body is here already; the platform's would wrap it in a stream only for it to be read again. */
class WholeResponse extends Response {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer, { statusCode = 0, statusMessage = "", rawHeaders }: IncomingMessage) {
    const headers = new Headers();
    for (let i = 0; i + 1 < rawHeaders.length; i += 2) headers.append(rawHeaders[i]!, rawHeaders[i + 1]!);
    super(null, { status: statusCode, statusText: statusMessage, headers });
    this.#bytes = bytes;
  }

  override text(): Promise<string> {
    return Promise.resolve(new TextDecoder().decode(this.#bytes));
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}
