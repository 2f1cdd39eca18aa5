import { useMemo, useState } from "react";
import { catalog } from "../text/catalog";
import { count } from "../text/figures";
import { compared, type Piece } from "../text/lines";
import { Button } from "./Button";
import css from "./sides.module.css";
import { Said } from "./Said";

const t = catalog("sides", {
  theirs: "What it says now",
  mine: "What you have written",
  from: "{side}, from line {line}",
  nothing: "nothing",
  empty: "empty lines: {count}",
  equal: "{count} lines that are the same",
  all: "Show the lines that are the same",
  same: "Both say the same.",
});

/** Lines that are the same are shown up to here on each side of what differs. */
const AROUND = 3;

/** A text as somebody else has saved it and as it was written here, with the lines that differ beside each other. */
export function Sides({ theirs, mine, label }: { theirs: string; mine: string; label: string }) {
  const pieces = useMemo(() => compared(theirs, mine), [theirs, mine]);
  const [whole, setWhole] = useState(false);
  const isLong = pieces.some((piece, index) => piece.same && piece.lines.length > headOf(index) + tailOf(index, pieces.length));
  if (pieces.every(({ same }) => same)) return <p className={css.quiet}>{t("same")}</p>;
  return (
    <>
      <div className={css.sides} role="group" aria-label={label} tabIndex={0}>
        {pieces.map((piece, index) =>
          piece.same ? (
            <Same key={index} lines={piece.lines} head={whole ? Infinity : headOf(index)} tail={tailOf(index, pieces.length)} />
          ) : (
            <Differs key={index} piece={piece} />
          ),
        )}
      </div>
      {isLong && !whole && (
        <p>
          <Button onClick={() => setWhole(true)}>{t("all")}</Button>
        </p>
      )}
    </>
  );
}

function headOf(index: number): number {
  return index === 0 ? 0 : AROUND;
}

function tailOf(index: number, all: number): number {
  return index === all - 1 ? 0 : AROUND;
}

function Same({ lines, head, tail }: { lines: readonly string[]; head: number; tail: number }) {
  if (lines.length <= head + tail) return <Lines lines={lines} />;
  return (
    <>
      {head > 0 && <Lines lines={lines.slice(0, head)} />}
      <p className={css.quiet}>… {t("equal", { count: count(lines.length - head - tail) })} …</p>
      {tail > 0 && <Lines lines={lines.slice(-tail)} />}
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <pre className={css.same}>
      <Said>{lines.join("\n")}</Said>
    </pre>
  );
}

function Differs({ piece }: { piece: Extract<Piece, { same: false }> }) {
  return (
    <div className={css.differs}>
      <Side side={t("theirs")} lines={piece.theirs} from={piece.theirsFrom} className={css.theirs} />
      <Side side={t("mine")} lines={piece.mine} from={piece.mineFrom} className={css.mine} />
    </div>
  );
}

function Side({ side, lines, from, className }: { side: string; lines: readonly string[]; from: number; className?: string }) {
  return (
    <figure className={className}>
      <figcaption>{t("from", { side, line: from })}</figcaption>
      {lines.every((line) => line === "") ? (
        <p className={css.quiet}>{lines.length === 0 ? t("nothing") : t("empty", { count: lines.length })}</p>
      ) : (
        <pre>
          <Said>{lines.join("\n")}</Said>
        </pre>
      )}
    </figure>
  );
}
