import type { Command } from "commander";
import { action } from "./output.ts";

export function register(program: Command): void {
  const judges = program.command("judges").description("What can answer questions");
  judges
    .command("list")
    .description("List the judges and how each is named")
    .addHelpText(
      "after",
      "\nExample:\n  bench judges list\n  bench scan plan runs/mine --output scans/mine --judge lexicon",
    )
    .action(
      action(async () => {
        const { judgeList } = await import("../judges/list.ts");
        const list = judgeList();
        const width = Math.max(...list.map(({ name }) => name.length));
        const lines = list.map(
          ({ name, description, key }) =>
            `${name.padEnd(width)}  ${description}${key === undefined ? "" : ` Key: ${key}.`}`,
        );
        return { data: { judges: list }, text: lines.join("\n") };
      }),
    );
}
