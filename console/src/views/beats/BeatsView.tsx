import type { ViewProps } from "../table";

export default function BeatsView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
