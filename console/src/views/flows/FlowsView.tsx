import type { ViewProps } from "../table";

export default function FlowsView({ rest }: ViewProps) {
  return <p>{rest}</p>;
}
