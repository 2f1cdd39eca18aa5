/** What of a browser's recognizer and synthesizer is used here, and how to get at them. */
export interface Recognizer {
  lang: string;
  continuous: boolean;
  interimResults: boolean;
  start(): void;
  stop(): void;
  abort(): void;
  onresult: ((event: { results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }> }) => void) | null;
  onerror: ((event: { error: string }) => void) | null;
  onend: (() => void) | null;
}

export interface Voice {
  say(text: string, lang: string, progress: (chars: number) => void, done: () => void): void;
  silence(): void;
}

/** Makes recognizers; null where the browser has none. */
export function recognizers(): (() => Recognizer) | null {
  const holder = window as unknown as { SpeechRecognition?: new () => Recognizer; webkitSpeechRecognition?: new () => Recognizer };
  const Made = holder.SpeechRecognition ?? holder.webkitSpeechRecognition;
  return Made === undefined ? null : () => new Made();
}

/** The browser's synthesizer; null where it has none. */
export function voice(): Voice | null {
  // Some browsers do without it, whatever the types say.
  const synth = (window as { speechSynthesis?: SpeechSynthesis }).speechSynthesis;
  if (synth === undefined) return null;
  return {
    say(text, lang, progress, done) {
      const utterance = new SpeechSynthesisUtterance(text);
      utterance.lang = lang;
      utterance.onboundary = ({ charIndex }) => progress(Array.from(text.slice(0, charIndex)).length);
      utterance.onend = done;
      utterance.onerror = done;
      synth.speak(utterance);
    },
    silence: () => synth.cancel(),
  };
}
