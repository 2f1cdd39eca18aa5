import { useEffect, useState } from "react";
import { catalog } from "../text/catalog";
import { Button } from "./Button";
import css from "./kit.module.css";
import { visible } from "./Said";

const t = catalog("copy", {
  copy: "Copy",
  code: "Copy code",
  copied: "Copied",
  none: "Not copied: the browser gives a page at this address no clipboard. Select the text, and copy it yourself.",
  denied: "Not copied: {why} Select the text, and copy it yourself.",
});
const SHOWN_MS = 2_000;

interface CopyProps {
  text: string;
  /** What the button is called. */
  name?: "copy" | "code";
  className?: string;
}

/** Puts a text on the clipboard as the page shows it, with nothing in it that is not seen, and says so, or why not. */
export function Copy({ text, name = "copy", className }: CopyProps) {
  const [said, setSaid] = useState<"" | "copied" | "failed">("");
  const [why, setWhy] = useState("");
  useEffect(() => {
    if (said !== "copied") return;
    const timer = setTimeout(() => setSaid(""), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  const failed = (sentence: string): void => {
    setWhy(sentence);
    setSaid("failed");
  };
  const copy = async (): Promise<void> => {
    // Only a page that came by a safe way has one.
    if (!("clipboard" in navigator)) {
      failed(t("none"));
      return;
    }
    try {
      await navigator.clipboard.writeText(visible(text));
      setSaid("copied");
    } catch (error) {
      failed(t("denied", { why: visible(error instanceof Error ? error.message : String(error)) }));
    }
  };
  return (
    <>
      <Button tone="ghost" className={className} onClick={() => void copy()}>
        {t(said === "copied" ? "copied" : name)}
      </Button>
      <span role="status" className={said === "failed" ? css.notCopied : "visually-hidden"}>
        {said === "failed" ? why : said === "copied" ? t("copied") : ""}
      </span>
    </>
  );
}
