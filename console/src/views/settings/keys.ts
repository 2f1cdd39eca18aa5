import type { t } from "./words";

type Word = Parameters<typeof t>[0];

export interface Shortcut {
  readonly where: Word;
  readonly keys: readonly string[];
  readonly does: Word;
}

/** Every key that does something of its own on this page. */
export const SHORTCUTS: readonly Shortcut[] = [
  { where: "everywhere", keys: ["Tab"], does: "keyTab" },
  { where: "everywhere", keys: ["Escape"], does: "keyEscape" },
  { where: "everywhere", keys: ["Enter"], does: "keySkip" },
  { where: "live", keys: ["Enter"], does: "keySteer" },
  { where: "conversation", keys: ["Enter"], does: "keySend" },
  { where: "conversation", keys: ["Shift + Enter"], does: "keyLine" },
  { where: "conversation", keys: ["c"], does: "keyWrite" },
  { where: "inbox", keys: ["j", "k"], does: "keyMove" },
  { where: "inbox", keys: ["a"], does: "keyApprove" },
  { where: "inbox", keys: ["r"], does: "keyReject" },
  { where: "inbox", keys: ["Shift + A"], does: "keyAlways" },
  { where: "inbox", keys: ["Enter"], does: "keyOpen" },
  { where: "inbox", keys: ["s"], does: "keySeen" },
  { where: "agents", keys: ["Ctrl + S"], does: "keySave" },
  { where: "playbooks", keys: ["Ctrl + S"], does: "keySavePlaybook" },
];
