import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/**
 * The plainest static host: files only, no clean URLs, no Range support. The site is served below `base`
 * ("/", "/some/where/"), so that a link that is not relative is a 404 and fails the test. `sent` learns of every file.
 */
export async function serve(
  directory: string,
  base = "/",
  sent: (path: string, bytes: number) => void = () => undefined,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
    const file = path.startsWith(base) ? join(directory, normalize(`/${path.slice(base.length)}`)) : "";
    const target = file.endsWith("/") || file === directory ? join(file, "index.html") : file;
    const found = file === "" ? undefined : statSync(target, { throwIfNoEntry: false });
    if (found?.isFile() !== true) {
      response.writeHead(404).end("not found");
      return;
    }
    if (request.method === "GET") sent(path, found.size);
    response.writeHead(200, { "content-type": TYPES[extname(target)] ?? "application/octet-stream" });
    createReadStream(target).pipe(response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return {
    url: `http://127.0.0.1:${address.port}${base}`,
    close: () =>
      new Promise((done, fail) => {
        server.close((error) => (error ? fail(error) : done()));
        server.closeAllConnections();
      }),
  };
}
