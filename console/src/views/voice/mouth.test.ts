import { describe, expect, it } from "vitest";
import { Mouth, type MouthCommand, type Sentence } from "./mouth";

const sentence = (index: number, text: string, more: Partial<Sentence> = {}): Sentence => ({
  message_id: "m", index, offset: index * 100, end: index * 100 + text.length, text, ...more,
});
const told = (commands: readonly MouthCommand[]): string[] => commands.map((command) => (command.do === "say" ? command.text : "silence"));
const token = (commands: readonly MouthCommand[]): number => {
  const found = commands.find((command) => command.do === "say");
  return found?.do === "say" ? found.token : -1;
};

describe("speaking", () => {
  it("sentences are said one after another, in order", () => {
    const mouth = new Mouth();
    const first = mouth.sentence(sentence(0, "One."));
    expect(told(first)).toEqual(["One."]);
    expect(mouth.sentence(sentence(1, "Two."))).toEqual([]);
    const second = mouth.said(token(first));
    expect(told(second)).toEqual(["Two."]);
    expect(mouth.said(token(second))).toEqual([]);
    expect([mouth.isSpeaking, mouth.playing]).toEqual([false, null]);
  });

  it("what comes again after a lost connection is not said again", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.sentence(sentence(1, "Two."));
    expect([mouth.sentence(sentence(0, "One.")), mouth.sentence(sentence(1, "Two."))]).toEqual([[], []]);
  });

  it("a piece with nothing to say counts as played", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "", { end: 50 }));
    const said = mouth.sentence(sentence(1, "Done."));
    expect(told(said)).toEqual(["Done."]);
    expect(mouth.playing).toEqual({ message_id: "m", played_chars: 100 });
  });

  it("says how much of which message was played, and never less than before", () => {
    const mouth = new Mouth();
    const said = mouth.sentence(sentence(1, "Hello there."));
    mouth.progress(token(said), 6);
    expect(mouth.playing).toEqual({ message_id: "m", played_chars: 106 });
    mouth.progress(token(said), 2);
    mouth.progress(token(said), 999);
    expect(mouth.playing).toEqual({ message_id: "m", played_chars: 112 });
  });

  it("what is told of a text that is not said any more changes nothing", () => {
    const mouth = new Mouth();
    const first = mouth.sentence(sentence(0, "One."));
    mouth.stop("m");
    expect(mouth.said(token(first))).toEqual([]);
    expect(mouth.playing).toEqual({ message_id: "m", played_chars: 0 });
  });

  it("switched off it says nothing and plays nothing, and does not make up for it later", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    expect(told(mouth.setOn(false))).toEqual(["silence"]);
    expect(mouth.sentence(sentence(1, "Two."))).toEqual([]);
    expect(mouth.playing).toBeNull();
    mouth.setOn(true);
    expect(told(mouth.sentence(sentence(2, "Three.")))).toEqual(["Three."]);
  });
});

describe("speech over it", () => {
  it("stops it, and from where it was it goes on at the beginning of the word", () => {
    const mouth = new Mouth();
    const said = mouth.sentence(sentence(0, "It is 21 degrees in Rome."));
    mouth.sentence(sentence(1, "It rains."));
    mouth.progress(token(said), 11);
    expect(told(mouth.stop("m"))).toEqual(["silence"]);
    expect(mouth.playing).toEqual({ message_id: "m", played_chars: 11 });
    const again = mouth.goOn("m", 11);
    expect(told(again)).toEqual(["degrees in Rome."]);
    expect(told(mouth.said(token(again)))).toEqual(["It rains."]);
  });

  it("a sentence of which marks were taken out is said from its beginning", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "Look here.", { end: 14 }));
    mouth.stop("m");
    expect(told(mouth.goOn("m", 6))).toEqual(["Look here."]);
  });

  it("sentences that come meanwhile wait, and are said after what was stopped", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.stop("m");
    expect(mouth.sentence(sentence(1, "Two."))).toEqual([]);
    const again = mouth.goOn("m", 0);
    expect(told(again)).toEqual(["One."]);
    expect(told(mouth.said(token(again)))).toEqual(["Two."]);
  });

  it("a message that became of it ends what was stopped", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.sentence(sentence(1, "Two."));
    mouth.stop("m");
    mouth.turnEnded(true);
    expect([mouth.goOn("m", 0), mouth.playing]).toEqual([[], null]);
    expect(told(mouth.sentence(sentence(0, "Yes?", { message_id: "n" })))).toEqual(["Yes?"]);
  });

  it("signs of listening end nothing: it stays stopped until it is told to go on", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.stop("m");
    mouth.turnEnded(false);
    expect(told(mouth.goOn("m", 0))).toEqual(["One."]);
  });

  it("a turn that ends while nothing was stopped stops nothing", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    expect([mouth.turnEnded(true), mouth.isSpeaking]).toEqual([[], true]);
  });

  it("about a message that is not played it changes nothing", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    expect([mouth.stop("other"), mouth.goOn("other", 0), mouth.isSpeaking]).toEqual([[], [], true]);
  });

  it("a button that was pressed for nothing goes on where it stopped", () => {
    const mouth = new Mouth();
    const said = mouth.sentence(sentence(0, "One two three."));
    mouth.progress(token(said), 4);
    mouth.stop(null);
    expect(told(mouth.goOn(null, null))).toEqual(["two three."]);
  });
});

describe("replies that end early", () => {
  it("of one that came to nothing no more is said", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.sentence(sentence(1, "Two."));
    expect(told(mouth.gone("m", { also: "now" }))).toEqual(["silence"]);
    expect(mouth.isSpeaking).toBe(false);
  });

  it("of one that was cut the sentence that is being said is said to its end", () => {
    const mouth = new Mouth();
    const said = mouth.sentence(sentence(0, "One."));
    mouth.sentence(sentence(1, "Two."));
    expect(mouth.gone("m", { also: "rest" })).toEqual([]);
    expect(mouth.said(token(said))).toEqual([]);
  });

  it("the reply behind it is said", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.sentence(sentence(0, "Other.", { message_id: "n" }));
    expect(told(mouth.gone("m", { also: "now" }))).toEqual(["silence", "Other."]);
  });

  it("one that was stopped and then came to nothing does not hold up the next", () => {
    const mouth = new Mouth();
    mouth.sentence(sentence(0, "One."));
    mouth.stop("m");
    mouth.sentence(sentence(0, "Other.", { message_id: "n" }));
    expect(told(mouth.gone("m", { also: "now" }))).toEqual(["Other."]);
  });
});
