import type { ViewProps } from "../table";

export default function UseView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
