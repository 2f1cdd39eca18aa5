/**
 * The seam for other languages: a view's sentences stand in one place under names, in English, and a language may bring its own
 * for any of them. What it does not bring is shown in English.
 */
export type Sentences = Record<string, string>;

const languages = new Map<string, Map<string, Partial<Sentences>>>();

/** Bring a language's sentences for a part of the page, before it is drawn. */
export function addLanguage(language: string, part: string, sentences: Partial<Sentences>): void {
  const parts = languages.get(language) ?? new Map<string, Partial<Sentences>>();
  languages.set(language, parts.set(part, sentences));
}

let shown = "en";

/** Show the page in a language from now on, before it is drawn. */
export function showIn(wanted: string): void {
  shown = wanted;
}

/** The language that the page is shown in. */
export function language(): string {
  return shown;
}

/**
 * The sentences of a part of the page. `{name}` in one is filled in.
 *
 * @returns says one by its name.
 */
export function catalog<S extends Sentences>(part: string, english: S): (name: keyof S & string, values?: Record<string, string | number>) => string {
  return (name, values = {}) => {
    const sentence = languages.get(language())?.get(part)?.[name] ?? english[name] ?? name;
    return sentence.replace(/\{(\w+)\}/g, (whole, key: string) => (key in values ? String(values[key]) : whole));
  };
}
