import type { ViewProps } from "../table";

export default function AgentsView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
