import { execFileSync, spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";
import { chromium } from "playwright-core";

/** How the tests start Chromium: no sandbox (CI runs as root), and none of its own look-ups of update hosts. */
export const chromiumArgs = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The path of an installed Chromium or Chrome: CHROME_PATH, the PATH, the usual places, Playwright's own download. */
export function findChromium(): string | undefined {
  const named = process.env["CHROME_PATH"];
  if (named !== undefined && named !== "") {
    if (!isProgram(named)) throw new Error(`CHROME_PATH is ${named}, which is not a program`);
    return named;
  }
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
  const onPath = (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)));
  const usual = [
    "/usr/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
  ];
  return [...onPath, ...usual, chromium.executablePath()].find(isProgram);
}

/**
 * The path of a Chromium, installed first where there is none: as root on Debian from its packages, elsewhere by
 * Playwright's installer. Throws in one line where neither works: a browser test is never passed over in silence.
 */
export function ensureChromium(log: (text: string) => void = () => undefined): string {
  const found = findChromium();
  if (found !== undefined) return found;
  const debian = process.getuid?.() === 0 && existsSync("/etc/debian_version");
  log(`no Chromium found; installing it with ${debian ? "apt-get" : "Playwright's installer"}`);
  if (debian) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    for (const words of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]])
      spawnSync("apt-get", ["-q", ...words], { env, stdio: ["ignore", 2, 2], timeout: 600_000 });
  } else {
    const cli = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
    spawnSync(process.execPath, [cli, "install", "chromium"], { stdio: ["ignore", 2, 2], timeout: 600_000 });
  }
  const installed = findChromium();
  if (installed === undefined)
    throw new Error("no Chromium: install chromium or Google Chrome, or name one in CHROME_PATH");
  return installed;
}

/** What the browser says it is, e.g. `Chromium 156.0.8078.73`; fails where the program does not run. */
export function chromiumVersion(path: string): string {
  return execFileSync(path, ["--version", "--no-sandbox"], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
