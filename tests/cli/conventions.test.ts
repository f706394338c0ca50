import { execFileSync, spawn } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { packageRoot } from "../../engine/canon/root.ts";
import { bench, command, envelope, refusal, scratch } from "./bench.ts";

const directory = scratch();

describe("the command line", () => {
  it("runs as an installed program", () => {
    expect(execFileSync(command, ["--version"], { encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it("answers --json with one object, wherever the flag stands", () => {
    for (const args of [
      ["judges", "list", "--json"],
      ["--json", "judges", "list"],
    ]) {
      const ran = bench(args);
      expect(envelope(ran)).toMatchObject({ status: "ok", command: "judges list" });
      expect(ran.code).toBe(0);
    }
    expect(envelope(bench(["checks", "--help", "--json"]))).toMatchObject({ status: "ok", command: "checks" });
  });

  it("answers errors under --json on stdout, exit 2", () => {
    const ran = bench(["scan", "status", join(directory, "absent"), "--json"]);
    expect(ran.code).toBe(2);
    const answer = envelope(ran);
    expect(answer).toMatchObject({ status: "error", command: "scan status" });
    expect(envelope(bench(["judges", "list", "--nope", "--json"]))).toMatchObject({
      status: "error",
      command: "judges list",
      error: { code: "usage" },
    });
  });

  it.each([
    [[], /name a command/],
    [["nope"], /unknown command 'nope'/],
    [["--nope"], /unknown option '--nope'/],
    [["judges", "list", "--nope"], /unknown option '--nope'/],
    [["judges"], /name a command/],
    [["judges", "list", "extra"], /too many arguments/],
    [["compare"], /required option '--old/],
    [["study", "lnit"], /Did you mean lint/],
  ])("%j is refused in one line", (args, message) => {
    const line = refusal(bench(args));
    expect(line).toMatch(message);
    expect(line).toMatch(/; see bench.* --help$/);
  });

  it("shows a stack under --debug only", () => {
    const args = ["scan", "status", join(directory, "absent")];
    refusal(bench(args));
    const debugged = bench([...args, "--debug"]);
    expect(debugged.stderr).toMatch(/\n\s+at /);
    expect(debugged.code).toBe(2);
  });

  it("keeps control characters of what it quotes from the terminal", () => {
    const line = refusal(bench(["study", "show", "\u001b[31mred\u202e"]));
    // eslint-disable-next-line no-control-regex
    expect(line).not.toMatch(/[\u0000-\u001f\u202e]/);
  });

  it("is silent when its reader closes the pipe", async () => {
    const child = spawn(process.execPath, [command, "checks", "list", "--json"], { cwd: packageRoot });
    child.stdout.destroy();
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    const code = await new Promise((done) => child.on("close", done));
    expect(stderr).toBe("");
    expect(code).toBe(0);
  });

  it("prints no colour under NO_COLOR, nor into a pipe", () => {
    for (const env of [{ NO_COLOR: "1" }, {}])
      for (const args of [["judges", "list"], ["study", "list"], ["checks", "list"], ["nope"]]) {
        const { stdout, stderr } = bench(args, { env });
        expect(stdout + stderr).not.toContain("\u001b");
      }
  });
});
