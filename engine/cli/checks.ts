import type { Command } from "commander";

export function register(program: Command): void {
  program.command("checks").description("the check definitions: list, show, lint");
}
