import { codePoint, splitControls, visible } from "./visible.js";

export type Child = Node | string | number | null | undefined | false | readonly Child[];

export interface Attributes {
  readonly [name: string]: string | number | boolean | null | undefined | Readonly<Record<string, unknown>>;
  readonly style?: Readonly<Record<string, string>>;
  readonly on?: Readonly<Record<string, (event: Event) => void>>;
}

const SVG = "http://www.w3.org/2000/svg";

/**
 * One element. Every string child becomes a text node, so that text a model wrote can never be read as markup;
 * there is no way through this function to set inner HTML. Characters that would act unseen are shown by name.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  decorate(element, attributes);
  append(element, children);
  return element;
}

/** The same for SVG. */
export function s(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS(SVG, name);
  decorate(element, attributes);
  append(element, children);
  return element;
}

export function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (child instanceof Node) parent.appendChild(child);
    else if (typeof child === "object") append(parent, child);
    else appendText(parent, String(child));
  }
}

function appendText(parent: Node, text: string): void {
  for (const piece of splitControls(text)) {
    const node = document.createTextNode(piece.control ? codePoint(piece.text) : piece.text);
    // Inside SVG text only its own elements are drawn.
    if (!piece.control || parent instanceof SVGElement) parent.appendChild(node);
    else parent.appendChild(h("span", { class: "control-character" }, node));
  }
}

/** Text for a screen reader only. */
export function hidden(text: string): HTMLSpanElement {
  return h("span", { class: "visually-hidden" }, text);
}

/** Authored text with its `backticked` names set as code; everything else stays text. */
export function coded(text: string): Child[] {
  return text.split("`").map((piece, i) => (i % 2 === 1 ? h("code", {}, piece) : piece));
}

let ids = 0;
/** An id that is unique in the page, for `aria-labelledby` and `for`. */
export function uid(prefix: string): string {
  return `${prefix}-${(ids += 1)}`;
}

const isSaid = (attribute: string): boolean => attribute === "title" || attribute.startsWith("aria-");

function decorate(element: HTMLElement | SVGElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "style") {
      for (const [property, setting] of Object.entries(attributes.style ?? {}))
        element.style.setProperty(property, setting);
    } else if (name === "on") {
      for (const [event, listener] of Object.entries(attributes.on ?? {})) element.addEventListener(event, listener);
    } else if (typeof value !== "object") {
      element.setAttribute(name, value === true ? "" : isSaid(name) ? visible(String(value)) : String(value));
    }
  }
}
