import { build, type Plugin } from "esbuild";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AssayError } from "../engine/canon/errors.ts";
import { packageRoot } from "../engine/canon/root.ts";
import { installedVersion, packageDirectory } from "./packages.ts";

/*
 * Framework takes every `npm:` import, its own included, from a CDN and asks a registry for versions. A site that
 * must build the same on any day, and without a network, cannot depend on that: importing this module answers both
 * from node_modules and refuses every other address.
 */

const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** What Framework is told about a library it may import but this site does not use. */
const ABSENT = "0.0.0-not-installed";

interface Specifier {
  name: string;
  path: string;
}

/** `@scope/name@range/path` in its parts; the range is dropped, because the installed version is the one served. */
export function parseSpecifier(specifier: string): Specifier {
  const match = /^((?:@[^/]+\/)?[^/@]+)(?:@[^/]*)?(?:\/(.*))?$/.exec(specifier);
  if (match?.[1] === undefined) throw new AssayError("bad_specifier", `${specifier} names no package`);
  return { name: match[1], path: match[2] ?? "" };
}

/** A package's entry (or a path in it) as one browser module; other installed packages stay imports. */
async function bundle({ name, path }: Specifier): Promise<string> {
  const external: Plugin = {
    name: "npm",
    setup(build) {
      build.onResolve({ filter: /^[^./]/ }, ({ path: imported, kind }) => {
        if (kind === "entry-point" || kind === "require-call") return undefined;
        const dependency = parseSpecifier(imported);
        const version = installedVersion(dependency.name);
        if (dependency.name === name || version === undefined) return undefined;
        const inside = dependency.path === "" ? "" : `${dependency.path}/`;
        return { path: `/npm/${dependency.name}@${version}/${inside}+esm`, external: true };
      });
    },
  };
  const { outputFiles } = await build({
    entryPoints: [path === "" ? name : `${name}/${path}`],
    absWorkingDir: packageRoot,
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    mainFields: ["browser", "module", "main"],
    conditions: ["browser", "import"],
    define: { "process.env.NODE_ENV": '"production"' },
    logLevel: "warning",
    plugins: [external],
  });
  return outputFiles.map((file) => file.text).join("");
}

/** The answer node_modules has to a request for a registry entry or a CDN file; undefined where it has none. */
export async function answerLocally(url: URL): Promise<Response | undefined> {
  if (url.hostname.startsWith("registry.")) {
    const latest = url.pathname.endsWith("/latest");
    const name = decodeURIComponent(url.pathname.slice(1)).replace(/\/latest$/, "");
    const version = installedVersion(name) ?? ABSENT;
    return Response.json(latest ? { name, version } : { name, versions: { [version]: {} } });
  }
  if (!url.hostname.startsWith("cdn.") || !url.pathname.startsWith("/npm/")) return undefined;
  const { name, path } = parseSpecifier(decodeURIComponent(url.pathname.slice("/npm/".length)));
  const directory = packageDirectory(name);
  if (directory === undefined) return undefined;
  const script = (body: BodyInit): Response =>
    new Response(body, { headers: { "content-type": "application/javascript" } });
  if (/(^|\/)\+esm$/.test(path)) return script(await bundle({ name, path: path.replace(/\/?\+esm$/, "") }));
  const file = join(directory, path);
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return path.endsWith(".js") ? script(bytes) : new Response(bytes);
}

/** Replace `fetch` in this process: loopback as it was, node_modules where they answer, `no_network` for the rest. */
export function useLocalPackages(): void {
  process.env["OBSERVABLE_TELEMETRY_DISABLE"] = "true";
  const real = globalThis.fetch;
  globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (LOOPBACK.includes(url.hostname)) return real(input, init);
    const response = await answerLocally(url);
    if (response !== undefined) return response;
    throw new AssayError("no_network", `a build makes no outside request, and ${url.href} is not in node_modules`, {
      fix: "add the package to package.json",
    });
  };
}

useLocalPackages();
