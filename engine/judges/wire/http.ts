import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { urlToHttpOptions } from "node:url";
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
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);
  /** Every call of a judge has one address; taking it apart each time costs as much as writing the request. */
  const senders = new Map<string, Send>();
  return async (input, init = {}) => {
    await pace.ready(init.signal);
    const url = input instanceof Request ? input.url : String(input);
    let send = senders.get(url);
    if (send === undefined) {
      const address = urlToHttpOptions(new URL(url));
      send = url.startsWith("https:")
        ? (how) => httpsRequest({ ...address, ...how, agent: https })
        : (how) => httpRequest({ ...address, ...how, agent: http });
      senders.set(url, send);
    }
    const response = await exchange(send, init);
    pace.observe(response.headers);
    return response;
  };
}

type Send = (how: Pick<RequestOptions, "method" | "headers" | "signal">) => ClientRequest;

function exchange(send: Send, { method = "GET", headers, body, signal }: RequestInit): Promise<Response> {
  if (body !== undefined && body !== null && typeof body !== "string")
    throw new TypeError("only text is sent to a provider");
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const sent = send({ method, headers: Object.fromEntries(new Headers(headers)), ...(signal ? { signal } : {}) });
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
