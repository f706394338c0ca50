export interface Section {
  title: string;
  pages: { title: string; name: string }[];
}

/** The list of pages as HTML, this one marked. */
export function navigation(sections: readonly Section[], here: string): string {
  const groups = sections.map(({ title, pages }) => {
    const items = pages.map(
      (page) =>
        `<li><a href="./${page.name}"${page.name === here ? ' aria-current="page"' : ""}>${escaped(page.title)}</a></li>`,
    );
    return `<div><p>${escaped(title)}</p><ul>${items.join("")}</ul></div>`;
  });
  return `<nav class="docs-nav" aria-label="Documentation"><details><summary>All pages</summary><div class="docs-groups">${groups.join("")}</div></details></nav>`;
}

/** Text as HTML text, or in a Markdown table. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("|", "&#124;");
}
