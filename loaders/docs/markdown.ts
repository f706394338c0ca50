interface Place {
  /** The page's own name. */
  here: string;
  /** HTML above the page. */
  nav: string;
  /** The page of the site that a link leads to, if any. */
  nameOf: (target: string) => string | undefined;
}

/** Languages whose blocks Framework would run instead of showing. */
const LIVE = /^(js|jsx|ts|tsx|sql|html|svg|tex|dot|mermaid)\b/;

/**
 * A document of docs/ as a Framework page: nothing in it runs, links lead to pages of the site, and what may be wider
 * than a phone scrolls in a place of its own.
 */
export function forSite(markdown: string, { here, nav, nameOf }: Place): string {
  const title = /^# (.+)$/m.exec(markdown)?.[1] ?? here;
  const parts = markdown.split(/^(```[^\n]*\n[\s\S]*?^```$)/m);
  const body = parts.map((part, i) => (i % 2 === 1 ? shownBlock(part) : prose(part, nameOf)));
  return `---\ntitle: ${JSON.stringify(title.replaceAll("`", ""))}\ntoc: true\n---\n\n${nav}\n\n<div class="docs">\n\n${body.join("")}\n\n</div>\n`;
}

/** A fenced block with its language only: marks for the tests go, and no language runs. */
function shownBlock(block: string): string {
  return block.replace(/^```([^\n]*)/, (_, info: string) => {
    const language = info.trim().split(/\s+/)[0] ?? "";
    return `\`\`\`${language}${LIVE.test(language) ? " run=false" : ""}`;
  });
}

function prose(text: string, nameOf: Place["nameOf"]): string {
  return text
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, label: string, target: string) => link(whole, label, target, nameOf))
    .replaceAll("${", "&#36;{")
    .replace(/(?:^\|.*\|$\n?)+/gm, (table) => scrolling(table));
}

function link(whole: string, label: string, target: string, nameOf: Place["nameOf"]): string {
  if (/^[a-z]+:/.test(target) || target.startsWith("#")) return whole;
  const [path = "", hash] = target.split("#");
  const name = nameOf(path);
  if (name !== undefined) return `[${label}](./${name}${hash === undefined ? "" : `#${hash}`})`;
  // A file of the repository: a site has it at no address.
  return label;
}

function scrolling(table: string): string {
  return `<div class="docs-table" tabindex="0" role="region" aria-label="Table">\n\n${table.trimEnd()}\n\n</div>\n`;
}
