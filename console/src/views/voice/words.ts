import { catalog } from "../../text/catalog";
import type { Sentences } from "../../text/catalog";

export const t = catalog("voice", {
  title: "Voice",
  loading: "Loading …",
  pickTitle: "Where do you want to talk?",
  pick: "Choose a conversation, or begin a new one.",
  pickOnly: "Choose a conversation to listen to. Your session may not speak in one: it needs the scope write.",
  mayNot: "Your session may listen, and not speak: it needs the scope write.",
  whereTo: "Before you speak: most browsers send what the microphone hears to a service of their maker's, which recognizes it. The daemon gets only the text.",
  newTalk: "New conversation",
  agent: "Agent",
  homeAgent: "the home's own",
  theThreads: "the conversations",
  noThreads: "There are no conversations yet: begin one.",
  untitled: "Untitled",
  other: "Another conversation",
  read: "Read the whole conversation",
  cannotFollow: "This conversation cannot be followed: {why}",

  hold: "Hold to talk",
  holding: "Listening: let go when you are done",
  holdHint: "Hold the button, or the space bar anywhere but in a text field. Enter presses buttons: on this one it begins, and ends.",
  free: "Hands-free",
  freeStop: "Stop listening",
  freeHint: "Hands-free listens until you stop it. Use headphones, else it hears what it says.",
  drop: "Drop what I said",
  speaks: "Speak answers",
  noVoice: "This browser cannot speak: answers are shown as text.",
  language: "Language",
  state_idle: "Ready.",
  state_listening: "Listening …",
  state_speaking: "You are speaking.",
  state_ending: "It seems that you are done …",
  state_answering: "The agent is speaking.",
  state_stopped: "The agent has stopped, because you speak.",
  heard: "What is heard",
  nothingHeard: "What you say appears here as it is recognized.",

  notAllowed: "The browser does not let this page use the microphone. Allow it in the browser's settings of this page, then try again.",
  noMicrophone: "There is no microphone, or another program has it. Connect one, then try again.",
  noService: "The browser's recognizer cannot be reached. Most browsers recognize speech at a service of their maker's, which needs the internet.",
  noLanguage: "The browser's recognizer does not know this language. Choose another one.",
  notTaken: "The daemon did not take what you said: {why}",

  said: "Said since this page was opened",
  heardUntil: "Interrupted. Heard until: “{words}”",
  heardNothing: "Interrupted before any of it was heard.",
  nobodySaid: "Nothing has been said here yet.",
  you: "You",
  trace: "Why turns ended",
  noTrace: "When you have said something, this shows why your turn ended when it did.",
  when: "When",
  reason: "Reason",
  score: "Read as complete",
  rule: "Rule",
  silence: "Silence before",
  text: "Text",
  dropped: "dropped, or revised away",
  notDelivered: "a sign of listening: no message",
  ms: "{ms} ms",

  none: "This browser does not recognize speech",
  noneBrowsers: "Chrome, Edge and Safari do; Firefox and most browsers for private use do not. Answers are still spoken here, if the browser can.",
  noneVoice: "Any recognizer of your own can talk to the daemon instead, at this address:",
  noneHow: "It takes the frames of Deepgram and Vosk as they are: connect a WebSocket with a token, say in which conversation (`thread_id`), and pass on what the recognizer says. The documents have it under “Voice”.",
});

const REASONS: Sentences = {
  final: "the recognizer said that it is over",
  complete: "a pause, and the text reads as complete",
  silence: "the longest wait was over",
  max_time: "the longest turn was over",
  max_length: "the text was as long as it may be",
  forced: "you ended it",
};

const reasons = catalog("voice.reasons", REASONS);

export function reasonWord(reason: string): string {
  return Object.hasOwn(REASONS, reason) ? reasons(reason) : reason;
}
