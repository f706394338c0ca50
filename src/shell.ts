/** The frame around every page: what the site's config passes to Framework as `head`, `header` and `footer`. */

const PAGES: readonly (readonly [path: string, name: string])[] = [
  ["/", "Studies and scans"],
  ["/confusion", "Confusion"],
  ["/unclear", "Unclear"],
  ["/agreement", "Agreement"],
  ["/checks", "Checks"],
  ["/sql", "SQL"],
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

/** The masthead; `path` is the page's path as Framework gives it ("/index", "/studies/x"). */
export function header({ path }: { path: string }): string {
  const home = path === "/index" || path.startsWith("/studies/") || path.startsWith("/scans/");
  const items = PAGES.map(([to, name]) => {
    const here = to === "/" ? home : path === to;
    const exact = to === "/" ? path === "/index" : here;
    return `<li><a href="${to}"${here ? ` aria-current="${exact ? "page" : "true"}"` : ""}>${name}</a></li>`;
  });
  return `<a class="skip" href="#content">Skip to the content</a>
<div class="masthead"><a class="brand" href="/"><svg viewBox="0 0 20 20" width="17" height="17" fill="currentColor" aria-hidden="true">${mark}</svg>Assay</a>
<nav aria-label="Pages"><ul>${items.join("")}</ul></nav></div><span id="content" tabindex="-1"></span>`;
}

export const footer = `<p>Every rate is n/N and every number opens its rows. Nothing here claims accuracy on a population, clinical outcome or safety. Agreement between judges is not correctness.</p>`;
