import { h, hidden } from "./dom.js";

/** A SHA-256 shown by its first eight digits; a button copies all of it. */
export function digestChip(digest: string, what = "SHA-256"): HTMLElement {
  const button = h("button", { type: "button", class: "digest", title: `${what} ${digest}` });
  const face = h("span", { class: "digest-face" }, digest.slice(0, 8));
  const status = h("span", { class: "visually-hidden", role: "status" });
  button.append(hidden(`Copy ${what} `), face);
  button.addEventListener("click", () => {
    void copy(digest).then((done) => {
      face.textContent = done ? "copied" : digest;
      status.textContent = done ? "Copied" : "Copying is not allowed here; the digest is shown in full";
      setTimeout(
        () => {
          face.textContent = digest.slice(0, 8);
          status.textContent = "";
        },
        done ? 1200 : 8000,
      );
    });
  });
  return h("span", { class: "digest-wrap" }, button, status, h("span", { class: "digest-print" }, digest));
}

export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or not a secure context
  }
}
