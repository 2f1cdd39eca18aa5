import { useEffect, useState } from "react";
import { catalog } from "../text/catalog";
import { Button } from "./Button";

const t = catalog("copy", { copy: "Copy", copied: "Copied", failed: "Not copied" });
const SHOWN_MS = 2_000;

/** Puts a text on the clipboard. Where the browser has none for this page, it is not there. */
export function Copy({ text, className }: { text: string; className?: string }) {
  const [said, setSaid] = useState<"copy" | "copied" | "failed">("copy");
  useEffect(() => {
    if (said === "copy") return;
    const timer = setTimeout(() => setSaid("copy"), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  // Only a page that came by a safe way has one.
  if (!("clipboard" in navigator)) return null;
  return (
    <Button
      tone="ghost"
      className={className}
      onClick={() => void navigator.clipboard.writeText(text).then(() => setSaid("copied"), () => setSaid("failed"))}
    >
      {t(said)}
    </Button>
  );
}
