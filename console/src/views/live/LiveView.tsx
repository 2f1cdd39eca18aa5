import type { ViewProps } from "../table";

export default function LiveView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
