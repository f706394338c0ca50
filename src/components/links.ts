/**
 * Where the site lives, found from this module's own address: pages sit at different depths and the site may be
 * served below any path.
 */
const SITE = new URL("../../", import.meta.url);

function page(path: string, parameters: Record<string, string | number | undefined> = {}, hash = ""): string {
  const url = new URL(path, SITE);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, String(value));
  url.hash = hash;
  return url.href;
}

export const studyLink = (study: string, hash?: string): string => page(`studies/${study}.html`, {}, hash);
export const scanLink = (scan: string, hash?: string): string => page(`scans/${scan}.html`, {}, hash);
export const checkLink = (check: string): string => page(`checks/${check}.html`);

/** A conversation as one scan judged it; `check` opens at that check's verdict, `beside` adds a second scan. */
export function conversationLink(
  scan: string,
  conversation: string,
  options: { check?: string; beside?: string } = {},
): string {
  return page("conversation.html", { scan, id: conversation, check: options.check, beside: options.beside });
}

/** The conversations of one scan, each with its verdicts counted. */
export const conversationsLink = (scan: string): string => page("conversations.html", { scan });

/** The console with this query in it, run at once: the rows behind a number. */
export function sqlLink(query: string): string {
  return page("sql.html", {}, encodeURIComponent(query.trim()));
}

/** Parameters of a filtered view such as /confusion or /agreement. */
export function viewLink(name: string, parameters: Record<string, string | undefined>, hash?: string): string {
  return page(`${name}.html`, parameters, hash);
}

/** A value as a SQL string literal. */
export function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

// Framework's preview serves data below _file and marks its modules with their digest.
const DATA = new URL(import.meta.url).searchParams.has("sha") ? "_file/data/" : "data/";

/**
 * A published data file chosen at run time, in the shape of Framework's file attachments (a literal attachment would
 * need its name when the page is built). It is read whole: one scan's rows, and hosts without ranges are common.
 */
export function dataFile(name: string): {
  name: string;
  mimeType: string;
  size: number;
  url(): Promise<string>;
  arrayBuffer(): Promise<ArrayBuffer>;
} {
  const bytes = fetch(page(`${DATA}${name}`)).then((response) => {
    if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
    return response.arrayBuffer();
  });
  return {
    name,
    mimeType: "application/octet-stream",
    size: 0,
    url: () => Promise.resolve("blob:"),
    arrayBuffer: () => bytes,
  };
}
