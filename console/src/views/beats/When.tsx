import { ownZone } from "./days";
import { clocks } from "./times";
import { t } from "./words";

/** A time by the person's clocks, with what the schedule's own show beside it where that is another. */
export function When({ at, zone = "" }: { at: string; zone?: string }) {
  const { here, there, zone: other } = clocks(at, ownZone(), zone);
  return <time dateTime={at}>{there === "" ? here : t("inZone", { at: here, there, zone: other })}</time>;
}
