// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, expect, it } from "vitest";
import { TroubleContext } from "../shell/page";
import { Dialog } from "./Dialog";

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
