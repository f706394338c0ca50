import type { Command, Option } from "commander";
import { buildProgram } from "../../engine/cli/main.ts";
import { escaped } from "./navigation.ts";

/** The reference of the command line, from the declarations that the command itself runs by. */
export function commandsPage(): string {
  let printed = "";
  const program = buildProgram((text) => (printed += text));
  const section = (command: Command, path: readonly string[]): string[] => {
    printed = "";
    command.outputHelp();
    const afterHelp = printed.slice(command.helpInformation().length).trim();
    const name = ["bench", ...path].join(" ");
    const own = path.length === 0 ? [] : [entry(command, name, afterHelp)];
    return [...own, ...command.commands.flatMap((child) => section(child, [...path, child.name()]))];
  };
  return [
    "# Commands",
    "Made from the declarations of the command line itself when this site is built. Every command also takes `--json` (one JSON object on stdout, everything for people on stderr), `--debug` (stack traces) and `--help`. Exit codes: 0 fine, 1 findings (differences, unmet gates, lint), 2 could not run, 130 interrupted.",
    ...section(program, []),
  ].join("\n\n");
}

function entry(command: Command, name: string, afterHelp: string): string {
  const parts = [`## ${name}`, `${sentence(escaped(command.description()))}`];
  if (command.commands.length > 0) return parts.join("\n\n");
  const rows = [
    ...command.registeredArguments.map((argument) => {
      const shown = `${argument.name()}${argument.variadic ? "..." : ""}`;
      return [argument.required ? `<${shown}>` : `[${shown}]`, argument.description, "needed"];
    }),
    ...command.options.map((option) => [option.flags, option.description, defaultOf(option)]),
  ];
  if (rows.length > 0)
    parts.push(
      [
        "| argument or option | meaning | default |",
        "| --- | --- | --- |",
        ...rows.map(
          ([flags = "", meaning = "", fallback = ""]) => `| \`${flags}\` | ${escaped(meaning)} | ${fallback} |`,
        ),
      ].join("\n"),
    );
  if (afterHelp !== "") parts.push(`\`\`\`text\n${afterHelp}\n\`\`\``);
  return parts.join("\n\n");
}

function defaultOf(option: Option): string {
  if (option.mandatory) return "needed";
  const choices = option.argChoices === undefined ? "" : `one of ${option.argChoices.join(", ")}`;
  const value: unknown = option.defaultValue;
  return [choices, typeof value === "string" ? `\`${value}\`` : ""].filter((part) => part !== "").join("; ");
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
}
