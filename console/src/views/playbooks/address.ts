/** What the address asks for, behind `#/playbooks`. */
export type Asked =
  | { readonly page: "list" }
  | { readonly page: "runs" }
  | { readonly page: "new" }
  | { readonly page: "edit"; readonly name: string }
  | { readonly page: "run"; readonly name: string; readonly run: string };

/** Words of the address that are no playbook's name; one that is called so stands behind `p/`. */
const WORDS = new Set(["new", "runs", "p"]);

export function read(rest: string): Asked {
  const parts = rest.split("/").filter((part) => part !== "");
  if (parts[0] === "p" && parts.length > 1) parts.shift();
  else if (parts.length === 1 && parts[0] === "new") return { page: "new" };
  else if (parts.length === 1 && parts[0] === "runs") return { page: "runs" };
  const [name, word, run] = parts;
  if (name === undefined) return { page: "list" };
  return word === "run" && run !== undefined ? { page: "run", name, run } : { page: "edit", name };
}

/** Whether the daemon can be asked for a playbook by this name: one that is named by its file may be called anything. */
export function isName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(name);
}

/** Whether the page goes on as it is from one address to the next: what was begun as new has been saved under its name. */
export function goesOn(before: Asked, now: Asked, begun: string): boolean {
  return before.page === "new" && now.page === "edit" && now.name === begun;
}

export function editAddress(name: string): string {
  return `#/playbooks/${WORDS.has(name) ? "p/" : ""}${encodeURIComponent(name)}`;
}

export function runAddress(name: string, run: string): string {
  return `${editAddress(name)}/run/${encodeURIComponent(run)}`;
}
