/** The frame around every page: what the site's config passes to Framework as `head`, `header` and `footer`. */

const PAGES: readonly (readonly [path: string, name: string])[] = [
  ["/", "Studies and scans"],
  ["/conversations", "Conversations"],
  ["/confusion", "Confusion"],
  ["/unclear", "Unclear"],
  ["/questions", "Questions"],
  ["/agreement", "Agreement"],
  ["/checks", "Checks"],
  ["/sql", "SQL"],
];

/** Pages that a publication of one study does not have. */
const ABOUT: typeof PAGES = [
  ["/design", "Design"],
  ["/docs/index", "Docs"],
];

const square = (x: number, y: number): string =>
  `<rect x="${x * 5.33}" y="${y * 5.33}" width="4" height="4"${x === y ? "" : ' opacity=".26"'}/>`;
const mark = [0, 1, 2, 3].flatMap((y) => [0, 1, 2, 3].map((x) => square(x, y))).join("");

// Framework's template has no language and forbids zooming; both matter to readers.
const repair = `document.documentElement.lang="en";document.querySelector("meta[name=viewport]").content="width=device-width, initial-scale=1";`;

// A stylesheet cannot name an asset here (Framework bundles it without one's digest), so the faces are declared
// from the preload links, whose addresses Framework resolves.
const fonts = [
  ["source-serif-4-latin-opsz-normal", "Source Serif 4", "normal"],
  ["source-serif-4-latin-wght-italic", "Source Serif 4", "italic"],
  ["source-sans-3-latin-wght-normal", "Source Sans 3", "normal"],
]
  .map(
    ([file, family, style]) =>
      `<link rel="preload" as="font" type="font/woff2" crossorigin href="/fonts/${file}.woff2" data-family="${family}" data-style="${style}">`,
  )
  .join("");
const faces = `for(const l of document.querySelectorAll("link[data-family]"))document.fonts.add(new FontFace(l.dataset.family,"url("+l.href+")",{style:l.dataset.style,weight:"200 900",display:"swap"}));`;

export const head = `<link rel="icon" href="/favicon.svg" type="image/svg+xml">${fonts}<script>${repair}${faces}</script>`;

export interface Frame {
  /** What the site is called. */
  title: string;
  /** What the site publishes, where it is one study's. */
  publication?: Publication | undefined;
  /** Versions and digests, for the footer of a publication. */
  made: { engine: string; tables: string; seals: readonly { scan_id: string; seal_sha256: string }[] };
}

interface Publication {
  study_id: string;
  title: string;
  author: string;
  date: string;
  licence: string | null;
  study_sha256: string;
}

/** The masthead; `path` is the page's path as Framework gives it ("/index", "/studies/x"). */
export function header({ title, publication }: Frame): (page: { path: string }) => string {
  return ({ path }) => masthead(path, title, publication === undefined ? [...PAGES, ...ABOUT] : PAGES);
}

function masthead(path: string, title: string, pages: typeof PAGES): string {
  const conversation = path === "/conversation";
  const home = path === "/index" || path.startsWith("/studies/") || path.startsWith("/scans/");
  const items = pages.map(([to, name]) => {
    const folder = to.endsWith("/index") ? to.slice(0, -"index".length) : undefined;
    const here =
      to === "/"
        ? home
        : to === "/conversations" && conversation
          ? true
          : folder === undefined
            ? path === to
            : path.startsWith(folder);
    const exact = to === "/" ? path === "/index" : path === to;
    return `<li><a href="${to}"${here ? ` aria-current="${exact ? "page" : "true"}"` : ""}>${name}</a></li>`;
  });
  return `<a class="skip" href="#content">Skip to the content</a>
<div class="masthead"><a class="brand" href="/"><svg viewBox="0 0 20 20" width="17" height="17" fill="currentColor" aria-hidden="true">${mark}</svg>${escaped(title)}</a>
<nav aria-label="Pages"><ul>${items.join("")}</ul></nav></div><span id="content" tabindex="-1"></span>`;
}

const LIMITS = `<p>Every rate is n/N and every number opens its rows. Nothing here claims accuracy on a population, clinical outcome or safety. Agreement between judges is not correctness.</p>`;

/** What holds for every page; in a publication also who declared it, under which terms, and the digests to check. */
export function footer({ publication, made }: Frame): string {
  if (publication === undefined) return LIMITS;
  const { title, author, date, licence, study_sha256 } = publication;
  const terms = licence === null ? "No licence is stated." : `Licence: ${escaped(licence)}.`;
  const seals = made.seals.map(
    ({ scan_id, seal_sha256 }) => `<li>${escaped(scan_id)} <code>${escaped(seal_sha256)}</code></li>`,
  );
  return `<p><cite>${escaped(title)}</cite>, declared by ${escaped(author)}, ${escaped(date)}. ${terms}</p>
<details class="provenance"><summary>Digests and versions</summary><dl><dt>Study</dt><dd><code>${escaped(study_sha256)}</code></dd><dt>Seals</dt><dd><ul>${seals.join("")}</ul></dd><dt>Made with</dt><dd>Assay ${escaped(made.engine)}, tables ${escaped(made.tables)}</dd></dl></details>
${LIMITS}`;
}

/** Text as HTML text or attribute: titles and names are their authors'. */
function escaped(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
