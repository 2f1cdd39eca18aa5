import { useEffect, useRef, type ReactNode } from "react";

/** The heading of something that has just opened: the focus moves to it, once for each `of`. */
export function Heading({ of, children }: { of: string; children: ReactNode }) {
  const element = useRef<HTMLHeadingElement>(null);
  useEffect(() => element.current?.focus(), [of]);
  return (
    <h2 ref={element} tabIndex={-1}>
      {children}
    </h2>
  );
}
