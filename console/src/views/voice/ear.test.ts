import { describe, expect, it } from "vitest";
import { Ear, type Chunk, type EarCommand } from "./ear";

function ear(): Ear {
  let made = 0;
  return new Ear(() => `u-${++made}`);
}
const said = (text: string, final = false): { text: string; final: boolean } => ({ text, final });
const chunk = (commands: readonly EarCommand[]): Chunk => {
  const found = commands.find((command) => command.do === "send");
  if (found?.do !== "send") throw new Error("nothing was sent");
  return found.chunk;
};
const done = (commands: readonly EarCommand[]): string[] => commands.map((command) => command.do);

describe("push to talk", () => {
  it("words go to the daemon as they are heard, as a whole, with what will not be revised", () => {
    const mine = ear();
    expect(done(mine.press())).toEqual(["listen"]);
    expect(chunk(mine.heard([said("and wa")]))).toEqual({
      utterance_id: "u-1", seq: 1, kind: "cumulative", text: "and wa", stable_chars: 0, held: true,
    });
    expect(chunk(mine.heard([said("and what ", true), said("about")]))).toMatchObject({ seq: 2, text: "and what about", stable_chars: 8 });
  });

  it("characters are counted as the daemon counts them", () => {
    const mine = ear();
    mine.press();
    expect(chunk(mine.heard([said("𝄞 a", true)])).stable_chars).toBe(3);
  });

  it("what changes nothing is not sent", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("hello")]);
    expect(mine.heard([said("hello ")])).toEqual([]);
  });

  it("a release waits for the last words, then ends the turn", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("turn on")]);
    expect(done(mine.release())).toEqual(["finish", "wait"]);
    expect(chunk(mine.heard([said("turn on the light", true)])).text).toBe("turn on the light");
    expect(done(mine.ended())).toEqual(["flush"]);
    expect(mine.mode).toBe("off");
    expect(mine.waited()).toEqual([]);
  });

  it("a recognizer that does not end holds the turn up no longer than the wait", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("go")]);
    mine.release();
    expect(done(mine.waited())).toEqual(["abort", "flush"]);
    expect(mine.ended()).toEqual([]);
  });

  it("a press without a word ends no turn, and says so", () => {
    const mine = ear();
    mine.press();
    mine.release();
    expect(done(mine.ended())).toEqual(["nothing"]);
  });

  it("a recognizer that ends while the button is held is begun again, under another name", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("first", true)]);
    expect(done(mine.ended())).toEqual(["listen"]);
    expect(chunk(mine.heard([said("second")]))).toMatchObject({ utterance_id: "u-2", seq: 1, text: "second" });
  });

  it("pressed again before the last words came, the turn before is ended first", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("one")]);
    mine.release();
    expect(done(mine.press())).toEqual(["flush", "listen"]);
  });

  it("cancel drops the turn, and nothing is flushed afterwards", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("never mind")]);
    expect(done(mine.cancel())).toEqual(["abort", "cancel"]);
    expect(mine.ended()).toEqual([]);
    expect(mine.mode).toBe("off");
  });
});

