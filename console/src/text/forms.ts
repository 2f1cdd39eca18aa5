import { language } from "./catalog";

/** How times are written, in the page's language and by the clocks of this place. */
export function times(options: Intl.DateTimeFormatOptions): (at: Date) => string {
  const form = kept((language) => new Intl.DateTimeFormat(language, options));
  // A form refuses what is no time, which a person may still be shown.
  return (at) => (Number.isNaN(at.getTime()) ? String(at) : form().format(at));
}

/** How numbers are written, in the page's language. */
export function numbers(options: Intl.NumberFormatOptions): (figure: number) => string {
  const form = kept((language) => new Intl.NumberFormat(language, options));
  return (figure) => form().format(figure);
}

/** A form that is made once for a language and a zone: to make one takes many times as long as to write by it. */
export function kept<F>(make: (language: string) => F): () => F {
  let made: { readonly of: string; readonly form: F } | null = null;
  return () => {
    const of = `${language()} ${new Date().getTimezoneOffset()}`;
    if (made?.of !== of) made = { of, form: make(language()) };
    return made.form;
  };
}
