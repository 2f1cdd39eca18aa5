import type { ViewProps } from "../table";

export default function MemoryView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