describe("hands-free", () => {
  it("the daemon says when turns end: nothing is held, and nothing flushed while it listens", () => {
    const mine = ear();
    mine.startFree();
    expect(chunk(mine.heard([said("hello", true)])).held).toBe(false);
    expect(done(mine.ended())).toEqual(["listen"]);
  });

  it("a recognizer that hears nothing is begun again less and less often, until something is heard", () => {
    const mine = ear();
    mine.startFree();
    expect(mine.ended()).toEqual([{ do: "listen" }]);
    const waits: number[] = [];
    for (let time = 0; time < 6; time++) {
      const [command] = mine.ended();
      if (command?.do === "listenLater") waits.push(command.s);
      mine.again();
    }
    expect(waits).toEqual([0.5, 1, 2, 4, 8, 8]);
    mine.heard([said("there")]);
    expect(mine.ended()).toEqual([{ do: "listen" }]);
  });

  it("stopped, it takes what was said, and begins no more", () => {
    const mine = ear();
    mine.startFree();
    mine.heard([said("so")]);
    mine.stopFree();
    expect(done(mine.ended())).toEqual(["flush"]);
    expect(mine.again()).toEqual([]);
  });

  it("stopped while it waits to begin again, it is off at once", () => {
    const mine = ear();
    mine.startFree();
    mine.ended();
    mine.ended();
    expect(done(mine.stopFree())).toEqual(["nothing"]);
    expect([mine.mode, mine.again()]).toEqual(["off", []]);
  });

  it("cancel goes on to listen", () => {
    const mine = ear();
    mine.startFree();
    mine.heard([said("um")]);
    expect(done(mine.cancel())).toEqual(["abort", "cancel"]);
    expect(done(mine.ended())).toEqual(["listen"]);
  });

  it("a very long utterance is followed by another one", () => {
    const mine = ear();
    mine.startFree();
    expect(done(mine.heard([said("word ".repeat(2500))]))).toEqual(["send", "finish"]);
  });
});

describe("what goes wrong", () => {
  it("a browser that refuses the microphone is told by name, and nothing is begun again", () => {
    for (const [word, trouble] of [["not-allowed", "notAllowed"], ["audio-capture", "noMicrophone"], ["network", "noService"]] as const) {
      const mine = ear();
      mine.startFree();
      mine.failed(word);
      expect([mine.trouble, mine.mode, mine.ended()], word).toEqual([trouble, "off", []]);
    }
  });

  it("hearing nothing is no failure", () => {
    const mine = ear();
    mine.startFree();
    expect(mine.failed("no-speech")).toEqual([]);
    expect([mine.trouble, mine.mode]).toEqual([null, "free"]);
  });

  it("words that were sent are not lost if the recognizer fails behind them", () => {
    const mine = ear();
    mine.press();
    mine.heard([said("remember this")]);
    expect(done(mine.failed("network"))).toEqual(["flush"]);
  });

  it("a piece that is not taken is sent again as it was, unless a newer one holds its words", () => {
    const mine = ear();
    mine.press();
    const first = chunk(mine.heard([said("one")]));
    const second = chunk(mine.heard([said("one two")]));
    expect(mine.notTaken(first, true, null)).toEqual([]);
    expect(mine.notTaken(second, true, 2)).toEqual([{ do: "sendLater", chunk: second, s: 2 }]);
    expect(mine.sendAgain(second)).toEqual([{ do: "send", chunk: second }]);
    mine.answered(second, false);
    expect(mine.sendAgain(second)).toEqual([]);
  });

  it("a turn is not ended before its words that are sent again have come", () => {
    const mine = ear();
    mine.press();
    const only = chunk(mine.heard([said("one")]));
    mine.notTaken(only, true, null);
    mine.release();
    expect(mine.ended()).toEqual([]);
    mine.sendAgain(only);
    expect(done(mine.answered(only, false))).toEqual(["flush"]);
  });

  it("an utterance whose name was used before is said again under another", () => {
    const mine = ear();
    mine.press();
    const first = chunk(mine.heard([said("hello")]));
    expect(chunk(mine.answered(first, true))).toMatchObject({ utterance_id: "u-2", seq: 1, text: "hello" });
  });

  it("what the daemon will never take is told, and sent no more", () => {
    const mine = ear();
    mine.press();
    const only = chunk(mine.heard([said("one")]));
    expect(mine.notTaken(only, false, null)).toEqual([]);
    expect(mine.trouble).toBe("notTaken");
  });

  it("a store that stays away is not asked for ever", () => {
    const mine = ear();
    mine.press();
    const only = chunk(mine.heard([said("one")]));
    let times = 0;
    while (mine.notTaken(only, true, null).length > 0 && times < 100) {
      mine.sendAgain(only);
      times += 1;
    }
    expect([times, mine.trouble]).toEqual([19, "notTaken"]);
  });
});
