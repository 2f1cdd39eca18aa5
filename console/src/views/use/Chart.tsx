import { useEffect, useRef, useState, type RefObject } from "react";
import { dollars, shortCount } from "../../text/figures";
import { scaleOf, valueOf, type Bar, type Measure } from "./days";
import css from "./use.module.css";
import { t } from "./words";

const HEIGHT = 240;
const RIGHT = 18;
/** What a day's name below the bars takes. */
const NAME = 64;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 14;

/** A bar for each day, tokens that came out on top of those that went in, with the day's limit as a line. */
export function Chart({ bars, measure, limit }: { bars: readonly Bar[]; measure: Measure; limit: number | null }) {
  const [at, setAt] = useState<number | null>(null);
  const figure = useRef<HTMLElement>(null);
  const whole = useWidth(figure);
  const right = whole - RIGHT;
  const scale = scaleOf(bars.map((bar) => valueOf(bar, measure)), limit);
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / scale.top);
  const step = Math.max(1, (right - LEFT) / bars.length);
  const width = Math.min(48, Math.max(2, step * 0.72));
  const said = measure === "tokens" ? shortCount : dollars;
  const every = Math.max(1, Math.ceil(NAME / step));
  const marked = at === null ? null : bars[at];
  return (
    <figure ref={figure} className={css.figure}>
      <svg viewBox={`0 0 ${whole} ${HEIGHT}`} height={HEIGHT} aria-hidden="true" className={css.chart} onPointerLeave={() => setAt(null)}>
        {scale.ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={right} y1={y(tick)} y2={y(tick)} className={css.grid} />
            <text x={LEFT - 6} y={y(tick) + 4} textAnchor="end" className={css.label}>
              {said(tick)}
            </text>
          </g>
        ))}
        {bars.map((bar, index) => {
          const x = LEFT + step * index + (step - width) / 2;
          const value = valueOf(bar, measure);
          const low = measure === "tokens" ? Math.min(bar.tokensIn, value) : value;
          return (
            <g key={bar.day} onPointerEnter={() => setAt(index)} opacity={at === null || at === index ? 1 : 0.55}>
              <rect x={LEFT + step * index} y={TOP} width={step} height={HEIGHT - TOP - BOTTOM} fill="transparent" />
              <rect x={x} y={y(low)} width={width} height={Math.max(0, y(0) - y(low))} className={css.in} />
              {value > low && <rect x={x} y={y(value)} width={width} height={Math.max(0, y(low) - y(value))} className={css.out} />}
              {(bars.length - 1 - index) % every === 0 && (
                <text x={LEFT + step * (index + 0.5)} y={HEIGHT - 6} textAnchor="middle" className={css.label}>
                  {bar.day.slice(5)}
                </text>
              )}
            </g>
          );
        })}
        {scale.showsLimit && limit !== null && (
          <>
            <line x1={LEFT} x2={right} y1={y(limit)} y2={y(limit)} className={css.limit} />
            <text x={right} y={y(limit) - 4} textAnchor="end" className={css.limitLabel}>
              {t("limit", { limit: said(limit) })}
            </text>
          </>
        )}
      </svg>
      <figcaption className={css.caption}>
        {marked != null ? (
          <span>
            {marked.day}: {line(marked)}
          </span>
        ) : (
          <>
            {measure === "tokens" && (
              <>
                <span className={css.keyIn} /> {t("tokensIn")} <span className={css.keyOut} /> {t("tokensOut")} ·{" "}
              </>
            )}
            {t("utc")}
            {limit !== null && !scale.showsLimit && <> {t("limitAbove", { limit: said(limit) })}</>}
          </>
        )}
      </figcaption>
    </figure>
  );
}

/** How wide it is drawn, so that letters are as large as elsewhere. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(720);
  useEffect(() => {
    if (element.current === null) return;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.max(240, Math.round(entry?.contentRect.width ?? 720))));
    watch.observe(element.current);
    return () => watch.disconnect();
  }, [element]);
  return width;
}

/** A day's or a span's figures in words. */
export function line({ tokensIn, tokensOut, cost }: { tokensIn: number; tokensOut: number; cost: number | null }): string {
  const [into, out] = [shortCount(tokensIn), shortCount(tokensOut)];
  return cost === null ? t("total", { in: into, out }) : t("totalMoney", { in: into, out, cost: dollars(cost) });
}
