export type Theme = "system" | "light" | "dark";
const KEY = "sulla.theme";

/** What this browser was set to. */
export function theme(): Theme {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}

/** Show the page in it from now on. */
export function setTheme(wanted: Theme): void {
  if (wanted === "system") localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, wanted);
  applyTheme();
}

export function applyTheme(): void {
  const wanted = theme();
  if (wanted === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = wanted;
}
