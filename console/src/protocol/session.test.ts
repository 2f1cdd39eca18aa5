// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { enter, forgetKey, sessionKey, SignedInAlready } from "./session";

/** A daemon that lets in for some scopes, or refuses. */
function daemon(status: number, told: object): { method: string; key: string | null }[] {
  const asked: { method: string; key: string | null }[] = [];
  vi.stubGlobal("fetch", (_: string, { method, headers }: { method: string; headers: Record<string, string> }) => {
    asked.push({ method, key: headers["x-sulla-session"] ?? null });
    return Promise.resolve(new Response(JSON.stringify(method === "POST" ? told : {}), { status: method === "POST" ? status : 200 }));
  });
  return asked;
}

describe("the way in", () => {
  beforeEach(() => localStorage.clear());
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it("keeps the key of a session that may read", async () => {
    daemon(200, { key: "new", name: "ann", scopes: ["read"], expires_at: "2027-01-15T08:00:00.000Z" });
    await enter({ token: "t" });
    expect(sessionKey()).toBe("new");
  });

  it("ends a session that may see nothing, and says what it lacks", async () => {
    localStorage.setItem("sulla.session", "old");
    const asked = daemon(200, { key: "new", name: "ann", scopes: ["approve", "write"] });
    await expect(enter({ token: "t" })).rejects.toThrow("it needs the scope read, and has approve, write");
    expect(asked).toEqual([{ method: "POST", key: "old" }, { method: "DELETE", key: "new" }]);
    expect(sessionKey()).toBeNull();
  });

  it("asks the person before a ticket of somebody else's ends the session, and keeps it until then", async () => {
    localStorage.setItem("sulla.session", "old");
    const now = { name: "owner", scopes: ["read"] };
    const then = { name: "mallory", scopes: ["read", "write"] };
    daemon(409, { error: { message: "signed in" }, signed_in: now, would_be: then });
    const refusal: unknown = await enter({ ticket: "t" }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ ticket: "t", now, then });
    expect(refusal).toBeInstanceOf(SignedInAlready);
    expect(sessionKey()).toBe("old");
  });

  it("asks as well where the session is over, and says whose it was, also after the key was dropped", async () => {
    const said: unknown[] = [];
    vi.stubGlobal("fetch", (_: string, { body }: { body: string }) => {
      said.push(JSON.parse(body));
      return Promise.resolve(new Response(JSON.stringify({ signed_in: null, would_be: { name: "mallory", scopes: ["read"] } }), { status: 409 }));
    });
    localStorage.setItem("sulla.session", "old");
    localStorage.setItem("sulla.session.about", JSON.stringify({ name: "owner" }));
    forgetKey("old");
    await expect(enter({ ticket: "t" })).rejects.toMatchObject({ now: null, had: "owner", then: { name: "mallory" } });
    expect(said).toEqual([{ ticket: "t", had: "owner" }]);
    expect(sessionKey()).toBeNull();
  });

  it("stays where a ticket is of the same token", async () => {
    localStorage.setItem("sulla.session", "old");
    daemon(200, { stays: true, name: "owner", scopes: ["read"] });
    await enter({ ticket: "t" });
    expect(sessionKey()).toBe("old");
  });

  it("drops the key that is dead, and not one that another tab has since", () => {
    localStorage.setItem("sulla.session", "new");
    forgetKey("old");
    expect(sessionKey()).toBe("new");
    forgetKey("new");
    expect(sessionKey()).toBeNull();
  });

  it("says what to do where cookies of other programs keep the request from being read", async () => {
    daemon(431, {});
    await expect(enter({ token: "t" })).rejects.toThrow("Delete the cookies of this address");
  });

  it("says why a ticket is refused, and leaves the session that is there", async () => {
    localStorage.setItem("sulla.session", "old");
    daemon(401, { error: { message: "it was used, or its minute is over" } });
    await expect(enter({ ticket: "t" })).rejects.toThrow("it was used, or its minute is over");
    expect(sessionKey()).toBe("old");
  });
});
