// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { TroubleContext } from "../shell/page";
import { Dialog, Foot } from "./Dialog";

afterEach(cleanup);

type Trouble = { id: string; text: string } | null;

function drawn(trouble: Trouble) {
  return (
    <TroubleContext value={trouble}>
      <Dialog title="New" onClose={() => undefined}>
        <input aria-label="Id" />
      </Dialog>
    </TroubleContext>
  );
}

it("what is refused while a dialog is open is told in it, and stays until something changes", () => {
  const { rerender } = render(drawn({ id: "1", text: "an old one" }));
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(drawn({ id: "2", text: "there is one already" }));
  expect(screen.getByRole("alert").textContent).toBe("there is one already");
  rerender(drawn(null));
  expect(screen.getByRole("alert").textContent).toBe("there is one already");
  fireEvent.input(screen.getByLabelText("Id"), { target: { value: "b" } });
  expect(screen.queryByRole("alert")).toBeNull();
  rerender(drawn({ id: "3", text: "another" }));
  expect(screen.getByRole("alert").textContent).toBe("another");
});

it("the foot of a form sends it by its main button and leaves it by the other one", () => {
  const [sent, left] = [vi.fn(), vi.fn()];
  const { rerender } = render(<form action={sent}><Foot act="Begin" onClose={left} /></form>);
  fireEvent.click(screen.getByRole("button", { name: "Cancel" }));
  expect([sent.mock.calls.length, left.mock.calls.length]).toEqual([0, 1]);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Begin" }).type).toBe("submit");
  rerender(<form action={sent}><Foot act="Begin" disabled leave="Close" onClose={left} /></form>);
  expect(screen.getByRole<HTMLButtonElement>("button", { name: "Begin" }).disabled).toBe(true);
  expect(screen.getByRole("button", { name: "Close" })).toBeTruthy();
});
